use serde_json::{Value, json};

use super::writer;
use crate::ObjectType;

fn fields_of_created(kind: &ObjectType, mut new: Value) -> Value {
    let plain = crate::Writer { ignored: &[], ..writer("m", 0) };
    kind.create(&mut new, &plain);
    new["metadata"]["managedFields"][0]["fieldsV1"].clone()
}

#[test]
fn what_a_built_in_kind_always_has_is_not_owned_as_such() {
    let schema = json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
        "spec": {"type": "object", "properties": {"a": {"type": "string"}, "l": {
            "type": "array", "items": {"type": "string"},
        }}},
    }});
    let kind = ObjectType::of_builtin(&schema, json!({"spec": {"l": null}}));
    let new = json!({"metadata": {"name": "a"}, "spec": {"a": "1", "l": null}});
    assert_eq!(fields_of_created(&kind, new), json!({"f:spec": {"f:a": {}}}));
}

#[test]
fn the_metadata_of_custom_resources_has_types_of_its_own() {
    let kind = ObjectType::of_custom(&json!({"type": "object"}));
    let new = json!({"metadata": {
        "finalizers": ["f"], "labels": {"a": "1"},
        "ownerReferences": [{"uid": "u", "name": "o", "kind": "K", "apiVersion": "v1"}],
    }});
    assert_eq!(
        fields_of_created(&kind, new),
        json!({"f:metadata": {
            "f:finalizers": {".": {}, "v:\"f\"": {}}, "f:labels": {".": {}, "f:a": {}},
            "f:ownerReferences": {".": {}, "k:{\"uid\":\"u\"}": {}},
        }})
    );
}

#[test]
fn without_a_schema_objects_are_owned_by_members_and_lists_as_one() {
    let kind = ObjectType::of_custom(&json!({
        "type": "object", "x-kubernetes-preserve-unknown-fields": true
    }));
    let new = json!({"metadata": {}, "spec": {"a": {"b": [{"name": "x"}]}, "e": {}}, "top": "t"});
    assert_eq!(
        fields_of_created(&kind, new),
        json!({"f:spec": {".": {}, "f:a": {".": {}, "f:b": {}}, "f:e": {}}, "f:top": {}})
    );
}

#[test]
fn embedded_objects_have_metadata_of_their_own() {
    let kind = ObjectType::of_custom(&json!({"type": "object", "properties": {"inner": {
        "type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
    }}}));
    let applied = json!({"metadata": {}, "inner": {
        "apiVersion": "v1", "kind": "K", "metadata": {"name": "n", "finalizers": ["f"]}, "data": {"k": "v"},
    }});
    let new = kind.apply(None, &applied, &writer("m", 0), false).unwrap();
    assert_eq!(
        new["metadata"]["managedFields"][0]["fieldsV1"],
        json!({"f:inner": {
            "f:apiVersion": {}, "f:kind": {}, "f:data": {".": {}, "f:k": {}},
            "f:metadata": {"f:name": {}, "f:finalizers": {"v:\"f\"": {}}},
        }})
    );
}

#[test]
fn unknown_members_are_kept_below_a_place_that_keeps_them() {
    let kind = ObjectType::of_custom(&json!({"type": "object", "properties": {
        "kept": {
            "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"known": {"type": "object", "properties": {"a": {"type": "string"}}}},
        },
        "closed": {"type": "object", "additionalProperties": false},
    }}));
    let apply = |applied: Value| kind.apply(None, &applied, &writer("m", 0), false);
    assert!(apply(json!({"kept": {"known": {"b": 1}, "c": 2}})).is_ok());
    assert!(apply(json!({"closed": {"b": 1}})).is_err());
    assert!(apply(json!({"other": {}})).is_err());
}

#[test]
fn a_schema_as_deep_as_they_may_be_is_walked() {
    let schema = (0..500).fold(
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        |inner, _| json!({"type": "object", "properties": {"a": inner}}),
    );
    let deep = |leaf: i32| (0..505).fold(json!(leaf), |inner, _| json!({"a": inner}));
    let kind = ObjectType::of_custom(&schema);
    let live = kind.apply(None, &deep(1), &writer("m", 0), false).unwrap();
    let mut new = live.clone();
    *(0..505).fold(&mut new, |at, _| &mut at["a"]) = json!(2);
    kind.update(&live, &mut new, &writer("u", 1));
    assert_eq!(new["metadata"]["managedFields"][1]["manager"], "u");
    // The levels that no schema names stay with who made them; the value is taken back.
    let next = kind.apply(Some(&new), &deep(3), &writer("m", 2), true).unwrap();
    assert_eq!(next["metadata"]["managedFields"].as_array().unwrap().len(), 1);
}
