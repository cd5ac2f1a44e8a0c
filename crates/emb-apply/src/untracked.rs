//! What nobody manages: the identity of an object and what the server alone writes.

use serde_json::{Map, Value};

use crate::set::SELF;

const ROOT: [&str; 2] = ["f:apiVersion", "f:kind"];
const METADATA: &str = "f:metadata";
const IN_METADATA: [&str; 9] = [
    SELF,
    "f:creationTimestamp",
    "f:generation",
    "f:managedFields",
    "f:name",
    "f:namespace",
    "f:resourceVersion",
    "f:selfLink",
    "f:uid",
];

/// Takes untracked fields out of the set of a whole object.
pub(crate) fn strip_object(set: &mut Map<String, Value>) {
    for element in ROOT {
        set.remove(element);
    }
    if let Some(Value::Object(metadata)) = set.get_mut(METADATA) {
        for element in IN_METADATA {
            metadata.remove(element);
        }
        if metadata.is_empty() {
            set.remove(METADATA);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn identity_goes_and_labels_stay() {
        for (given, kept) in [
            (
                json!({"f:kind": {}, "f:metadata": {".": {}, "f:name": {}, "f:labels": {}}}),
                json!({"f:metadata": {"f:labels": {}}}),
            ),
            (json!({"f:metadata": {}, "f:spec": {}}), json!({"f:spec": {}})),
            (json!({"f:metadata": {"f:uid": {}, "f:name": {}}}), json!({})),
        ] {
            let mut set = given.as_object().unwrap().clone();
            strip_object(&mut set);
            assert_eq!(Value::Object(set), kept);
        }
    }
}
