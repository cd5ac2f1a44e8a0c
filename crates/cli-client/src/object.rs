//! An object as the server has it.

use core_clock::Time;
use serde_json::Value;

use crate::Kind;

/// A Kubernetes object, kept whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Object(Value);

impl Object {
    /// An object as it came, whatever it is.
    pub fn new(value: Value) -> Self {
        Self(value)
    }

    /// An object of a known kind; the kind is filled in where the answer left it out.
    pub fn of(kind: Kind, mut value: Value) -> Self {
        if let Some(fields) = value.as_object_mut() {
            let is_blank =
                |value: Option<&Value>| value.and_then(Value::as_str).is_none_or(str::is_empty);
            if is_blank(fields.get("kind")) {
                fields.insert("kind".to_owned(), kind.kind.into());
                fields.insert("apiVersion".to_owned(), kind.api_version.into());
            }
        }
        Self(value)
    }

    /// The object as JSON.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The JSON.
    pub fn into_value(self) -> Value {
        self.0
    }

    /// Text at a JSON pointer; empty where there is none.
    pub fn text(&self, pointer: &str) -> &str {
        self.0.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    /// The namespace; empty for what has none.
    pub fn namespace(&self) -> &str {
        self.text("/metadata/namespace")
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        self.text("/kind")
    }

    /// The API group; empty for the core.
    pub fn group(&self) -> &str {
        self.text("/apiVersion").split_once('/').map_or("", |(group, _)| group)
    }

    /// A label.
    pub fn label(&self, name: &str) -> &str {
        self.entry("labels", name)
    }

    /// An annotation.
    pub fn annotation(&self, name: &str) -> &str {
        self.entry("annotations", name)
    }

    /// A time at a JSON pointer.
    pub fn time(&self, pointer: &str) -> Option<Time> {
        self.text(pointer).parse().ok()
    }

    /// When it was made.
    pub fn created(&self) -> Option<Time> {
        self.time("/metadata/creationTimestamp")
    }

    /// Status and message of a condition.
    pub fn condition(&self, name: &str) -> Option<(&str, &str)> {
        let conditions = self.0.pointer("/status/conditions")?.as_array()?;
        let text = |condition: &'_ Value, field: &str| -> Option<String> {
            condition.get(field).and_then(Value::as_str).map(str::to_owned)
        };
        let found = conditions.iter().find(|one| text(one, "type").as_deref() == Some(name))?;
        let part = |field: &str| found.get(field).and_then(Value::as_str).unwrap_or_default();
        Some((part("status"), part("message")))
    }

    fn entry(&self, map: &str, name: &str) -> &str {
        let entries = self.0.get("metadata").and_then(|metadata| metadata.get(map));
        entries.and_then(|map| map.get(name)).and_then(Value::as_str).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kind_that_the_server_left_out_is_filled_in() {
        let bare = Object::of(Kind::STAGE, json!({ "metadata": { "name": "test" } }));
        assert_eq!((bare.kind(), bare.group(), bare.name()), ("Stage", "kargo.akuity.io", "test"));
        let other = json!({ "apiVersion": "v1", "kind": "PromotionRequest" });
        assert_eq!(Object::of(Kind::PROMOTION, other).kind(), "PromotionRequest");
    }

    #[test]
    fn conditions_are_found_by_type() {
        let object = Object::new(json!({ "status": { "conditions": [
            { "type": "Healthy", "status": "False" },
            { "type": "Ready", "status": "True", "message": "fine" }] } }));
        assert_eq!(object.condition("Ready"), Some(("True", "fine")));
        assert_eq!(object.condition("Other"), None);
    }
}
