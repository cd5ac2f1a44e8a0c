//! The identities that components run under, and what must be there before any of them starts.

use std::sync::Arc;

use core_rules::access::{self, ArgoCd, Component, Options};
use emb_auth::Identity;
use emb_meta::GroupResource;
use emb_store::{Entry, Key, Store};
use serde_json::Value;

/// What this installation decides about access. The embedded engine has neither Argo CD nor Rollouts.
fn options() -> Options {
    Options { rollouts: false, argocd: ArgoCd::Absent, ..Options::default() }
}

/// Where the ServiceAccounts of components live.
pub(crate) fn namespace() -> String {
    options().namespace
}

/// The identity of a component, as its ServiceAccount stands in the store.
pub(crate) fn identity(store: &Store, component: Component) -> Identity {
    let name = component.service_account();
    let uid = service_account(store, name).map(|account| account.uid.to_string());
    Identity::service_account(&namespace(), name, &uid.unwrap_or_default())
}

/// A ServiceAccount of the release namespace.
pub(crate) fn service_account(store: &Store, name: &str) -> Option<Arc<Entry>> {
    let resource = GroupResource::new("", "serviceaccounts");
    store.get(&Key { resource, namespace: namespace().into(), name: name.into() })
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
