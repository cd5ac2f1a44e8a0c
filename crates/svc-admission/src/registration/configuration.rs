//! The objects that make an API server ask us.

use api_kinds::{GROUP, VERSION, labels};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use core_rules::access::{Component, WEBHOOK_CONFIGURATION, user_name};
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
    /// The namespace of the installation, where controllers have their ServiceAccounts.
    pub namespace: &'a str,
    /// Whether the main controller is held to a shard. If it is not, its writes of statuses, which
    /// are the most, are not asked about; those of all others are, whenever they come.
    pub is_main_controller_held: bool,
}

/// The two configurations that make an API server ask us: mutating, then validating.
pub fn configurations(registration: &Registration<'_>) -> [Value; 2] {
    let Registration { address, authority, inject_from, .. } = registration;
    let (authority, inject_from) = (*authority, *inject_from);
    [Mutate, Validate].map(|phase| {
        let of_phase = WEBHOOKS.iter().filter(|webhook| webhook.phase == phase);
        let mut webhooks: Vec<Value> =
            of_phase.map(|webhook| entry(webhook, registration)).collect();
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

fn entry(webhook: &Webhook, registration: &Registration<'_>) -> Value {
    let operations: Vec<&str> = webhook.operations.iter().map(|one| one.as_str()).collect();
    let Registration { address, authority, .. } = registration;
    let mut entry = json!({
        "name": format!("{}.{GROUP}", webhook.name),
        "admissionReviewVersions": ["v1"],
        "clientConfig": client_config(&path_of(webhook), address, *authority),
        "rules": [{
            "apiGroups": [GROUP],
            "apiVersions": [VERSION],
            "operations": operations,
            "resources": webhook.resources,
            "scope": webhook.scope,
        }],
        "sideEffects": if webhook.has_effects { "NoneOnDryRun" } else { "None" },
        "failurePolicy": "Fail",
    });
    if let (Handler::Shard, Some(members)) = (webhook.handler, entry.as_object_mut()) {
        members.insert("matchConditions".to_owned(), controllers_only(registration));
    }
    entry
}

/// Only controllers are held to shards, so only their writes need to come to us. An API server that
/// is too old for conditions asks about all.
fn controllers_only(registration: &Registration<'_>) -> Value {
    let account = |name: &str| user_name(registration.namespace, name);
    let is_of_ours = format!("request.userInfo.username.startsWith({:?})", account(""));
    let mut conditions = vec![json!({"name": "of-the-installation", "expression": is_of_ours})];
    if !registration.is_main_controller_held {
        let main = account(Component::Controller.service_account());
        let is_other = format!("request.userInfo.username != {main:?}");
        conditions.push(json!({"name": "not-the-main-controller", "expression": is_other}));
    }
    conditions.into()
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
