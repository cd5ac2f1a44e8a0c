//! The identities that components run under, and what must be there before any of them starts.

use core_rules::access::{self, Component, Options};
use emb_meta::GroupResource;
use serde_json::Value;

/// What this installation decides about access: everything that one process holds.
fn options() -> Options {
    Options::default()
}

/// Where the ServiceAccounts of components live.
pub(crate) fn namespace() -> String {
    options().namespace
}

/// The ServiceAccount of each component.
pub(crate) fn service_accounts() -> impl Iterator<Item = &'static str> {
    Component::ALL.into_iter().map(Component::service_account)
}

/// The namespaces, ServiceAccounts, roles and bindings to create when they are missing.
pub(crate) fn seeds() -> Vec<Value> {
    let options = options();
    access::namespaces(&options).into_iter().chain(access::objects(&options)).collect()
}

/// In which order the content of a namespace goes: what depends on a kind goes before it, so that finalizers find what they need.
pub(crate) fn deletion_order() -> Vec<GroupResource> {
    ["promotions", "stages", "freights", "warehouses"]
        .map(|plural| GroupResource::new("kargo.akuity.io", plural))
        .into()
}
