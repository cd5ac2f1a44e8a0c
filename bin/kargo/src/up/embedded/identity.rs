//! The identities of components on the embedded engine, and what must be there before any of them starts.

use std::sync::Arc;

use core_rules::access::{self, Component};
use emb_apiserver::ApiServer;
use emb_auth::Identity;
use emb_meta::GroupResource;
use emb_store::{Entry, Key, Store};
use kube::Client;
use serde_json::Value;
use tower::Layer;

use crate::{
    cluster,
    up::{components::Clients, installation::Installation},
};

/// Clients that enter the engine in process, each as the ServiceAccount of its component.
pub(super) struct InProcess<'a> {
    pub(super) server: &'a ApiServer,
    pub(super) store: &'a Store,
    pub(super) installation: &'a Installation,
}

impl Clients for InProcess<'_> {
    fn client(&self, component: Component) -> Client {
        let (namespace, name) = (self.installation.namespace(), component.service_account());
        let uid =
            service_account(self.store, namespace, name).map(|account| account.uid.to_string());
        let identity = Identity::service_account(namespace, name, &uid.unwrap_or_default());
        let service = cluster::agent(component).layer(self.server.client_service(identity));
        Client::new(service, "default")
    }
}

/// A ServiceAccount of the release namespace.
pub(super) fn service_account(store: &Store, namespace: &str, name: &str) -> Option<Arc<Entry>> {
    let resource = GroupResource::new("", "serviceaccounts");
    store.get(&Key { resource, namespace: namespace.into(), name: name.into() })
}

/// The namespaces, ServiceAccounts, roles and bindings to create when they are missing.
pub(super) fn seeds(installation: &Installation) -> Vec<Value> {
    let options = &installation.options;
    access::namespaces(options).into_iter().chain(access::objects(options)).collect()
}

/// In which order the content of a namespace goes: what depends on a kind goes before it, so that finalizers find what they need.
pub(super) fn deletion_order() -> Vec<GroupResource> {
    ["promotions", "stages", "freights", "warehouses"]
        .map(|plural| GroupResource::new("kargo.akuity.io", plural))
        .into()
}
