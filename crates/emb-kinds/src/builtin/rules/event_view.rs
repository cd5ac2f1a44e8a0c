//! The two views of one event record: core `v1`, which is stored, and `events.k8s.io/v1`.

use serde_json::{Map, Value, json};

/// Members that differ by name only: core, events.k8s.io.
const RENAMED: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// The stored form of an event that came through `events.k8s.io`.
pub(crate) fn to_core(mut event: Value) -> Value {
    if let Some(members) = event.as_object_mut() {
        for (core, events) in RENAMED {
            rename(members, events, core);
        }
        members.insert("apiVersion".to_owned(), json!("v1"));
        for member in ["reportingComponent", "reportingInstance"] {
            members.entry(member).or_insert_with(|| json!(""));
        }
    }
    event
}

/// A stored event as `events.k8s.io` shows it.
pub(crate) fn from_core(mut event: Value) -> Value {
    if let Some(members) = event.as_object_mut() {
        for (core, events) in RENAMED {
            rename(members, core, events);
        }
        members.insert("apiVersion".to_owned(), json!("events.k8s.io/v1"));
        for member in ["reportingController", "reportingInstance"] {
            if members.get(member) == Some(&json!("")) {
                members.remove(member);
            }
        }
    }
    event
}

fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}
