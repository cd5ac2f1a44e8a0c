//! Secrets without their values: whoever compares objects sees which values differ, and none of them.

use serde_json::{Map, Value};

const HIDDEN: &str = "***";
const HIDDEN_BEFORE: &str = "*** (before)";
const HIDDEN_AFTER: &str = "*** (after)";
/// `kubectl` keeps whole objects here, values and all.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Hides the values of a Secret; what is none stays as it is.
pub fn mask(object: &mut Value) {
    for values in values_of(object) {
        for value in values.values_mut() {
            *value = HIDDEN.into();
        }
    }
}

/// Hides the values of two states of a Secret, so that those that differ still do.
pub fn mask_both(before: &mut Value, after: &mut Value) {
    let (old, new) = (before.clone(), after.clone());
    for (object, other, word) in [(before, &new, HIDDEN_BEFORE), (after, &old, HIDDEN_AFTER)] {
        for values in values_of(object) {
            for (key, value) in values {
                let differs = counterpart(other, key).is_some_and(|other| other != value);
                *value = if differs { word } else { HIDDEN }.into();
            }
        }
    }
}

/// The value of the same key in another state.
fn counterpart<'a>(object: &'a Value, key: &str) -> Option<&'a Value> {
    ["data", "stringData"].iter().find_map(|field| object.get(field)?.get(key))
}

/// The maps of a Secret that have values in them, without the copy that `kubectl` keeps of them.
fn values_of(object: &mut Value) -> Vec<&mut Map<String, Value>> {
    let is = |field: &str, text: &str| object.get(field).and_then(Value::as_str) == Some(text);
    if !is("kind", "Secret") || !is("apiVersion", "v1") {
        return Vec::new();
    }
    let annotations = object.pointer_mut("/metadata/annotations");
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
    let fields = object.as_object_mut().into_iter().flat_map(Map::iter_mut);
    fields
        .filter(|(name, _)| matches!(name.as_str(), "data" | "stringData"))
        .filter_map(|(_, values)| values.as_object_mut())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secret(data: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Secret",
            "metadata": {"annotations": {LAST_APPLIED: "{\"data\":{\"a\":\"eA==\"}}"}}, "data": data})
    }

    #[test]
    fn no_value_of_a_secret_is_left() {
        let mut one = secret(json!({"a": "eA==", "b": "eQ=="}));
        mask(&mut one);
        assert_eq!(one["data"], json!({"a": "***", "b": "***"}));
        assert_eq!(one["metadata"]["annotations"], json!({}));
    }

    #[test]
    fn values_that_differ_still_do() {
        let mut before = secret(json!({"same": "eA==", "other": "eA==", "gone": "eA=="}));
        let mut after = secret(json!({"same": "eA==", "other": "eQ==", "new": "eA=="}));
        mask_both(&mut before, &mut after);
        let hidden = json!({"same": "***", "other": "*** (before)", "gone": "***"});
        assert_eq!(before["data"], hidden);
        let hidden = json!({"same": "***", "other": "*** (after)", "new": "***"});
        assert_eq!(after["data"], hidden);
        let (once, again) = (before.clone(), after.clone());
        mask_both(&mut before, &mut after);
        assert_eq!((before, after), (once, again), "what is hidden stays so");
    }

    #[test]
    fn what_is_no_secret_stays_as_it_is() {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}});
        let (mut one, mut other) = (map.clone(), map.clone());
        mask(&mut one);
        mask_both(&mut one, &mut other);
        assert_eq!((one, other), (map.clone(), map));
    }
}
