//! What a doctor is told.

use std::time::Duration;

use core_clock::Clock;
use serde_json::json;

use crate::{
    custom::{DEFINITIONS, WIDGETS, definition, install, widget},
    world::{CONFIG_MAPS, config_map, test},
};

const ENGINE: &str = "/debug/engine";

#[test]
fn the_engine_tells_its_figures_and_how_far_watchers_are_behind() {
    test(|api| async move {
        let _watch = api.watch(&format!("{CONFIG_MAPS}?watch=true")).await;
        api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201);
        let told = api.get(ENGINE).await.expect(200).json;
        assert_eq!(told["revision"], api.store.revision());
        assert_eq!((&told["writable"], &told["problem"]), (&json!(true), &json!("")));
        let resources = told["resources"].as_array().unwrap();
        let maps = resources.iter().find(|figures| figures["resource"] == "configmaps").unwrap();
        assert_eq!((&maps["objects"], &maps["watchers"]), (&json!(1), &json!(1)));
        assert_eq!(maps["mostBehind"], 1);
        assert!(maps["historyFloor"].is_u64());
        assert!(resources.iter().all(|figures| figures["resource"] != "secrets"));
        api.as_user("u", &["system:authenticated"]).get(ENGINE).await.expect(403);
    });
}

#[test]
fn the_embedding_program_is_asked_what_it_adds() {
    test(|api| async move {
        let clock = api.clock.clone();
        api.server.report_also("hour", move || json!(clock.now().to_rfc3339_seconds()));
        assert_eq!(api.get(ENGINE).await.expect(200).json["hour"], "2026-01-01T00:00:00Z");
        api.clock.advance(Duration::from_hours(1));
        assert_eq!(api.get(ENGINE).await.expect(200).json["hour"], "2026-01-01T01:00:00Z");
    });
}

#[test]
fn objects_that_nobody_lets_go_are_named_after_a_while() {
    test(|api| async move {
        let mut held = config_map("held", json!({}));
        held["metadata"]["finalizers"] = json!(["x.y/z"]);
        api.post(CONFIG_MAPS, &held).await.expect(201);
        api.delete(&format!("{CONFIG_MAPS}/held")).await.expect(200);
        let fresh = api.get(ENGINE).await.expect(200).json;
        assert_eq!(fresh["heldObjects"], json!({"count": 0, "first": []}));
        api.settle(Duration::from_mins(6)).await;
        let told = api.get(ENGINE).await.expect(200).json;
        let one = json!({"resource": "configmaps", "namespace": "default", "name": "held",
            "since": "2026-01-01T00:00:00Z", "finalizers": ["x.y/z"]});
        assert_eq!(told["heldObjects"], json!({"count": 1, "first": [one]}));
    });
}

#[test]
fn definitions_that_are_not_served_are_named_with_the_reason() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        let mut second = definition();
        second["metadata"]["name"] = json!("gizmos.probe.example.com");
        second["spec"]["names"] = json!({"plural": "gizmos", "kind": "Widget"});
        api.post(DEFINITIONS, &second).await.expect(201);
        let told = api.get(ENGINE).await.expect(200).json;
        let refused = told["definitionsNotEstablished"].as_array().unwrap();
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0]["name"], "gizmos.probe.example.com");
        assert!(refused[0]["reason"].as_str().unwrap().ends_with("Conflict"), "{told}");
    });
}
