//! Deletions.

use http::Method;
use serde_json::{Value, json};

use super::{Generator, request};
use crate::{
    kinds::Kind,
    operation::{Body, Key, Request},
};

impl Generator {
    /// One object, with every kind of option.
    pub(super) fn delete(&mut self) {
        let (kind, key) = self.target();
        let options = self.delete_options(&key);
        let mut request = delete(kind.item(&key), options.clone(), &key);
        match self.dice.below(20) {
            0 => request.query.push(("dryRun", "All".into())),
            1 => request.query.push(("propagationPolicy", "Background".into())),
            2 => request.query.push(("gracePeriodSeconds", "0".into())),
            3 => request.query.push(("orphanDependents", "false".into())),
            _ => {}
        }
        request.settles = options.get("propagationPolicy").is_some();
        let refused = options.get("preconditions").is_some() && self.dice.percent(50);
        if !request.is_dry() && !refused {
            self.model.deleted(&key);
        }
        self.push(request);
    }

    fn delete_options(&self, key: &Key) -> Value {
        match self.dice.below(24) {
            0..=7 => Value::Null,
            8 => json!({}),
            9 | 10 => json!({"propagationPolicy": "Background"}),
            11..=13 => json!({"propagationPolicy": "Foreground"}),
            14 | 15 => json!({"propagationPolicy": "Orphan"}),
            16 => json!({"preconditions": {"uid": format!("<uid {key}>")}}),
            17 => json!({"preconditions": {"uid": "11111111-2222-4333-8444-555555555555"}}),
            18 => json!({"preconditions": {"resourceVersion": format!("<revision {key}>")}}),
            19 => json!({"preconditions": {"resourceVersion": format!("<old-revision {key}>")}}),
            20 => json!({"gracePeriodSeconds": 30}),
            21 => json!({"propagationPolicy": "Sideways"}),
            22 => json!({"propagationPolicy": "Background", "orphanDependents": true}),
            _ => json!({"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]}),
        }
    }

    /// All objects of a collection that a selector matches.
    pub(super) fn delete_collection(&mut self) {
        let kind = self.kind();
        if !self.empties_at_once(kind) {
            return;
        }
        let namespace = self.namespace(kind);
        let mut request = delete_all(kind, namespace);
        match self.dice.below(4) {
            0 => request.query.push(("labelSelector", "tier=front".into())),
            1 => request.query.push(("labelSelector", "app in (one,two)".into())),
            2 => request.query.push(("fieldSelector", "metadata.name=x".into())),
            _ => {}
        }
        if self.dice.percent(10) {
            request.query.push(("dryRun", "All".into()));
        }
        self.push(request);
    }

    /// Deletes what a history leaves behind.
    pub(super) fn empty(&mut self, kind: &'static Kind, namespace: char) {
        if self.empties_at_once(kind) {
            return self.push(delete_all(kind, namespace));
        }
        for key in self.model.of(kind.plural, namespace) {
            self.push(delete(kind.item(&key), Value::Null, &key));
        }
    }

    /// Collections that others write to are not emptied as a whole: they hold Gadgets of other histories, and the
    /// ServiceAccount that every namespace gets and gets again. Where objects own each other it depends on the order of
    /// deletes what the garbage collector sees.
    fn empties_at_once(&self, kind: &Kind) -> bool {
        kind.namespaced && kind.plural != "serviceaccounts" && !self.owners
    }
}

fn delete(path: String, options: Value, key: &Key) -> Request {
    let body = if options.is_null() { Body::Empty } else { Body::Literal(options) };
    let mut request = request(Method::DELETE, path, body, Some(key));
    if matches!(request.body, Body::Literal(_)) {
        request.content_type = Some("application/json");
    }
    request
}

fn delete_all(kind: &Kind, namespace: char) -> Request {
    request(Method::DELETE, kind.collection(namespace), Body::Empty, None)
}
