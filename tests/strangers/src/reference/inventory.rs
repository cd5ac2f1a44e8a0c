//! What there is of a Project, without what differs from run to run.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::{ground::Ground, pipeline::PROJECT};

/// Collections in which a Project leaves something, within its namespace and outside.
const COLLECTIONS: &[&str] = &[
    "/api/v1/namespaces/shop/configmaps",
    "/api/v1/namespaces/shop/events",
    "/api/v1/namespaces/shop/secrets",
    "/api/v1/namespaces/shop/serviceaccounts",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/kargo.akuity.io/v1alpha1/projects",
    "/apis/kargo.akuity.io/v1alpha1/namespaces/shop/freights",
    "/apis/kargo.akuity.io/v1alpha1/namespaces/shop/projectconfigs",
    "/apis/kargo.akuity.io/v1alpha1/namespaces/shop/promotions",
    "/apis/kargo.akuity.io/v1alpha1/namespaces/shop/stages",
    "/apis/kargo.akuity.io/v1alpha1/namespaces/shop/warehouses",
];

/// A line for each object.
pub(super) struct Inventory(BTreeSet<String>);

impl Inventory {
    /// Looks around.
    pub(super) async fn take(ground: &Ground) -> Result<Self> {
        let mut lines = BTreeSet::new();
        for collection in COLLECTIONS {
            let list = ground.client.read(collection).await?;
            let items = list["items"].as_array().cloned().unwrap_or_default();
            lines.extend(items.iter().filter_map(|item| line(collection, item)));
        }
        Ok(Self(lines))
    }

    /// Fails with what only one of the two has.
    pub(super) fn compare(&self, theirs: &Self) -> Result<()> {
        let only = |one: &Self, other: &Self| {
            one.0.difference(&other.0).cloned().collect::<Vec<_>>().join("\n")
        };
        let (here, there) = (only(self, theirs), only(theirs, self));
        ensure!(
            here.is_empty() && there.is_empty(),
            "only on ours:\n{here}\nonly on kube-apiserver:\n{there}"
        );
        ensure!(!self.0.is_empty(), "there is nothing to compare");
        Ok(())
    }
}

/// What an object looks like; none for those outside of the Project's namespace that are not about it.
fn line(collection: &str, object: &Value) -> Option<String> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let is_inside = object["metadata"]["namespace"] == PROJECT;
    if !is_inside && !name.contains(PROJECT) {
        return None;
    }
    // Freight has the name of what it is made of, which includes a port; a Promotion carries the time.
    let name = match collection.rsplit('/').next() {
        Some("events") => object["reason"].as_str().unwrap_or_default(),
        Some("freights" | "promotions") => "",
        _ => name,
    };
    let labels: Vec<&str> = object["metadata"]["labels"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .collect();
    let finalizers = &object["metadata"]["finalizers"];
    let phase = &object["status"]["phase"];
    Some(format!("{collection} {name} labels {labels:?} finalizers {finalizers} phase {phase}"))
}
