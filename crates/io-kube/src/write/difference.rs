//! The smallest JSON merge patch from one value to another (RFC 7386).

use serde_json::{Map, Value};

/// The merge patch that makes `new` of `old`; `None` when they are equal. A null in an object counts as absent, because no
/// merge patch can write one.
pub fn merge_difference(old: &Value, new: &Value) -> Option<Value> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let patch = object_difference(old, new);
            (!patch.is_empty()).then_some(Value::Object(patch))
        }
        // Over anything else an object patch is merged into nothing, so nulls in it would be lost all the same.
        (old, Value::Object(new)) if !old.is_object() => {
            Some(Value::Object(object_difference(&Map::new(), new)))
        }
        (old, new) if old == new => None,
        (_, new) => Some(new.clone()),
    }
}

fn object_difference(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (field, value) in old {
        if !value.is_null() && new.get(field).is_none_or(Value::is_null) {
            patch.insert(field.clone(), Value::Null);
        }
    }
    for (field, value) in new {
        if value.is_null() {
            continue;
        }
        if let Some(difference) = merge_difference(old.get(field).unwrap_or(&Value::Null), value) {
            patch.insert(field.clone(), difference);
        }
    }
    patch
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn apply(target: Value, patch: &Value) -> Value {
        let Value::Object(patch) = patch else { return patch.clone() };
        let mut target = match target {
            Value::Object(target) => target,
            _ => Map::new(),
        };
        for (field, value) in patch {
            if value.is_null() {
                target.remove(field);
            } else {
                let old = target.remove(field).unwrap_or_default();
                target.insert(field.clone(), apply(old, value));
            }
        }
        Value::Object(target)
    }

    fn without_nulls(value: &Value) -> Value {
        match value {
            Value::Object(fields) => Value::Object(
                fields
                    .iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(|(field, value)| (field.clone(), without_nulls(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            Just(json!(1)),
            Just(json!("a")),
            Just(json!([1, null]))
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop::collection::btree_map("[a-c]", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect()))
        })
    }

    #[test]
    fn names_only_what_differs() {
        let old = json!({"phase": "Pending", "list": [1], "map": {"a": 1, "b": 2}, "gone": {}});
        let new = json!({"phase": "Running", "list": [1], "map": {"a": 1}, "come": {}});
        let expected = json!({"phase": "Running", "map": {"b": null}, "gone": null, "come": {}});
        assert_eq!(merge_difference(&old, &new), Some(expected));
        assert_eq!(merge_difference(&old, &old), None);
        assert_eq!(merge_difference(&Value::Null, &json!({})), Some(json!({})));
    }

    proptest! {
        #[test]
        fn applied_to_the_old_value_gives_the_new_one(old in values(), new in values()) {
            let (old, bare) = (without_nulls(&old), without_nulls(&new));
            let patched = match merge_difference(&old, &new) {
                Some(patch) => apply(old, &patch),
                None => old,
            };
            prop_assert_eq!(patched, bare);
        }
    }
}
