//! A kind that one row has for itself, in a group of its own, so that it can change and remove it.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    fixture::{CRDS, served},
    namespace::Namespace,
    world::World,
};

/// The kind Thing, namespaced, of a fresh group.
pub(crate) struct OwnKind {
    pub(crate) group: String,
}

impl OwnKind {
    pub(crate) fn new(world: &World<'_>) -> Self {
        Self { group: format!("{}.example.com", world.unique("conf")) }
    }

    /// Its CRD with one version, whose schema has these properties of `spec`.
    pub(crate) fn definition(&self, properties: Value) -> Value {
        self.definition_with(json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": properties}}}))
    }

    /// Its CRD with one version and this schema.
    pub(crate) fn definition_with(&self, schema: Value) -> Value {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("things.{}", self.group)},
            "spec": {"group": self.group, "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
    }

    /// The path of its CRD.
    pub(crate) fn crd(&self) -> String {
        format!("{CRDS}/things.{}", self.group)
    }

    /// The path of all Things.
    pub(crate) fn everywhere(&self) -> String {
        format!("/apis/{}/v1/things", self.group)
    }

    /// The path of the Things in a namespace.
    pub(crate) fn things(&self, namespace: &Namespace) -> String {
        namespace.collection(&format!("{}/v1", self.group), "things")
    }

    /// A Thing with this spec.
    pub(crate) fn thing(&self, name: &str, spec: Value) -> Value {
        json!({"apiVersion": format!("{}/v1", self.group), "kind": "Thing", "metadata": {"name": name}, "spec": spec})
    }

    /// Creates the CRD and waits until it is served.
    pub(crate) async fn install(&self, world: &World<'_>, definition: &Value) -> Result<()> {
        world.create(CRDS, definition).await?;
        served(world, &self.everywhere()).await
    }

    /// Replaces the properties of `spec`; kube-apiserver needs a moment before they count.
    pub(crate) async fn change(&self, world: &World<'_>, properties: Value) -> Result<()> {
        let patch = json!([{"op": "replace", "value": properties,
            "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"}]);
        world.patch("json", &self.crd(), &patch).await?.is(200).map(drop)
    }

    /// Removes the kind and all Things.
    pub(crate) async fn remove(&self, world: &World<'_>) -> Result<()> {
        world.delete(&self.crd()).await?.is(200).map(drop)
    }
}
