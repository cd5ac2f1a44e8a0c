//! The identities that components run under: ServiceAccounts of the release namespace.

use emb_meta::GroupResource;
use serde_json::{Value, json};

/// Where the ServiceAccounts of components live.
pub(crate) const NAMESPACE: &str = "kargo";

/// The ServiceAccount of each component.
pub(crate) const SERVICE_ACCOUNTS: [&str; 6] = [
    "kargo-api",
    "kargo-controller",
    "kargo-external-webhooks-server",
    "kargo-garbage-collector",
    "kargo-management-controller",
    "kargo-webhooks-server",
];

/// The namespace and ServiceAccounts to create when they are missing.
pub(crate) fn seeds() -> Vec<Value> {
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    let accounts = SERVICE_ACCOUNTS.map(|name| {
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": NAMESPACE}})
    });
    std::iter::once(namespace).chain(accounts).collect()
}

/// In which order the content of a namespace goes: what depends on a kind goes before it, so that finalizers find what they need.
pub(crate) fn deletion_order() -> Vec<GroupResource> {
    ["promotions", "stages", "freights", "warehouses"]
        .map(|plural| GroupResource::new("kargo.akuity.io", plural))
        .into()
}
