//! Deleting: finalizers, preconditions, collections.

use http::Method;
use serde_json::{Value, json};

use crate::{
    custom::{WIDGETS, install, widget},
    world::{CONFIG_MAPS, config_map, test},
};

fn held(name: &str) -> Value {
    let mut object = widget(name, json!({}));
    object["metadata"]["finalizers"] = json!(["probe.example.com/hold"]);
    object
}

#[test]
fn an_object_waits_for_its_finalizers() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &held("a")).await.expect(201);
        let path = format!("{WIDGETS}/a");
        let mut watch = api.watch(&format!("{WIDGETS}?watch=true")).await;
        watch.next().await.unwrap();
        let marked = api.delete(&path).await.expect(200);
        assert_eq!(marked.json["kind"], "Widget");
        assert_eq!(marked.json["metadata"]["deletionGracePeriodSeconds"], 0);
        assert_eq!(marked.json["metadata"]["generation"], 2);
        let again = api.delete(&path).await.expect(200);
        assert_eq!(again.version(), marked.version());
        assert_eq!(watch.seen().await.unwrap().0, "MODIFIED");
        let more = json!({"metadata": {"finalizers": ["probe.example.com/hold", "a.b/c"]}});
        api.merge(&path, &more).await.expect(422);
        let taken = api.post(WIDGETS, &held("a")).await.expect(409);
        assert!(taken.message().starts_with("object is being deleted: "));
        let last = api.merge(&path, &json!({"metadata": {"finalizers": null}})).await.expect(200);
        assert_eq!(last.json["metadata"]["name"], "a");
        assert_eq!(watch.seen().await, Some(("DELETED".into(), "a".into())));
        assert_eq!(watch.seen().await, None);
        api.get(&path).await.expect(404);
    });
}

#[test]
fn preconditions_and_options_are_checked() {
    test(|api| async move {
        install(&api).await;
        let created = api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        let path = format!("{WIDGETS}/a");
        let delete =
            async |body: Value| api.request(Method::DELETE, &path).json(&body).send().await;
        let refused = delete(json!({"preconditions": {"uid": "bad"}})).await.expect(409);
        assert!(refused.message().starts_with(
            "Operation cannot be fulfilled on Widget.probe.example.com \"a\": the UID in the precondition (bad)"
        ));
        delete(json!({"preconditions": {"resourceVersion": "1"}})).await.expect(409);
        delete(json!({"propagationPolicy": "Nuke"})).await.expect(422);
        delete(json!({"kind": "ConfigMap"})).await.expect(400);
        let uid = &created.json["metadata"]["uid"];
        delete(json!({"preconditions": {"uid": uid}})).await.expect(200);
    });
}

#[test]
fn a_collection_is_deleted_by_selector() {
    test(|api| async move {
        for (name, app) in [("a", "x"), ("b", "y"), ("c", "x")] {
            let mut object = config_map(name, json!({}));
            object["metadata"]["labels"] = json!({"app": app});
            api.post(CONFIG_MAPS, &object).await.expect(201);
        }
        let deleted = api.delete(&format!("{CONFIG_MAPS}?labelSelector=app%3Dx")).await.expect(200);
        assert_eq!(deleted.names(), ["a", "c"]);
        assert_eq!(api.get(CONFIG_MAPS).await.names(), ["b"]);
        api.delete("/api/v1/namespaces").await.expect(405);
    });
}

#[test]
fn who_asks_for_a_cascade_by_the_older_option_is_told_that_something_waits() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &held("a")).await.expect(201);
        api.post(WIDGETS, &widget("b", json!({}))).await.expect(201);
        let delete = async |name: &str| {
            api.delete(&format!("{WIDGETS}/{name}?orphanDependents=false")).await.code
        };
        assert_eq!((delete("a").await, delete("a").await, delete("b").await), (202, 202, 200));
    });
}

#[test]
fn an_event_waits_for_no_dependents() {
    test(|api| async move {
        let events = "/api/v1/namespaces/default/events";
        let event = json!({"metadata": {"name": "a"}, "involvedObject": {"namespace": "default"}});
        api.post(events, &event).await.expect(201);
        let gone = api.delete(&format!("{events}/a?propagationPolicy=Foreground")).await;
        assert_eq!(gone.expect(200).json["status"], "Success");
        api.get(&format!("{events}/a")).await.expect(404);
    });
}
