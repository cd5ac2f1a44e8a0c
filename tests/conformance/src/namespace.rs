//! A namespace of one row and the paths in it.

use serde_json::{Value, json};

/// A fresh namespace.
pub(crate) struct Namespace {
    pub(crate) name: String,
}

impl Namespace {
    /// The path of the fixture's Widgets.
    pub(crate) fn widgets(&self) -> String {
        self.collection("conf.example.com/v1", "widgets")
    }

    /// The path of one Widget.
    pub(crate) fn widget(&self, name: &str) -> String {
        format!("{}/{name}", self.widgets())
    }

    /// The path of a collection in the core group.
    pub(crate) fn core(&self, plural: &str) -> String {
        format!("/api/v1/namespaces/{}/{plural}", self.name)
    }

    /// The path of a collection in a named group.
    pub(crate) fn collection(&self, group_version: &str, plural: &str) -> String {
        format!("/apis/{group_version}/namespaces/{}/{plural}", self.name)
    }
}

/// A valid Widget.
pub(crate) fn widget(name: &str) -> Value {
    widget_with(name, json!({"color": "red"}))
}

/// A Widget with this spec.
pub(crate) fn widget_with(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "conf.example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec})
}

/// A ConfigMap with these entries.
pub(crate) fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}
