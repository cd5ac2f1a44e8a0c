//! One object of any kind.

use serde_json::{Map, Value};

/// An object as it was sent. It has a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource(Map<String, Value>);

impl Resource {
    /// Takes an object; `None` when it does not say of which kind it is.
    pub fn new(object: Map<String, Value>) -> Option<Self> {
        let has_kind = object.get("kind").and_then(Value::as_str).is_some_and(|k| !k.is_empty());
        has_kind.then_some(Self(object))
    }

    /// `group/version`, or `version` for the core group.
    pub fn api_version(&self) -> &str {
        self.0.get("apiVersion").and_then(Value::as_str).unwrap_or_default()
    }

    /// The group; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version().split_once('/').map_or("", |(group, _)| group)
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        self.0.get("kind").and_then(Value::as_str).unwrap_or_default()
    }

    /// The name; empty when it has none yet.
    pub fn name(&self) -> &str {
        self.metadata("name")
    }

    /// The namespace; empty when it has none.
    pub fn namespace(&self) -> &str {
        self.metadata("namespace")
    }

    /// The version that the sender has seen; empty when they do not care.
    pub fn resource_version(&self) -> &str {
        self.metadata("resourceVersion")
    }

    /// The value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        annotation(&self.0, key)
    }

    /// A field of the spec, as text.
    pub fn spec_text(&self, field: &str) -> &str {
        self.0.get("spec").and_then(|spec| spec.get(field)?.as_str()).unwrap_or_default()
    }

    /// Whether this is one of our own kinds.
    pub fn is_ours(&self, kind: &str) -> bool {
        self.group() == api_kinds::GROUP && self.kind() == kind
    }

    /// Whether this is a kind of the core group.
    pub fn is_core(&self, kind: &str) -> bool {
        self.api_version() == "v1" && self.kind() == kind
    }

    /// Sets an annotation, or removes it. Metadata that is no object is left for others to refuse.
    pub(super) fn set_annotation(&mut self, key: &str, value: Option<&str>) {
        let metadata = self.0.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        let Some(metadata) = metadata.as_object_mut() else { return };
        let annotations = metadata.entry("annotations").or_insert(Value::Null);
        if annotations.is_null() {
            *annotations = Value::Object(Map::new());
        }
        let Some(annotations) = annotations.as_object_mut() else { return };
        match value {
            Some(value) => {
                annotations.insert(key.to_owned(), Value::from(value));
            }
            None => {
                annotations.remove(key);
            }
        }
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }

    pub(super) fn set_resource_version(&mut self, version: &str) {
        let metadata = self.0.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.insert("resourceVersion".to_owned(), Value::from(version));
        }
    }

    /// Sets a field of the metadata that was not sent.
    pub(super) fn add_metadata(&mut self, field: &str, value: &Value) {
        let metadata = self.0.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.entry(field).or_insert_with(|| value.clone());
        }
    }

    /// The object.
    pub fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The object as a value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    fn metadata(&self, field: &str) -> &str {
        self.0.get("metadata").and_then(|m| m.get(field)?.as_str()).unwrap_or_default()
    }
}

/// The value of an annotation of an object.
pub(super) fn annotation<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}
