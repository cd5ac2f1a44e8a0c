use serde_json::{Value, json};

use super::*;

fn decode(subscriptions: &Value) -> Result<WarehouseSpec, String> {
    serde_json::from_value(json!({ "interval": "5m", "subscriptions": subscriptions }))
        .map_err(|error| error.to_string())
}

fn round_trip(subscription: &Value) -> Value {
    let spec = decode(&json!([subscription])).unwrap();
    json!(spec)["subscriptions"][0].clone()
}

#[test]
fn built_in_types_survive_a_round_trip() {
    for subscription in [
        json!({ "git": {
            "repoURL": "https://example.com/r", "strictSemvers": false, "blobless": false,
            "since": "2026-01-02T03:04:05Z", "includePaths": ["glob:a/**"],
        } }),
        json!({ "name": "ui", "image": { "repoURL": "ghcr.io/a/b", "cacheByTag": true } }),
        json!({ "chart": { "repoURL": "oci://x/y", "insecureSkipTLSVerify": true } }),
    ] {
        assert_eq!(round_trip(&subscription), subscription);
    }
}

#[test]
fn unknown_members_of_built_in_types_are_dropped() {
    assert_eq!(
        round_trip(&json!({ "image": { "repoURL": "a", "name": "x", "color": "red" } })),
        json!({ "image": { "repoURL": "a" } })
    );
}

#[test]
fn other_types_repeat_their_name_inside() {
    assert_eq!(
        round_trip(&json!({
            "name": "bucket",
            "s3": { "subscriptionType": "lie", "name": "x", "config": { "b": [1] }, "discoveryLimit": 5 },
        })),
        json!({
            "name": "bucket",
            "s3": { "subscriptionType": "s3", "config": { "b": [1] }, "discoveryLimit": 5 },
        })
    );
}

#[test]
fn a_subscription_has_exactly_one_type() {
    for (subscription, count) in [
        (json!({}), 0),
        (json!({ "name": "x" }), 0),
        (json!({ "git": {}, "image": {} }), 2),
        (json!({ "git": {}, "s3": {}, "chart": {}, "name": "x" }), 3),
    ] {
        let error = decode(&json!([{ "git": {} }, subscription])).unwrap_err();
        assert_eq!(
            error,
            format!(
                "subscription at index 1 must have exactly one top-level field naming its type, \
                 apart from an optional \"name\" field, but has {count}"
            )
        );
    }
}

#[test]
fn what_is_not_an_object_is_refused() {
    for subscription in [json!(1), json!("git"), json!([]), json!(null)] {
        let error = decode(&json!([subscription])).unwrap_err();
        assert_eq!(error, "subscription at index 0 must be an object");
    }
}

#[test]
fn a_member_of_the_wrong_type_is_named_with_its_subscription() {
    let error = decode(&json!([{ "git": { "discoveryLimit": "many" } }])).unwrap_err();
    assert!(error.starts_with("subscription at index 0 has an invalid \"git\" field: "), "{error}");
}

#[test]
fn interval_is_written_even_when_zero() {
    assert_eq!(json!(WarehouseSpec::default()), json!({ "interval": "0s", "subscriptions": [] }));
}
