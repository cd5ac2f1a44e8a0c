use emb_meta::Status;
use serde_json::{Value, json};

use super::{applied, apply, created, object, owner, owners, second, widget, writer};

#[test]
fn a_first_apply_creates_and_claims_leaves_and_items() {
    let new = apply(
        None,
        "m1",
        1,
        json!({
            "color": "red", "sub": {"x": "1"}, "items": [{"name": "i"}], "tags": ["a"], "labels": {"l": "1"},
            "free": {"a": {"b": 1}}, "atom": ["z"],
        }),
    );
    assert_eq!(new["spec"]["color"], "red");
    assert_eq!(
        owners(&new),
        [owner(
            "m1 A",
            json!({
                "f:color": {}, "f:sub": {"f:x": {}}, "f:atom": {}, "f:tags": {"v:\"a\"": {}},
                "f:items": {"k:{\"name\":\"i\"}": {".": {}, "f:name": {}}}, "f:labels": {"f:l": {}},
                "f:free": {"f:a": {".": {}, "f:b": {}}},
            })
        )]
    );
}

#[test]
fn who_joins_the_owners_of_what_is_there_has_no_time() {
    let live = apply(None, "m1", 1, json!({"color": "red"}));
    let shared = apply(Some(&live), "m2", 2, json!({"color": "red"}));
    let entries = shared["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!((&entries[0]["manager"], entries[0].get("time")), (&json!("m2"), None));
    assert_eq!(second(&apply(Some(&shared), "m2", 3, json!({"count": 1})), "m2"), 3);
}

#[test]
fn the_same_again_changes_nothing_and_another_value_moves_the_time() {
    let live = apply(None, "m1", 1, json!({"color": "red"}));
    assert_eq!(apply(Some(&live), "m1", 5, json!({"color": "red"})), live);
    let changed = apply(Some(&live), "m1", 5, json!({"color": "blue"}));
    assert_eq!((changed["spec"]["color"].as_str(), second(&changed, "m1")), (Some("blue"), 5));
}

#[test]
fn a_part_that_was_never_there_stays_with_its_owner_when_another_empties_the_whole() {
    let mut live = apply(None, "m1", 1, json!({"sub": {"x": null}}));
    live["spec"] = json!({"sub": {}});
    let new = apply(Some(&live), "m2", 2, json!({"sub": null}));
    assert_eq!(
        owners(&new),
        [owner("m1 A", json!({"f:sub": {"f:x": {}}})), owner("m2 A", json!({"f:sub": {}}))]
    );
}

#[test]
fn what_the_only_owner_drops_goes_and_what_others_own_stays() {
    let live = apply(None, "m1", 1, json!({"color": "red", "count": 1, "sub": {"x": "1"}}));
    let live = apply(Some(&live), "m2", 2, json!({"color": "red"}));
    let new = apply(Some(&live), "m1", 3, json!({"count": 1}));
    assert_eq!(new["spec"], json!({"color": "red", "count": 1}));
    assert_eq!(
        owners(&new),
        [owner("m2 A", json!({"f:color": {}})), owner("m1 A", json!({"f:count": {}}))]
    );
    let gone = apply(Some(&apply(Some(&new), "m2", 4, json!({}))), "m1", 5, json!({}));
    assert_eq!(gone["metadata"]["managedFields"][0]["fieldsV1"], json!({"f:spec": {}}));
    assert_eq!(gone["spec"], json!({}));
}

#[test]
fn metadata_loses_what_was_applied_and_stays() {
    let mut body = object(json!({}));
    body["metadata"]["labels"] = json!({"a": "1"});
    let live = widget().apply(None, &body, &writer("m1", 1), false).unwrap();
    let new = apply(Some(&live), "m1", 2, json!({}));
    assert_eq!((&new["metadata"]["name"], new["metadata"].get("labels")), (&json!("a"), None));
}

#[test]
fn unowned_content_below_goes_with_a_dropped_item_and_stays_in_a_dropped_object() {
    let live = apply(None, "m1", 1, json!({"items": [{"name": "a"}], "sub": {"x": "1"}}));
    let mut live = live;
    // Nobody owns a default or what an admission webhook adds.
    live["spec"]["items"][0]["value"] = json!("default");
    live["spec"]["sub"]["y"] = json!("default");
    let new = apply(Some(&live), "m1", 2, json!({"color": "red"}));
    assert_eq!(new["spec"], json!({"color": "red"}));
}

fn refusal(result: Result<Value, crate::ApplyError>) -> Value {
    Status::from(result.unwrap_err()).to_value()
}

#[test]
fn one_conflict_is_told_in_one_line() {
    let live = apply(None, "m1", 1, json!({"color": "red"}));
    let refused = refusal(applied(Some(&live), "m2", 2, json!({"color": "blue"})));
    assert_eq!(
        refused,
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "code": 409, "reason": "Conflict",
            "message": "Apply failed with 1 conflict: conflict with \"m1\": .spec.color",
            "details": {"causes": [{
                "reason": "FieldManagerConflict", "message": "conflict with \"m1\"", "field": ".spec.color",
            }]},
        })
    );
}

#[test]
fn several_conflicts_are_told_owner_by_owner() {
    let live = apply(
        None,
        "m1",
        1,
        json!({
            "color": "red", "atom": ["a"], "items": [{"name": "a", "value": "1"}]
        }),
    );
    let mut new = live.clone();
    new["spec"]["count"] = json!(1);
    widget().update(&live, &mut new, &writer("u", 2));
    let wanted = json!({
        "color": "blue", "atom": ["b"], "items": [{"name": "a", "value": "2"}], "count": 2
    });
    let refused = refusal(applied(Some(&new), "m2", 3, wanted.clone()));
    assert_eq!(
        refused["message"],
        "Apply failed with 4 conflicts: conflicts with \"m1\":\n- .spec.atom\n- .spec.color\n\
         - .spec.items[name=\"a\"].value\nconflicts with \"u\" using g/v1:\n- .spec.count"
    );
    assert_eq!(refused["details"]["causes"].as_array().unwrap().len(), 4);
    let forced =
        widget().apply(Some(&new), &object(wanted.clone()), &writer("m2", 3), true).unwrap();
    assert_eq!(forced["spec"], wanted);
    assert_eq!(
        owners(&forced),
        [
            owner("m1 A", json!({"f:items": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}}}})),
            owner(
                "m2 A",
                json!({
                    "f:color": {}, "f:count": {}, "f:atom": {},
                    "f:items": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}, "f:value": {}}},
                })
            ),
        ]
    );
}

#[test]
fn what_nobody_is_on_record_for_belongs_to_the_time_before_the_first_apply() {
    let mut live = object(json!({"color": "red", "count": 1}));
    live["status"] = json!({"phase": "x"});
    let refused = refusal(applied(Some(&live), "m1", 2, json!({"color": "blue"})));
    assert_eq!(
        refused["message"],
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using g/v1: .spec.color"
    );
    let shared = apply(Some(&live), "m1", 2, json!({"color": "red"}));
    assert_eq!(
        owners(&shared),
        [
            owner("m1 A", json!({"f:color": {}})),
            owner("before-first-apply U", json!({".": {}, "f:color": {}, "f:count": {}})),
        ]
    );
}

#[test]
fn status_at_the_main_endpoint_is_neither_owned_nor_fought_about() {
    let mut live = created(json!({"color": "red"}));
    live["status"] = json!({"phase": "A"});
    let status =
        crate::Writer { subresource: "status", ignored: &["metadata", "spec"], ..writer("c", 1) };
    let mut with_owner = live.clone();
    with_owner["status"]["phase"] = json!("B");
    widget().update(&live, &mut with_owner, &status);
    let mut body = object(json!({"count": 1}));
    body["status"] = json!({"phase": "C"});
    let new = widget().apply(Some(&with_owner), &body, &writer("m1", 2), false).unwrap();
    assert_eq!(new["metadata"]["managedFields"][0]["fieldsV1"], json!({"f:spec": {"f:count": {}}}));
    let at_status = widget().apply(Some(&with_owner), &body, &status, false).unwrap_err();
    assert_eq!(
        at_status.to_string(),
        "Apply failed with 1 conflict: conflict with \"c\" with subresource \"status\" using g/v1: .status.phase"
    );
}

#[test]
fn a_body_with_entries_or_without_sense_is_refused() {
    let mut body = object(json!({}));
    body["metadata"]["managedFields"] = json!([]);
    let refused = refusal(widget().apply(None, &body, &writer("m", 0), false));
    assert_eq!(
        (&refused["code"], &refused["message"]),
        (&json!(400), &json!("metadata.managedFields must be nil"))
    );
    for (spec, problem) in [
        (json!({"bogus": 1}), ".spec.bogus: field not declared in schema"),
        (json!({"sub": {"z": 1}}), ".spec.sub.z: field not declared in schema"),
        (json!({"count": "x"}), ".spec.count: expected numeric (int or float), got string"),
        (json!({"sub": "x"}), ".spec.sub: expected map, got &{x}"),
        (json!({"tags": 5}), ".spec.tags: expected list, got &{5}"),
        (
            json!({"items": [{"name": "a"}, {"name": "a"}]}),
            ".spec.items: duplicate entries for key [name=\"a\"]",
        ),
        (json!({"tags": ["a", "a"]}), ".spec.tags: duplicate entries for key [=\"a\"]"),
        (
            json!({"items": [{"value": "a"}]}),
            ".spec.items: element 0: associative list with keys has an element that omits all key fields \
             [\"name\"] (and doesn't have default values for any key fields)",
        ),
        (
            json!({"items": ["a"]}),
            ".spec.items: element 0: associative list with keys may not have non-map elements",
        ),
    ] {
        let refused = refusal(applied(None, "m", 0, spec));
        let start = "failed to create typed patch object (n/a; g/v1, Kind=Widget): ";
        assert_eq!(refused["message"], format!("{start}{problem}"));
        assert_eq!(refused["code"], 400);
    }
}

#[test]
fn several_problems_are_listed_and_their_number_is_bounded() {
    let two = applied(None, "m", 0, json!({"bogus": 1, "count": "x"})).unwrap_err().to_string();
    assert!(two.ends_with(
        "errors:\n  .spec.bogus: field not declared in schema\n  .spec.count: expected numeric (int or float), got string"
    ), "{two}");
    let many: Vec<Value> = (0..1000).map(|number| json!({"x": "é".repeat(number)})).collect();
    let told = applied(None, "m", 0, json!({"tags": ["a"], "atom": many})).unwrap_err().to_string();
    assert!(told.len() < 20_000, "{}", told.len());
}

#[test]
fn ownership_of_parts_becomes_ownership_of_the_whole_when_a_schema_makes_it_one_value() {
    let mut live = apply(None, "m1", 1, json!({"atomMap": {"a": "1"}}));
    live["metadata"]["managedFields"][0]["fieldsV1"] =
        json!({"f:spec": {"f:atomMap": {"f:a": {}}}});
    let refused = applied(Some(&live), "m2", 2, json!({"atomMap": {"a": "2"}})).unwrap_err();
    assert!(refused.to_string().ends_with("conflict with \"m1\": .spec.atomMap"), "{refused}");
}

#[test]
fn an_applier_stays_the_same_in_another_version() {
    let live = apply(None, "m1", 1, json!({"color": "red"}));
    let next = crate::Writer { api_version: "g/v2", ..writer("m1", 2) };
    let new = widget().apply(Some(&live), &object(json!({"count": 1})), &next, false).unwrap();
    assert_eq!(owners(&new), [owner("m1 A", json!({"f:count": {}}))]);
    assert_eq!(new["metadata"]["managedFields"][0]["apiVersion"], "g/v2");
    assert_eq!(new["spec"], json!({"count": 1}));
}

#[test]
fn kubectl_does_not_conflict_with_what_it_applied_on_the_client() {
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    let mut live = object(json!({"color": "red", "count": 1}));
    live["metadata"]["annotations"] = json!({annotation: live.to_string()});
    widget().create(&mut live, &writer("kubectl-client-side-apply", 0));
    let mine = apply(Some(&live), "kubectl", 1, json!({"color": "blue", "count": 1}));
    assert_eq!(mine["spec"]["color"], "blue");
    let noted: Value =
        serde_json::from_str(mine["metadata"]["annotations"][annotation].as_str().unwrap())
            .unwrap();
    assert_eq!(noted, object(json!({"color": "blue", "count": 1})));
    assert!(applied(Some(&live), "other", 1, json!({"color": "blue"})).is_err());
    // What somebody else has changed since is not its own any more.
    let mut changed = live.clone();
    changed["spec"]["count"] = json!(7);
    widget().update(&live, &mut changed, &writer("u", 2));
    let refused = applied(Some(&changed), "kubectl", 3, json!({"color": "blue", "count": 2}));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "Apply failed with 1 conflict: conflict with \"u\" using g/v1: .spec.count"
    );
}
