//! Lists: pages, versions, selectors.

use std::time::Duration;

use serde_json::json;

use crate::world::{CONFIG_MAPS, config_map, test};

#[test]
fn pages_show_the_state_of_the_first_one() {
    test(|api| async move {
        for number in 1..=7 {
            api.post(CONFIG_MAPS, &config_map(&format!("c{number}"), json!({}))).await.expect(201);
        }
        let first = api.get(&format!("{CONFIG_MAPS}?limit=3")).await.expect(200);
        assert_eq!(first.names(), ["c1", "c2", "c3"]);
        assert_eq!(first.json["metadata"]["remainingItemCount"], 4);
        api.post(CONFIG_MAPS, &config_map("c35", json!({}))).await.expect(201);
        api.delete(&format!("{CONFIG_MAPS}/c5")).await.expect(200);
        let token = first.json["metadata"]["continue"].as_str().unwrap().to_owned();
        let second = api.get(&format!("{CONFIG_MAPS}?limit=3&continue={token}")).await.expect(200);
        assert_eq!(second.names(), ["c4", "c5", "c6"]);
        assert_eq!(second.version(), first.version());
        api.get(&format!("{CONFIG_MAPS}?continue={token}&resourceVersion=5")).await.expect(400);
        api.get(&format!("{CONFIG_MAPS}?continue=nonsense")).await.expect(400);
        api.clock.advance(Duration::from_hours(3));
        api.store.compact(core_clock::Clock::now(&api.clock));
        let expired = api.get(&format!("{CONFIG_MAPS}?limit=3&continue={token}")).await.expect(410);
        let token = expired.json["metadata"]["continue"].as_str().unwrap();
        let rest = api.get(&format!("{CONFIG_MAPS}?continue={token}")).await.expect(200);
        assert_eq!(rest.names(), ["c35", "c4", "c6", "c7"]);
    });
}

#[test]
fn a_version_asks_for_at_least_or_exactly_that_state() {
    test(|api| async move {
        let first = api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201).version();
        api.post(CONFIG_MAPS, &config_map("b", json!({}))).await.expect(201);
        let exact = format!("{CONFIG_MAPS}?resourceVersion={first}&resourceVersionMatch=Exact");
        let then = api.get(&exact).await.expect(200);
        assert_eq!((then.names(), then.version()), (vec!["a"], first));
        let at_least = api.get(&format!("{CONFIG_MAPS}?resourceVersion={first}")).await;
        assert_eq!(at_least.names(), ["a", "b"]);
        let any = api.get(&format!("{CONFIG_MAPS}?resourceVersion=0&limit=1")).await.expect(200);
        assert_eq!(any.names().len(), 2);
        api.get(&format!("{CONFIG_MAPS}?resourceVersion=abc")).await.expect(400);
        api.get(&format!("{CONFIG_MAPS}?limit=abc")).await.expect(400);
    });
}

#[test]
fn a_version_of_the_future_is_waited_for_and_then_refused() {
    test(|api| async move {
        let future = format!("{CONFIG_MAPS}?resourceVersion=999999");
        let waiting = api.get(&future);
        let passing = async {
            tokio::task::yield_now().await;
            api.clock.advance(Duration::from_secs(4));
        };
        let (reply, ()) = futures::join!(waiting, passing);
        let reply = reply.expect(504);
        assert_eq!(reply.headers["retry-after"], "1");
        assert_eq!(reply.json["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    });
}

#[test]
fn selectors_choose_objects() {
    test(|api| async move {
        for (name, app) in [("a", "x"), ("b", "y"), ("c", "x")] {
            let mut object = config_map(name, json!({}));
            object["metadata"]["labels"] = json!({"app": app});
            api.post(CONFIG_MAPS, &object).await.expect(201);
        }
        let names = async |query: &str| {
            let list = api.get(&format!("{CONFIG_MAPS}?{query}")).await.expect(200);
            list.names().join(",")
        };
        assert_eq!(names("labelSelector=app%3Dx").await, "a,c");
        assert_eq!(names("labelSelector=app!%3Dx").await, "b");
        assert_eq!(names("labelSelector=app+in+(y,z)").await, "b");
        assert_eq!(names("fieldSelector=metadata.name%3Db").await, "b");
        assert_eq!(names("fieldSelector=metadata.name!%3Db").await, "a,c");
        api.get(&format!("{CONFIG_MAPS}?labelSelector=%3D%3D")).await.expect(400);
        let unknown = api.get(&format!("{CONFIG_MAPS}?fieldSelector=data.k%3Dv")).await.expect(400);
        assert!(unknown.message().starts_with("\"data.k\" is not a known field selector"));
        let secret = json!({"metadata": {"name": "s"}, "type": "a/b"});
        api.post("/api/v1/namespaces/default/secrets", &secret).await.expect(201);
        let typed = api.get("/api/v1/secrets?fieldSelector=type%3Da/b").await.expect(200);
        assert_eq!(typed.names(), ["s"]);
    });
}
