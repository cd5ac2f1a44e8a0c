use serde_json::{Value, json};

use super::{apply, created, object, owner, owners, second, widget, writer};

/// `live` with another spec, written by `manager`.
fn updated(live: &Value, manager: &str, seconds: i64, spec: Value) -> Value {
    let mut new = live.clone();
    new["spec"] = spec;
    widget().update(live, &mut new, &writer(manager, seconds));
    new
}

#[test]
fn a_creator_owns_every_level() {
    let new = created(json!({
        "color": "red", "sub": {"x": "1"}, "tags": ["a"], "items": [{"name": "i", "value": "1"}],
        "atom": ["a"], "atomMap": {"k": "v"}, "labels": {"l": "1"}, "free": {"a": {"b": [1]}},
        "ports": [{"port": 80}],
    }));
    assert_eq!(
        new["metadata"]["managedFields"],
        json!([{
            "manager": "m0", "operation": "Update", "apiVersion": "g/v1", "time": "1970-01-01T00:00:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {
                ".": {}, "f:color": {}, "f:sub": {".": {}, "f:x": {}}, "f:tags": {".": {}, "v:\"a\"": {}},
                "f:items": {".": {}, "k:{\"name\":\"i\"}": {".": {}, "f:name": {}, "f:value": {}}},
                "f:atom": {}, "f:atomMap": {}, "f:labels": {".": {}, "f:l": {}},
                "f:free": {".": {}, "f:a": {".": {}, "f:b": {}}},
                "f:ports": {".": {}, "k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}},
            }},
        }])
    );
}

#[test]
fn identity_and_foreign_status_belong_to_nobody() {
    let mut new = json!({
        "apiVersion": "g/v1", "kind": "Widget", "status": {"phase": "x"},
        "metadata": {"name": "a", "uid": "u", "generateName": "a-", "labels": {"l": "1"}},
    });
    widget().create(&mut new, &writer("", 0));
    let entry = &new["metadata"]["managedFields"][0];
    assert_eq!(entry["manager"], "unknown");
    assert_eq!(
        entry["fieldsV1"],
        json!({"f:metadata": {"f:generateName": {}, "f:labels": {".": {}, "f:l": {}}}})
    );
}

#[test]
fn an_object_of_which_nothing_is_tracked_has_no_entries_and_gets_none() {
    let mut live = json!({"metadata": {"name": "a"}});
    widget().create(&mut live, &writer("m", 0));
    assert_eq!(live, json!({"metadata": {"name": "a"}}));
    let new = updated(&live, "m", 1, json!({"color": "red"}));
    assert_eq!(owners(&new), []);
}

#[test]
fn who_changes_a_field_owns_it_and_who_removes_one_owns_nothing() {
    let live = created(json!({"color": "red", "count": 1, "atom": ["a"], "atomMap": {"a": "1"}}));
    let new =
        updated(&live, "m1", 1, json!({"color": "blue", "atom": ["b"], "atomMap": {"b": "1"}}));
    assert_eq!(
        owners(&new),
        [
            // Nothing is left but the spec itself.
            owner("m0 U", json!({})),
            owner("m1 U", json!({"f:color": {}, "f:atom": {}, "f:atomMap": {}})),
        ]
    );
    let removed = updated(&live, "m1", 1, json!({"color": "red"}));
    assert_eq!(owners(&removed), [owner("m0 U", json!({".": {}, "f:color": {}}))]);
    assert_eq!(second(&removed, "m0"), 0);
}

#[test]
fn a_manager_adds_to_its_entry_and_its_time_is_that_of_the_last_change() {
    let live = created(json!({"color": "red"}));
    let new = updated(&live, "m0", 5, json!({"color": "red", "count": 1}));
    assert_eq!(owners(&new), [owner("m0 U", json!({".": {}, "f:color": {}, "f:count": {}}))]);
    assert_eq!(second(&new, "m0"), 5);
    assert_eq!(updated(&new, "m1", 9, new["spec"].clone()), new);
}

#[test]
fn what_a_client_sends_as_entries_counts_only_where_it_can_be_read() {
    let live = created(json!({"color": "red"}));
    let entry = |operation: &str| {
        json!([{
            "manager": "x", "operation": operation, "apiVersion": "g/v1", "fieldsType": "FieldsV1",
            "time": "1970-01-01T01:00:07+01:00", "fieldsV1": {"f:spec": {"f:color": {}}},
        }])
    };
    for (sent, expected) in [
        (json!([{}]), vec![]),
        (json!([]), vec!["m0 U"]),
        (json!(null), vec!["m0 U"]),
        (entry("Update"), vec!["x U"]),
        (entry("Apply"), vec!["x A"]),
        (entry("Bogus"), vec!["m0 U"]),
        (json!("text"), vec!["m0 U"]),
        (json!([1]), vec!["m0 U"]),
    ] {
        let mut new = live.clone();
        new["metadata"]["managedFields"] = sent.clone();
        widget().update(&live, &mut new, &writer("m1", 1));
        let names: Vec<String> = owners(&new).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, expected, "{sent}");
        if expected == ["x U"] {
            assert_eq!(second(&new, "x"), 7);
        }
        let mut through_status = live.clone();
        through_status["metadata"]["managedFields"] = sent;
        let status = crate::Writer { subresource: "status", ..writer("m1", 1) };
        widget().update(&live, &mut through_status, &status);
        assert_eq!(through_status, live);
    }
}

#[test]
fn each_endpoint_has_an_entry_of_its_own() {
    let live = created(json!({"color": "red"}));
    let mut new = live.clone();
    new["status"] = json!({"phase": "A"});
    new["spec"] = json!({"color": "ignored"});
    let status =
        crate::Writer { subresource: "status", ignored: &["metadata", "spec"], ..writer("m0", 3) };
    widget().update(&live, &mut new, &status);
    let entries = new["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1]["subresource"], "status");
    assert_eq!(entries[1]["fieldsV1"], json!({"f:status": {".": {}, "f:phase": {}}}));
}

#[test]
fn the_oldest_of_too_many_updaters_are_thrown_together() {
    let mut live = created(json!({"labels": {"l0": "0"}}));
    for number in 1..14 {
        let mut spec = live["spec"].clone();
        spec["labels"][format!("l{number}")] = json!("1");
        live = updated(&live, &format!("m{number}"), number, spec);
    }
    let owners = owners(&live);
    assert_eq!(owners.len(), 10);
    assert_eq!(owners[0].0, "ancient-changes U");
    assert_eq!(
        owners[0].1,
        json!({".": {}, "f:labels": {
            ".": {}, "f:l0": {}, "f:l1": {}, "f:l2": {}, "f:l3": {}, "f:l4": {}
        }})
    );
    assert_eq!(second(&live, "ancient-changes"), 4);
}

#[test]
fn appliers_stand_before_updaters_and_older_entries_before_newer() {
    let live = apply(None, "z", 5, json!({"color": "red"}));
    let live = apply(Some(&live), "a", 6, json!({"count": 1}));
    let live = updated(&live, "b", 1, json!({"color": "red", "count": 1, "sub": {"x": "1"}}));
    let names: Vec<String> = owners(&live).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["z A", "a A", "b U"]);
}

#[test]
fn a_type_change_of_a_free_value_hands_over_the_old_and_the_new() {
    let live = created(json!({"free": {"a": {"b": 1}}}));
    let text = updated(&live, "m1", 1, json!({"free": "x"}));
    assert_eq!(owners(&text), [owner("m0 U", json!({})), owner("m1 U", json!({"f:free": {}}))]);
    let list = updated(&text, "m2", 2, json!({"free": {"c": {}}}));
    assert_eq!(
        owners(&list),
        [owner("m0 U", json!({})), owner("m2 U", json!({"f:free": {".": {}, "f:c": {}}}))]
    );
}

#[test]
fn an_unreadable_object_is_no_reason_to_panic() {
    for odd in [json!(null), json!([]), json!("x"), json!({"metadata": 1}), json!({"spec": []})] {
        let mut new = odd.clone();
        widget().create(&mut new, &writer("m", 0));
        let mut new = odd.clone();
        widget().update(&object(json!({})), &mut new, &writer("m", 0));
        let mut new = object(json!({}));
        widget().update(&odd, &mut new, &writer("m", 0));
        let _ = widget().apply(Some(&odd), &odd, &writer("m", 0), true);
    }
}
