use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{object, widget, writer};
use crate::{FieldSet, Writer};

/// Any JSON, mostly with names that the kind knows.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0..4i64).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::String),
    ];
    let name = prop_oneof![
        Just("name"),
        Just("value"),
        Just("color"),
        Just("count"),
        Just("tags"),
        Just("items"),
        Just("ports"),
        Just("port"),
        Just("atom"),
        Just("atomMap"),
        Just("sub"),
        Just("x"),
        Just("labels"),
        Just("free"),
        Just("."),
        Just("f:x"),
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(name.clone(), inner, 0..5).prop_map(|members| {
                let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::Object(members.collect::<Map<String, Value>>())
            }),
        ]
    })
}

/// A spec that fits the kind.
fn specs() -> impl Strategy<Value = Value> {
    let texts = || prop::option::of("[a-c]");
    let names = || prop::collection::btree_map("[a-d]", texts(), 0..4);
    let tags = || prop::collection::btree_set("[a-d]", 0..4);
    (texts(), prop::option::of(0..3i64), names(), tags(), names(), names()).prop_map(
        |(color, count, items, tags, labels, sub)| {
            let items: Vec<Value> = items
                .into_iter()
                .map(|(name, value)| match value {
                    Some(value) => json!({"name": name, "value": value}),
                    None => json!({"name": name}),
                })
                .collect();
            let labels: Map<String, Value> =
                labels.into_iter().filter_map(|(key, value)| Some((key, json!(value?)))).collect();
            let mut spec = json!({"items": items, "tags": tags, "free": sub, "labels": labels});
            // An empty list that nobody owns may come and go.
            spec.as_object_mut().unwrap().retain(|_, value| {
                value.as_array().is_none_or(|list| !list.is_empty()) && value != &json!({})
            });
            if let Some(color) = color {
                spec["color"] = json!(color);
            }
            if let Some(count) = count {
                spec["count"] = json!(count);
            }
            spec
        },
    )
}

fn sets(object: &Value) -> Vec<FieldSet> {
    let entries = object["metadata"]["managedFields"].as_array();
    let entries = entries.into_iter().flatten();
    entries.map(|entry| FieldSet::decode(&entry["fieldsV1"]).unwrap()).collect()
}

proptest! {
    #[test]
    fn an_apply_repeated_changes_nothing(first in specs(), second in specs(), third in specs()) {
        let kind = widget();
        let apply = |live: Option<&Value>, manager: &str, at, spec: &Value| {
            kind.apply(live, &object(spec.clone()), &writer(manager, at), true).unwrap()
        };
        let live = apply(None, "m1", 0, &first);
        let live = apply(Some(&live), "m2", 1, &second);
        let live = apply(Some(&live), "m1", 2, &third);
        let again = apply(Some(&live), "m1", 3, &third);
        prop_assert_eq!(&again["spec"], &live["spec"]);
        prop_assert_eq!(again, live);
    }

    #[test]
    fn every_changed_field_has_one_owner_and_it_is_the_writer(old in specs(), new in specs()) {
        let kind = widget();
        let mut live = object(old);
        kind.create(&mut live, &writer("m0", 0));
        let mut changed = live.clone();
        changed["spec"] = new;
        kind.update(&live, &mut changed, &writer("m1", 1));
        let sets = sets(&changed);
        for (index, set) in sets.iter().enumerate() {
            for other in sets.iter().skip(index + 1) {
                prop_assert!(set.intersection(other).is_empty(), "{set:?} {other:?}");
            }
        }
        // Together they own what a creator of the same object owns.
        let mut fresh = object(changed["spec"].clone());
        kind.create(&mut fresh, &writer("m0", 0));
        let mut all = FieldSet::default();
        for set in sets {
            all.union(set);
        }
        let created = FieldSet::decode(&fresh["metadata"]["managedFields"][0]["fieldsV1"]).unwrap();
        prop_assert_eq!(all, created);
    }

    #[test]
    fn what_was_applied_is_there_and_owned(live in specs(), wanted in specs()) {
        let kind = widget();
        let mut stored = object(live);
        kind.create(&mut stored, &writer("m0", 0));
        let body = object(wanted);
        let merged = kind.apply(Some(&stored), &body, &writer("m1", 1), true).unwrap();
        prop_assert!(kind.apply(Some(&merged), &body, &writer("m2", 2), false).is_ok());
        for (name, value) in body["spec"].as_object().unwrap().iter().filter(|(_, v)| !v.is_array()) {
            if !value.is_object() {
                prop_assert_eq!(&merged["spec"][name], value);
            }
        }
    }

    #[test]
    fn nothing_makes_it_panic(live in anything(), new in anything(), entries in anything(), force: bool) {
        let kind = widget();
        let mut stored = json!({"metadata": {"managedFields": entries}, "spec": live});
        let body = json!({"metadata": {}, "spec": new});
        let _ = kind.apply(Some(&stored), &body, &writer("m", 0), force);
        let mut next = body.clone();
        kind.create(&mut stored, &writer("m", 0));
        kind.update(&stored, &mut next, &Writer { subresource: "status", ..writer("n", 1) });
        let _ = kind.apply(Some(&next), &stored, &writer("m", 0), force);
        let _ = kind.apply(Some(&next), &body, &writer("m", 0), force);
    }
}
