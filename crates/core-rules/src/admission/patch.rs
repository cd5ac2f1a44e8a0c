//! The difference that defaulting makes, as a JSON patch.
//!
//! It is computed between two encodings of our own types and applied to what the client sent.
//! Fields that our types do not know are in neither encoding, so they survive.

use serde_json::{Map, Value, json};

/// One operation of a JSON patch.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchOperation {
    /// Where, as a JSON pointer.
    pub path: String,
    /// The value to put there; `None` removes what is there.
    pub value: Option<Value>,
}

impl PatchOperation {
    /// The wire form. To add a member that exists is to replace it.
    pub fn to_value(&self) -> Value {
        match &self.value {
            Some(value) => json!({"op": "add", "path": self.path, "value": value}),
            None => json!({"op": "remove", "path": self.path}),
        }
    }
}

/// What must be done to `before` so that it becomes `after`.
pub fn json_patch(before: &Value, after: &Value) -> Vec<PatchOperation> {
    let mut operations = Vec::new();
    compare(before, after, String::new(), &mut operations);
    operations
}

/// Carries the operations out. One whose place does not exist is left out: the client's document
/// has every object and list that our encoding of it has.
pub fn apply_patch(document: &mut Value, operations: &[PatchOperation]) {
    for operation in operations {
        let Some((parent, token)) = operation.path.rsplit_once('/') else { continue };
        let Some(parent) = document.pointer_mut(parent) else { continue };
        let key = token.replace("~1", "/").replace("~0", "~");
        match parent {
            Value::Object(members) => apply_to_member(members, key, operation.value.clone()),
            Value::Array(items) => {
                let item = key.parse().ok().and_then(|index: usize| items.get_mut(index));
                if let (Some(item), Some(value)) = (item, operation.value.clone()) {
                    *item = value;
                }
            }
            _ => {}
        }
    }
}

fn apply_to_member(members: &mut Map<String, Value>, key: String, value: Option<Value>) {
    match value {
        Some(value) => {
            members.insert(key, value);
        }
        None => {
            members.remove(&key);
        }
    }
}

fn compare(before: &Value, after: &Value, path: String, operations: &mut Vec<PatchOperation>) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(before), Value::Object(after)) => {
            compare_members(before, after, &path, operations);
        }
        (Value::Array(before), Value::Array(after)) if can_go_by_item(before, after) => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                compare(before, after, format!("{path}/{index}"), operations);
            }
        }
        _ => operations.push(PatchOperation { path, value: Some(after.clone()) }),
    }
}

/// Lists are compared item by item when that needs no item replaced: a JSON patch would insert it.
fn can_go_by_item(before: &[Value], after: &[Value]) -> bool {
    before.len() == after.len()
        && before.iter().zip(after).all(|(before, after)| {
            before == after
                || (before.is_object() && after.is_object())
                || (before.is_array() && after.is_array())
        })
}

fn compare_members(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    path: &str,
    operations: &mut Vec<PatchOperation>,
) {
    let child = |key: &str| format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
    for (key, value) in after {
        match before.get(key) {
            Some(old) => compare(old, value, child(key), operations),
            None => {
                operations.push(PatchOperation { path: child(key), value: Some(value.clone()) });
            }
        }
    }
    let removed = before.keys().filter(|key| !after.contains_key(*key));
    operations.extend(removed.map(|key| PatchOperation { path: child(key), value: None }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{apply_patch, json_patch};

    #[test]
    fn only_what_changed_is_touched() {
        let before =
            json!({"metadata": {"labels": {"a/b": "x"}}, "spec": {"list": [{"a": 1}, {"b": 2}]}});
        let after =
            json!({"metadata": {"labels": {}}, "spec": {"list": [{"a": 1}, {"b": 2, "c": 3}]}});
        let patch = json_patch(&before, &after);
        let wire: Vec<Value> = patch.iter().map(super::PatchOperation::to_value).collect();
        assert_eq!(
            wire,
            [
                json!({"op": "remove", "path": "/metadata/labels/a~1b"}),
                json!({"op": "add", "path": "/spec/list/1/c", "value": 3}),
            ]
        );
    }

    #[test]
    fn fields_we_do_not_know_survive() {
        let before = json!({"spec": {"list": [{"a": 1}]}});
        let after = json!({"spec": {"list": [{"a": 2}]}});
        let mut sent = json!({"spec": {"list": [{"a": 1, "new": true}], "other": 1}});
        apply_patch(&mut sent, &json_patch(&before, &after));
        assert_eq!(sent, json!({"spec": {"list": [{"a": 2, "new": true}], "other": 1}}));
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<u8>().prop_map(Value::from),
            "[a~/]{0,3}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a~/]{1,2}", inner, 0..4)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_patch_leads_from_one_document_to_the_other(before in document(), after in document()) {
            let mut patched = json!({"root": before});
            let after = json!({"root": after});
            let patch = json_patch(&patched, &after);
            apply_patch(&mut patched, &patch);
            prop_assert_eq!(patched, after);
        }
    }
}
