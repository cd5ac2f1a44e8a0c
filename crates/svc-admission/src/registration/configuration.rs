//! The objects that make an API server ask us.

use api_kinds::{GROUP, VERSION, labels};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use core_rules::access::WEBHOOK_CONFIGURATION;
use serde_json::{Value, json};

use super::{Handler, REPLICA_PATH, WEBHOOKS, Webhook, path_of};
use crate::Phase::{Mutate, Validate};

/// Where an API server reaches us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Through a Service of the cluster.
    Service {
        /// Its name.
        name: String,
        /// Its namespace.
        namespace: String,
    },
    /// At a URL without a path, for a server outside the cluster.
    Url(String),
}

/// What the configurations depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Where the API server reaches us.
    pub address: Address,
    /// The authority to trust, in PEM form. Without it somebody else must put it in.
    pub authority: Option<&'a str>,
    /// The Certificate, as `namespace/name`, from which cert-manager takes the authority.
    pub inject_from: Option<&'a str>,
    /// Whether some controller serves a shard. If none does, writes of statuses need not be asked
    /// about.
    pub has_shards: bool,
}

/// The two configurations that make an API server ask us: mutating, then validating.
pub fn configurations(registration: &Registration<'_>) -> [Value; 2] {
    let Registration { address, authority, inject_from, has_shards } = registration;
    let (authority, inject_from) = (*authority, *inject_from);
    [Mutate, Validate].map(|phase| {
        let is_meant = |webhook: &&Webhook| {
            webhook.phase == phase && (*has_shards || webhook.handler != Handler::Shard)
        };
        let mut webhooks: Vec<Value> = WEBHOOKS
            .iter()
            .filter(is_meant)
            .map(|webhook| entry(webhook, address, authority))
            .collect();
        if phase == Validate {
            webhooks.extend(replica_entries(address, authority));
        }
        let kind = match phase {
            Mutate => "MutatingWebhookConfiguration",
            Validate => "ValidatingWebhookConfiguration",
        };
        let metadata = match inject_from {
            Some(certificate) => json!({
                "name": WEBHOOK_CONFIGURATION,
                "annotations": {"cert-manager.io/inject-ca-from": certificate},
            }),
            None => json!({"name": WEBHOOK_CONFIGURATION}),
        };
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": metadata,
            "webhooks": webhooks,
        })
    })
}

fn entry(webhook: &Webhook, address: &Address, authority: Option<&str>) -> Value {
    let operations: Vec<&str> = webhook.operations.iter().map(|one| one.as_str()).collect();
    json!({
        "name": format!("{}.{GROUP}", webhook.name),
        "admissionReviewVersions": ["v1"],
        "clientConfig": client_config(&path_of(webhook), address, authority),
        "rules": [{
            "apiGroups": [GROUP],
            "apiVersions": [VERSION],
            "operations": operations,
            "resources": webhook.resources,
            "scope": webhook.scope,
        }],
        "sideEffects": if webhook.has_effects { "NoneOnDryRun" } else { "None" },
        "failurePolicy": "Fail",
    })
}

fn replica_entries(address: &Address, authority: Option<&str>) -> [Value; 2] {
    let entry = |name: &str, operations: &[&str], failure_policy: &str| {
        let exists = |key: &str| json!({"matchExpressions": [{"key": key, "operator": "Exists"}]});
        json!({
            "name": format!("{name}.{GROUP}"),
            "admissionReviewVersions": ["v1"],
            "clientConfig": client_config(REPLICA_PATH, address, authority),
            "rules": [{
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "operations": operations,
                "resources": ["secrets", "configmaps"],
                "scope": "Namespaced",
            }],
            "objectSelector": exists(labels::REPLICATED_FROM),
            "namespaceSelector": exists(labels::PROJECT),
            "sideEffects": "None",
            "failurePolicy": failure_policy,
        })
    };
    [
        entry("replicated-resource-mutate", &["CREATE", "UPDATE"], "Fail"),
        entry("replicated-resource-delete", &["DELETE"], "Ignore"),
    ]
}

fn client_config(path: &str, address: &Address, authority: Option<&str>) -> Value {
    let (key, value) = match address {
        Address::Service { name, namespace } => {
            ("service", json!({"name": name, "namespace": namespace, "path": path}))
        }
        Address::Url(url) => ("url", format!("{}{path}", url.trim_end_matches('/')).into()),
    };
    let trust = authority.map(|authority| ("caBundle", STANDARD.encode(authority).into()));
    let members = [(key, value)].into_iter().chain(trust);
    members.map(|(key, value)| (key.to_owned(), value)).collect()
}
