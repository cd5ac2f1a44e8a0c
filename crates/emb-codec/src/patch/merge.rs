//! Merge patches, RFC 7386.

use serde_json::{Map, Value};

/// Changes `target` as `patch` says: objects merge member by member, null removes, anything else replaces.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        target.clone_from(patch);
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else { return };
    for (key, change) in changes {
        if change.is_null() {
            members.remove(key);
        } else {
            merge(members.entry(key.as_str()).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn merged(mut target: Value, patch: &Value) -> Value {
        merge(&mut target, patch);
        target
    }

    #[test]
    fn objects_merge_nulls_remove_and_the_rest_replaces() {
        let cases = [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (json!({"a": [{"b": 1}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
            (json!({"a": 1}), json!(["c"]), json!(["c"])),
        ];
        for (target, patch, expected) in cases {
            assert_eq!(merged(target, &patch), expected, "{patch}");
        }
    }

    proptest! {
        #[test]
        fn applying_a_patch_twice_changes_nothing_more(
            target in "[abc]", removed in "[abc]", added in "[abc]", number: i64,
        ) {
            let target = json!({target: {"x": 1}});
            let patch = json!({removed: null, "deep": {added: number, "gone": null}});
            let once = merged(target, &patch);
            prop_assert_eq!(merged(once.clone(), &patch), once);
        }
    }
}
