//! Creates and replacements.

use http::Method;
use serde_json::{Value, json};

use super::{Generator, change::Change, request, set};
use crate::{
    kinds::Kind,
    operation::{Body, Key, Request},
};

const JSON: &str = "application/json";

impl Generator {
    /// A new object, or one that is there already.
    pub(super) fn create(&mut self) {
        let (kind, key) = if self.dice.percent(12) { self.target() } else { self.any_target() };
        let change = self.change(kind, "");
        let object = self.new_object(kind, &key, &change);
        let path = kind.collection(key.namespace);
        let mut request = request(Method::POST, path, Body::Literal(object), Some(&key));
        request.content_type = Some(JSON);
        request.query = self.options();
        self.wrote(&request, &key, &change);
        self.push(request);
    }

    /// An object whose name the server ends.
    pub(super) fn create_with_random_name(&mut self) {
        let (kind, mut key) = self.any_target();
        let number = self.model.number();
        key.name = format!("generated-{number}");
        let change = self.change(kind, "");
        let mut object = self.new_object(kind, &key, &change);
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("name");
        }
        let prefix = if kind.namespaced { "" } else { "<history>-" };
        set(&mut object, "/metadata/generateName", format!("{prefix}made-{number}-").into());
        let path = kind.collection(key.namespace);
        let mut request = request(Method::POST, path, Body::Literal(object), Some(&key));
        request.content_type = Some(JSON);
        self.wrote(&request, &key, &change);
        self.push(request);
    }

    fn new_object(&self, kind: &Kind, key: &Key, change: &Change) -> Value {
        let mut object = kind.object(&kind.object_name(key));
        merge_keeping_null(&mut object, &change.value);
        if let Some(references) = self.owner_references(key) {
            set(&mut object, "/metadata/ownerReferences", references);
        }
        let generated = key.name.starts_with("generated-");
        let mistake: Option<(&str, Value)> = match self.dice.below(60) {
            _ if generated => None,
            0 => Some(("/kind", "Gizmo".into())),
            1 => Some(("/apiVersion", "other.example.com/v1".into())),
            2 => Some(("/metadata/namespace", "elsewhere".into())),
            3 => Some(("/metadata/name", "not/a/name".into())),
            4 => Some(("/metadata/resourceVersion", "5".into())),
            5 => Some(("/metadata/uid", "11111111-2222-4333-8444-555555555555".into())),
            6 => Some(("/metadata/name", json!(7))),
            7 => Some(("/metadata/namespace", format!("<history>-{}", key.namespace).into())),
            _ => None,
        };
        if let Some((pointer, value)) = mistake {
            set(&mut object, pointer, value);
        }
        object
    }

    /// `PUT` of the object as it was seen last, with a change.
    pub(super) fn replace(&mut self) {
        let (kind, key) = self.target();
        self.put(kind, &key, kind.item(&key), "");
    }

    /// A write to `/status`, or to nothing where a kind has none.
    pub(super) fn write_status(&mut self) {
        let (kind, key) = self.target();
        if !kind.status && !self.dice.percent(10) {
            return self.replace();
        }
        let path = format!("{}/status", kind.item(&key));
        match self.dice.below(4) {
            0 | 1 => self.put(kind, &key, path, "/status"),
            2 => self.merge_patch_of(kind, &key, path, "/status"),
            _ => self.apply_to(kind, &key, path, "/status"),
        }
    }

    fn put(&mut self, kind: &Kind, key: &Key, path: String, prefix: &str) {
        let mut change = self.change(kind, prefix);
        if self.dice.percent(12) {
            change = Change { value: json!({}), finalizers: None, bad: false };
        }
        let mut value = change.value.clone();
        set(&mut value, "/apiVersion", kind.api_version.into());
        set(&mut value, "/kind", kind.name.into());
        set(&mut value, "/metadata/name", kind.object_name(key).into());
        if let Some(references) = self.owner_references(key) {
            set(&mut value, "/metadata/ownerReferences", references);
        }
        self.precondition(&mut value, key);
        let body = if self.dice.percent(10) {
            let mut whole = kind.object(&kind.object_name(key));
            merge_keeping_null(&mut whole, &value);
            Body::Literal(whole)
        } else {
            Body::Edited { object: key.clone(), change: value }
        };
        let mut request = request(Method::PUT, path, body, Some(key));
        request.content_type = Some(JSON);
        request.query = self.options();
        self.wrote(&request, key, &change);
        self.push(request);
    }

    /// What a `PUT` says about the object that it expects.
    fn precondition(&self, value: &mut Value, key: &Key) {
        let (pointer, expected): (&str, Value) = match self.dice.below(40) {
            0..=4 => ("/metadata/resourceVersion", format!("<old-revision {key}>").into()),
            5..=8 => ("/metadata/resourceVersion", Value::Null),
            9 => ("/metadata/resourceVersion", "0".into()),
            10 => ("/metadata/resourceVersion", "999999999".into()),
            11 => ("/metadata/resourceVersion", "abc".into()),
            12 => ("/metadata/uid", "11111111-2222-4333-8444-555555555555".into()),
            13 => ("/metadata/name", "other".into()),
            14 => ("/metadata/namespace", "elsewhere".into()),
            15 => ("/metadata/managedFields", json!([{}])),
            16 => ("/metadata/managedFields", json!([])),
            17 => ("/metadata/creationTimestamp", "2001-01-01T00:00:00Z".into()),
            18 => ("/metadata/deletionTimestamp", Value::Null),
            _ => return,
        };
        set(value, pointer, expected);
    }

    /// Tells the model about a write that probably succeeds.
    pub(super) fn wrote(&mut self, request: &Request, key: &Key, change: &Change) {
        if !change.bad && !request.is_dry() {
            self.model.written(key, change.finalizers);
        }
    }
}

/// Like a merge patch, except that `null` is a value: bodies of objects may have it.
fn merge_keeping_null(target: &mut Value, change: &Value) {
    match (target.as_object_mut(), change) {
        (Some(fields), Value::Object(changes)) => {
            for (name, value) in changes {
                merge_keeping_null(fields.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        _ => *target = change.clone(),
    }
}
