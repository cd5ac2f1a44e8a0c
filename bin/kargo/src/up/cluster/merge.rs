//! What an object must become so that it has all of ours and loses nothing of a user's.
//!
//! Fields that we do not set stay as they are. The rules of roles and the subjects of bindings are lists that others add
//! to: what we once put there is remembered in an annotation, so that an entry which we no longer want goes, and one which
//! a user added stays.

use serde_json::{Map, Value, json};

/// Lists that are merged entry by entry.
const SHARED_LISTS: [&str; 2] = ["rules", "subjects"];
/// What we last put into shared lists.
const APPLIED: &str = "kargo.akuity.io/applied";

/// The state that `live` must reach to be what `ours` says; `None`: there is no such object yet.
pub(super) fn desired(ours: &Value, live: Option<&Value>) -> Value {
    let mut desired = ours.clone();
    for list in SHARED_LISTS {
        let Some(wanted) = ours.get(list).and_then(Value::as_array) else { continue };
        let mut merged = wanted.clone();
        merged.extend(live.map(|live| additions(live, list, wanted)).unwrap_or_default());
        let applied = json!({ list: wanted }).to_string();
        set(&mut desired, &[list], merged.into());
        set(&mut desired, &["metadata", "annotations", APPLIED], applied.into());
    }
    desired
}

/// Whether `live` is as `desired` says. What `desired` does not speak of may be anything.
pub(super) fn covers(live: &Value, desired: &Value) -> bool {
    match (live, desired) {
        (Value::Object(live), Value::Object(desired)) => desired
            .iter()
            .all(|(key, desired)| covers(live.get(key).unwrap_or(&Value::Null), desired)),
        (Value::Array(live), Value::Array(desired)) => {
            live.len() == desired.len()
                && live.iter().zip(desired).all(|(live, desired)| covers(live, desired))
        }
        // An API server leaves empty things out.
        (Value::Null, Value::Object(desired)) => {
            desired.values().all(|one| covers(&Value::Null, one))
        }
        (Value::Null, Value::Array(desired)) => desired.is_empty(),
        (live, desired) => live == desired,
    }
}

/// The entries of a list that a user added.
fn additions(live: &Value, list: &str, wanted: &[Value]) -> Vec<Value> {
    let annotation =
        live.pointer("/metadata/annotations").and_then(|all| all.get(APPLIED)?.as_str());
    let applied: Value =
        annotation.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let ours = |entry: &Value| {
        let before = applied.get(list).and_then(Value::as_array);
        wanted.contains(entry) || before.is_some_and(|before| before.contains(entry))
    };
    let entries = live.get(list).and_then(Value::as_array).into_iter().flatten();
    entries.filter(|entry| !ours(entry)).cloned().collect()
}

/// Sets a field and makes the objects on the way to it.
fn set(object: &mut Value, path: &[&str], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *object = value;
        return;
    };
    if !object.is_object() {
        *object = Map::new().into();
    }
    if let Value::Object(map) = object {
        set(map.entry(*first).or_insert(Value::Null), rest, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(rules: &[&str]) -> Value {
        json!({"kind": "Role", "metadata": {"name": "r"}, "rules": rules})
    }

    fn rules(object: &Value) -> Vec<&str> {
        object["rules"].as_array().unwrap().iter().filter_map(Value::as_str).collect()
    }

    #[test]
    fn a_users_entries_stay_and_our_own_old_ones_go() {
        let mut live = desired(&role(&["read", "write"]), None);
        live["rules"].as_array_mut().unwrap().push("theirs".into());
        let upgraded = desired(&role(&["read", "list"]), Some(&live));
        assert_eq!(rules(&upgraded), ["read", "list", "theirs"]);
        let again = desired(&role(&["read", "list"]), Some(&upgraded));
        assert_eq!(again, upgraded);
    }

    #[test]
    fn entries_of_an_object_that_we_did_not_make_count_as_a_users() {
        let upgraded = desired(&role(&["read"]), Some(&role(&["other", "read"])));
        assert_eq!(rules(&upgraded), ["read", "other"]);
    }

    #[test]
    fn what_the_server_or_a_user_adds_is_no_difference() {
        let ours = json!({"metadata": {"name": "a", "labels": {}}, "list": [{"a": 1}], "none": []});
        let live = json!({"metadata": {"name": "a", "uid": "u"}, "list": [{"a": 1, "b": 2}]});
        assert!(covers(&live, &ours));
        assert!(!covers(&live, &json!({"list": [{"a": 2}]})));
        assert!(!covers(&live, &json!({"list": [{"a": 1}, {"a": 1}]})));
        assert!(!covers(&live, &json!({"metadata": {"labels": {"x": "y"}}})));
    }
}
