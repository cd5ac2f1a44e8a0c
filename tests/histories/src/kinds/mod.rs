//! The kinds that histories work on, and the values that their fields may and may not take.

mod builtin;
mod custom;

use serde_json::{Value, json};

use crate::operation::Key;

/// A kind of the small world.
pub(crate) struct Kind {
    pub(crate) plural: &'static str,
    /// As objects name it.
    pub(crate) name: &'static str,
    /// The group and version as objects name them.
    pub(crate) api_version: &'static str,
    pub(crate) namespaced: bool,
    /// Whether a CRD defines it.
    pub(crate) custom: bool,
    /// Whether `/status` is written on its own.
    pub(crate) status: bool,
    /// What an object needs at least.
    pub(crate) minimal: fn() -> Value,
    /// By JSON pointer: `good` values, and `bad` ones that a server may refuse.
    pub(crate) fields: fn() -> Value,
}

/// All kinds, and how often a history is about each.
pub(crate) const KINDS: [(usize, &Kind); 9] = [
    (30, &custom::WIDGET),
    (10, &custom::GADGET),
    (16, &builtin::CONFIG_MAP),
    (12, &builtin::SECRET),
    (10, &builtin::SERVICE_ACCOUNT),
    (7, &builtin::ROLE),
    (5, &builtin::ROLE_BINDING),
    (6, &builtin::LEASE),
    (6, &builtin::EVENT),
];

impl Kind {
    /// The path of the collection, in a namespace of the history if the kind has any.
    pub(crate) fn collection(&self, namespace: char) -> String {
        let base = self.everywhere();
        match base.rsplit_once('/') {
            Some((group, plural)) if self.namespaced => {
                format!("{group}/namespaces/<history>-{namespace}/{plural}")
            }
            _ => base,
        }
    }

    /// The path of the collection in all namespaces.
    pub(crate) fn everywhere(&self) -> String {
        let root = if self.api_version.contains('/') { "/apis" } else { "/api" };
        format!("{root}/{}/{}", self.api_version, self.plural)
    }

    /// The path of one object.
    pub(crate) fn item(&self, key: &Key) -> String {
        format!("{}/{}", self.collection(key.namespace), self.object_name(key))
    }

    /// The name on the wire: outside of namespaces those of other histories are taken.
    pub(crate) fn object_name(&self, key: &Key) -> String {
        match key.name.strip_prefix("generated-") {
            Some(number) => format!("<generated {number}>"),
            None if self.namespaced => key.name.clone(),
            None => format!("<history>-{}", key.name),
        }
    }

    /// A valid object with nothing but what it needs.
    pub(crate) fn object(&self, name: &str) -> Value {
        let mut object = (self.minimal)();
        if let Some(fields) = object.as_object_mut() {
            fields.insert("apiVersion".into(), self.api_version.into());
            fields.insert("kind".into(), self.name.into());
            fields.insert("metadata".into(), json!({"name": name}));
            if !self.namespaced {
                fields.insert(
                    "metadata".into(),
                    json!({"name": name, "labels": {"history": "<history>"}}),
                );
            }
        }
        object
    }
}

/// What all kinds have in `metadata`.
pub(crate) fn metadata_fields() -> Value {
    json!({
        "/metadata/labels/tier": {"good": ["front", "back", "", null], "bad": ["a b", 5]},
        "/metadata/labels/app": {"good": ["one", "two"], "bad": ["-x"]},
        "/metadata/labels/example.com~1rank": {"good": ["1", "2", "10"], "bad": [true]},
        "/metadata/annotations/note": {"good": ["first", "second", "ünï", null], "bad": [1]},
        "/metadata/annotations/example.com~1x": {"good": ["{\"a\":1}"], "bad": [{}]},
        "/metadata/finalizers": {
            "good": [["example.com/hold"], ["example.com/hold", "example.com/wait"], ["short"], []],
            "bad": [["-bad-"], "example.com/hold"]},
        "/metadata/foo": {"good": [], "bad": ["unknown"]},
        "/metadata/labels/-bad": {"good": [], "bad": ["x"]},
        "/metadata/generation": {"good": [7], "bad": ["x"]},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_the_namespace_and_the_history() {
        let key = |namespace| Key { plural: "", namespace, name: "x".into() };
        let widget = custom::WIDGET.item(&key('a'));
        assert_eq!(widget, "/apis/conf.example.com/v1/namespaces/<history>-a/widgets/x");
        assert_eq!(custom::GADGET.item(&key('-')), "/apis/conf.example.com/v1/gadgets/<history>-x");
        assert_eq!(builtin::SECRET.everywhere(), "/api/v1/secrets");
    }

    #[test]
    fn every_field_has_values() {
        for (_, kind) in KINDS {
            for (pointer, values) in (kind.fields)().as_object().unwrap() {
                let count = |which: &str| values[which].as_array().map_or(0, Vec::len);
                assert!(count("good") + count("bad") > 0, "{} {pointer}", kind.name);
            }
        }
    }
}
