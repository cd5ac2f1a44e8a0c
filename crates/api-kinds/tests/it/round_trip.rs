//! What is read is what is written.

use api_kinds::{
    ClusterConfig, Freight, Kind, Project, Promotion, PromotionRequest, Stage, Target,
    promotion::PromotionPhase, stage::FreightAvailabilityStrategy,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn survives<T: Serialize + DeserializeOwned>(value: &Value) {
    assert_eq!(serde_json::to_value(read::<T>(value)).unwrap(), *value);
}

#[test]
fn empty_objects_say_what_they_are_and_hold_only_what_is_required() {
    for (object, expected) in [
        (json!(Project::named("p")), json!({})),
        (json!(Target::named("p")), json!({})),
        (json!(ClusterConfig::named("p")), json!({})),
        (json!(Freight::named("p")), json!({ "origin": { "kind": "", "name": "" } })),
        (json!(Promotion::named("p")), json!({ "spec": { "stage": "", "steps": [] } })),
        (
            json!(PromotionRequest::named("p")),
            json!({ "spec": { "stage": "", "freight": "", "targets": [] } }),
        ),
        (json!(Stage::named("p")), json!({ "spec": { "requestedFreight": [] } })),
    ] {
        let mut body = object.as_object().unwrap().clone();
        assert_eq!(body.remove("apiVersion"), Some(json!("kargo.akuity.io/v1alpha1")));
        assert!(body.remove("kind").is_some());
        assert_eq!(body.remove("metadata"), Some(json!({ "name": "p" })));
        assert_eq!(Value::Object(body), expected);
    }
}

#[test]
fn freight_keeps_its_data_beside_its_metadata() {
    survives::<Freight>(&json!({
        "apiVersion": "kargo.akuity.io/v1alpha1",
        "kind": "Freight",
        "metadata": { "name": "f", "namespace": "p" },
        "alias": "lively-otter",
        "discoveredAt": "2026-01-02T03:04:05Z",
        "origin": { "kind": "Warehouse", "name": "w" },
        "commits": [{ "repoURL": "https://example.com/r", "id": "abc" }],
        "artifacts": [{ "subscriptionName": "s", "version": "1", "metadata": { "b": 1, "a": [null] } }],
        "status": {
            "currentlyIn": { "dev": { "since": "2026-01-02T03:04:05Z" } },
            "verifiedIn": { "dev": { "longestSoak": "1h0m0s" }, "qa": {} },
            "metadata": { "n": null, "x": { "deep": true } },
        },
    }));
}

#[test]
fn sub_seconds_are_lost_on_write() {
    let freight: Freight = read(&json!({ "discoveredAt": "2026-01-02T04:04:05.987+01:00" }));
    assert_eq!(json!(freight)["discoveredAt"], json!("2026-01-02T03:04:05Z"));
}

#[test]
fn an_object_that_breaks_its_schema_still_decodes() {
    let promotion: Promotion =
        read(&json!({ "metadata": { "generateName": "promo-" }, "spec": { "stage": "s" } }));
    assert!(promotion.spec.steps.is_empty());
    let stage: Stage = read(&json!({ "spec": { "requestedFreight": [{
        "origin": { "kind": "Depot" },
        "sources": { "availabilityStrategy": "Most" },
    }] } }));
    let request = &stage.spec.requested_freight[0];
    assert_eq!(request.origin.kind.as_str(), "Depot");
    assert_eq!(
        request.sources.availability_strategy,
        FreightAvailabilityStrategy::Other("Most".to_owned())
    );
}

#[test]
fn unknown_phases_survive() {
    let promotion: Promotion = read(&json!({ "status": { "phase": "Paused", "currentStep": 2 } }));
    assert_eq!(promotion.status.phase, PromotionPhase::Other("Paused".to_owned()));
    assert!(!promotion.status.phase.is_terminal());
    assert_eq!(json!(promotion)["status"], json!({ "phase": "Paused", "currentStep": 2 }));
}

#[test]
fn explicit_zero_values_are_dropped() {
    let stage: Stage = read(&json!({
        "spec": {
            "shard": "",
            "vars": [],
            "requestedFreight": [{
                "origin": { "kind": "Warehouse", "name": "w" },
                "sources": { "direct": false, "availabilityStrategy": "", "stages": [] },
            }],
            "verification": { "args": [{ "name": "a", "value": "" }] },
            "targets": { "selectors": [{}] },
        },
        "status": { "observedGeneration": 0, "promotionWindowStatus": { "closed": false } },
    }));
    let written = json!(stage);
    assert_eq!(
        written["spec"],
        json!({
            "requestedFreight": [{ "origin": { "kind": "Warehouse", "name": "w" }, "sources": {} }],
            "verification": { "args": [{ "name": "a", "value": "" }] },
            "targets": { "selectors": [{}] },
        })
    );
    assert_eq!(written["status"], json!({ "promotionWindowStatus": { "closed": false } }));
}

#[test]
fn durations_are_written_in_canonical_form() {
    let stage: Stage = read(&json!({ "spec": { "requestedFreight": [{
        "sources": { "requiredSoakTime": "90m" },
    }] } }));
    assert_eq!(
        json!(stage)["spec"]["requestedFreight"][0]["sources"]["requiredSoakTime"],
        json!("1h30m0s")
    );
    let zero: Promotion =
        read(&json!({ "spec": { "steps": [{ "uses": "x", "retry": { "timeout": "0" } }] } }));
    assert_eq!(json!(zero)["spec"]["steps"][0]["retry"], json!({ "timeout": "0s" }));
}

#[test]
fn step_fields_named_like_keywords_keep_their_names() {
    let step = json!({
        "as": "clone", "if": "${{ always() }}", "uses": "git-clone", "config": { "repoURL": "r" },
        "continueOnError": true, "retry": { "errorThreshold": 3 }, "vars": [{ "name": "v" }],
    });
    let promotion: Promotion = read(&json!({ "spec": { "stage": "s", "steps": [step] } }));
    assert_eq!(json!(promotion)["spec"]["steps"][0], step);
}

#[test]
fn a_condition_without_generation_is_complete() {
    let conditions = json!([{
        "type": "Ready", "status": "True", "reason": "Synced", "message": "",
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }]);
    let project: Project = read(&json!({ "status": { "conditions": conditions } }));
    assert_eq!(json!(project)["status"]["conditions"], conditions);
}
