//! Merge patches, JSON patches and applies.

use http::Method;
use serde_json::{Value, json};

use super::{Generator, change::Change, request, set};
use crate::{
    kinds::Kind,
    operation::{Body, Key},
};

const MERGE: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

impl Generator {
    /// RFC 7386 on an object.
    pub(super) fn merge_patch(&mut self) {
        let (kind, key) = self.patch_target();
        self.merge_patch_of(kind, &key, kind.item(&key), "");
    }

    /// Objects that wait for their finalizers are patched more often, so that they go.
    pub(super) fn patch_target(&self) -> (&'static Kind, Key) {
        match self.dice.pick(&self.model.terminating()) {
            Some(key) if self.dice.percent(40) => (self.kind_of(&key), key),
            _ => self.target(),
        }
    }

    pub(super) fn merge_patch_of(&mut self, kind: &Kind, key: &Key, path: String, prefix: &str) {
        let mut change = self.change(kind, prefix);
        let (pointer, value): (&str, Value) = match self.dice.below(30) {
            0 => ("/metadata/resourceVersion", format!("<revision {key}>").into()),
            1 => ("/metadata/resourceVersion", format!("<old-revision {key}>").into()),
            2 => ("/metadata/name", "other".into()),
            3 => ("/metadata/uid", "11111111-2222-4333-8444-555555555555".into()),
            4 => ("/metadata/labels", Value::Null),
            5 => ("/metadata/annotations", Value::Null),
            6..=9 => ("/metadata/finalizers", Value::Null),
            10 => ("/metadata/creationTimestamp", Value::Null),
            11 => ("/metadata/deletionTimestamp", Value::Null),
            12 => ("/spec", Value::Null),
            13 => ("/kind", "Gizmo".into()),
            14 => ("/metadata/managedFields", json!([{}])),
            _ => ("", Value::Null),
        };
        // A wrong uid is the only thing that is said about an object.
        if pointer == "/metadata/uid" {
            change.value = json!({});
        }
        if !pointer.is_empty() {
            set(&mut change.value, pointer, value);
        }
        if pointer == "/metadata/finalizers" {
            change.finalizers = Some(false);
        }
        if self.dice.percent(6) {
            change.value = json!({});
        }
        self.push_patch(MERGE, key, path, &change);
    }

    /// RFC 6902 on an object.
    pub(super) fn json_patch(&mut self) {
        let (kind, key) = self.patch_target();
        let steps: Vec<Value> =
            (0..=self.dice.below(3)).map(|_| self.json_patch_step(kind, &key)).collect();
        let removes = steps.iter().any(|step| {
            step.get("path") == Some(&json!("/metadata/finalizers"))
                && step.get("op") == Some(&json!("remove"))
        });
        let finalizers = removes.then_some(false);
        let body = if self.dice.percent(2) { json!({"op": "add"}) } else { steps.into() };
        let change = Change { value: body, finalizers, bad: false };
        self.push_patch(JSON_PATCH, &key, kind.item(&key), &change);
    }

    fn json_patch_step(&self, kind: &Kind, key: &Key) -> Value {
        let bad = self.dice.percent(8);
        let (path, value) = self.field(kind, "", bad).unwrap_or_default();
        match self.dice.below(24) {
            0..=6 => json!({"op": "add", "path": path, "value": value}),
            7..=9 => json!({"op": "replace", "path": path, "value": value}),
            10 => json!({"op": "remove", "path": path}),
            11 => json!({"op": "test", "path": path, "value": value}),
            12 | 13 => json!({"op": "add", "path": "/metadata/labels", "value": {"tier": "front"}}),
            14 => json!({"op": "remove", "path": "/metadata/labels/tier"}),
            15 => {
                json!({"op": "copy", "from": "/metadata/name", "path": "/metadata/annotations/note"})
            }
            16 => {
                json!({"op": "move", "from": "/metadata/labels/tier", "path": "/metadata/labels/app"})
            }
            17 | 18 => json!({"op": "remove", "path": "/metadata/finalizers"}),
            19 => {
                json!({"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/late"})
            }
            20 => {
                json!({"op": "test", "path": "/metadata/resourceVersion", "value": format!("<revision {key}>")})
            }
            21 => {
                json!({"op": "replace", "path": "/metadata/resourceVersion", "value": format!("<old-revision {key}>")})
            }
            22 => json!({"op": "add", "path": "/spec/tags/-", "value": "d"}),
            _ => json!({"op": "jump", "path": "/metadata/name"}),
        }
    }

    /// Server-side apply.
    pub(super) fn apply(&mut self) {
        let (kind, key) = if self.dice.percent(30) { self.any_target() } else { self.target() };
        if key.name.starts_with("generated-") {
            return;
        }
        self.apply_to(kind, &key, kind.item(&key), "");
    }

    pub(super) fn apply_to(&mut self, kind: &Kind, key: &Key, path: String, prefix: &str) {
        if !self.apply {
            return self.merge_patch_of(kind, key, path, prefix);
        }
        let mut change = self.change(kind, prefix);
        set(&mut change.value, "/apiVersion", kind.api_version.into());
        set(&mut change.value, "/kind", kind.name.into());
        set(&mut change.value, "/metadata/name", kind.object_name(key).into());
        if prefix.is_empty() && self.dice.percent(60) {
            let minimal = (kind.minimal)();
            for (name, value) in minimal.as_object().into_iter().flatten() {
                if change.value.get(name).is_none() {
                    set(&mut change.value, &format!("/{name}"), value.clone());
                }
            }
        }
        let (pointer, value): (&str, Value) = match self.dice.below(40) {
            0 => ("/metadata/resourceVersion", format!("<revision {key}>").into()),
            1 => ("/metadata/resourceVersion", format!("<old-revision {key}>").into()),
            2 => ("/metadata/managedFields", json!([])),
            3 => ("/metadata/uid", format!("<uid {key}>").into()),
            4 => ("/kind", Value::Null),
            5 => ("/metadata/name", "other".into()),
            _ => ("", Value::Null),
        };
        if !pointer.is_empty() {
            set(&mut change.value, pointer, value);
        }
        let manager = self.dice.pick(&["one", "two", "three"]).unwrap_or("one");
        let mut request =
            request(Method::PATCH, path, Body::Literal(change.value.clone()), Some(key));
        request.content_type = Some(APPLY);
        request.query = self.options();
        request.query.retain(|(name, _)| *name != "fieldManager" && *name != "force");
        if !self.dice.percent(2) {
            request.query.push(("fieldManager", manager.into()));
        }
        if self.dice.percent(35) {
            request.query.push(("force", "true".into()));
        }
        self.wrote(&request, key, &change);
        self.push(request);
    }

    pub(super) fn push_patch(
        &mut self,
        content_type: &'static str,
        key: &Key,
        path: String,
        change: &Change,
    ) {
        let body = Body::Literal(change.value.clone());
        let mut request = request(Method::PATCH, path, body, Some(key));
        request.content_type = Some(content_type);
        request.query = self.options();
        if !change.bad && !request.is_dry() && self.model.there().contains(key) {
            self.model.written(key, change.finalizers);
        }
        self.push(request);
    }
}
