//! Objects as JSON: what names them, and what is read from them without a type.

use std::fmt;

use serde_json::{Map, Value};

use crate::Resource;

/// The type of Secrets that a server fills with a token.
const TOKEN_TYPE: &str = "kubernetes.io/service-account-token";

/// What names an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Key {
    pub(crate) fn of(resource: &Resource, object: &Value) -> Self {
        Self {
            kind: resource.kind.to_owned(),
            namespace: namespace(object).to_owned(),
            name: name(object).to_owned(),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name } = self;
        match namespace.as_str() {
            "" => write!(f, "{kind} {name}"),
            namespace => write!(f, "{kind} {namespace}/{name}"),
        }
    }
}

/// The text at a path; empty where there is none.
pub(crate) fn text<'a>(object: &'a Value, path: &str) -> &'a str {
    object.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

pub(crate) fn namespace(object: &Value) -> &str {
    text(object, "/metadata/namespace")
}

pub(crate) fn uid(object: &Value) -> &str {
    text(object, "/metadata/uid")
}

pub(crate) fn resource_version(object: &Value) -> &str {
    text(object, "/metadata/resourceVersion")
}

/// How often its specification was changed; 0 for kinds that do not count.
pub(crate) fn generation(object: &Value) -> i64 {
    object.pointer("/metadata/generation").and_then(Value::as_i64).unwrap_or_default()
}

/// The value of a label; empty where there is none.
pub(crate) fn label<'a>(object: &'a Value, label: &str) -> &'a str {
    let labels = object.pointer("/metadata/labels");
    labels.and_then(|labels| labels.get(label)?.as_str()).unwrap_or_default()
}

/// Whether somebody has asked for its end.
pub(crate) fn is_ending(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null())
}

/// Whether it is a Secret that a server fills with a token of its own.
pub(crate) fn is_token(resource: &Resource, object: &Value) -> bool {
    resource.kind == "Secret" && text(object, "/type") == TOKEN_TYPE
}

/// The owner references.
pub(crate) fn owners(object: &Value) -> &[Value] {
    let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    owners.map(Vec::as_slice).unwrap_or_default()
}

pub(crate) fn metadata_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object.get_mut("metadata").and_then(Value::as_object_mut)
}

/// Whether there is nothing in a value.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    }
}
