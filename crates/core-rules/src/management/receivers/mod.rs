//! Webhook receivers of ProjectConfigs and ClusterConfigs: where they are reached, told in the
//! status.
//!
//! An address is made from a Secret and is itself a credential for senders that sign nothing.
//! Failures name Secrets and keys, never values.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use api_kinds::{
    ObjectMeta, annotations,
    cluster_config::ClusterConfigStatus,
    condition::{Condition, ConditionStatus, reasons::config as reasons, types},
    project_config::ProjectConfigStatus,
    receiver::{WebhookReceiverConfig, WebhookReceiverDetails},
};
use core_clock::Time;
use k8s_openapi::api::core::v1::Secret;

use crate::{
    condition::{self, Observation},
    receiver::{Receiver, receiver_address},
};

/// A shorter secret lets the address be guessed, where the address is all there is to know.
const MIN_PATH_SECRET_BYTES: usize = 16;

const SYNCING: &str = "Syncing webhook receivers";

/// What a receiver is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe<'a> {
    /// The word for the kind of sender in the address.
    pub kind: &'static str,
    /// The name of the Secret.
    pub secret: &'a str,
    /// The key in the Secret.
    pub key: &'static str,
    /// Whether knowing the address is all that a sender must prove.
    pub is_path_only: bool,
}

/// Why a receiver has no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiverError {
    /// Not exactly one kind of sender is configured.
    #[error("exactly one type must be configured, found {0}")]
    Types(usize),
    /// There is no namespace for the Secrets of the whole system.
    #[error("no namespace for system resources is configured (SYSTEM_RESOURCES_NAMESPACE)")]
    NoNamespace,
    /// The Secret is not there.
    #[error("Secret {secret:?} not found in namespace {namespace:?}")]
    NoSecret {
        /// Its name.
        secret: String,
        /// Where it was looked for.
        namespace: String,
    },
    /// The Secret has no such key.
    #[error("Secret {secret:?} in namespace {namespace:?} has no key {key:?}")]
    NoKey {
        /// Its name.
        secret: String,
        /// Where it is.
        namespace: String,
        /// The key.
        key: &'static str,
    },
    /// The value does not protect the address.
    #[error("key {key:?} of Secret {secret:?} must hold at least {min} bytes of UTF-8 text")]
    Weak {
        /// Its name.
        secret: String,
        /// The key.
        key: &'static str,
        /// The shortest value.
        min: usize,
    },
    /// The server's base URL cannot carry paths.
    #[error("the base URL of the external webhooks server is not usable")]
    BaseUrl,
}

/// What receivers are set up with.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The base URL of the external webhooks server.
    pub base_url: &'a str,
    /// The Project, or nothing for receivers of the whole system.
    pub project: &'a str,
    /// Where the Secrets are; empty when that is not configured.
    pub namespace: &'a str,
    /// The Secrets that exist there, of those that are referred to.
    pub secrets: &'a BTreeMap<String, Secret>,
}

/// The receivers that have an address, and why the others have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Receivers with their addresses.
    pub details: Vec<WebhookReceiverDetails>,
    /// One sentence per receiver without.
    pub failures: Vec<String>,
}

/// What a receiver is made of.
pub fn recipe(receiver: &WebhookReceiverConfig) -> Result<Recipe<'_>, ReceiverError> {
    let found = recipes(receiver);
    match found.as_slice() {
        [one] => Ok(*one),
        other => Err(ReceiverError::Types(other.len())),
    }
}

/// The names of the Secrets that receivers refer to.
pub fn secret_names(receivers: &[WebhookReceiverConfig]) -> Vec<String> {
    let mut names: Vec<String> = receivers
        .iter()
        .filter_map(|receiver| recipe(receiver).ok())
        .map(|recipe| recipe.secret.to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Finds the addresses of receivers. One that fails does not keep the others from theirs.
pub fn plan_receivers(receivers: &[WebhookReceiverConfig], cfg: &Setting<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    for receiver in receivers {
        match address(receiver, cfg) {
            Ok(details) => outcome.details.push(details),
            Err(error) => {
                outcome.failures.push(format!("receiver {:?}: {error}", receiver.name));
            }
        }
    }
    outcome
}

/// The status of a ProjectConfig after its receivers were looked at.
pub fn plan_project_config_status(
    old: &ProjectConfigStatus,
    metadata: &ObjectMeta,
    outcome: &Outcome,
    now: Time,
) -> ProjectConfigStatus {
    let words = Words {
        synced: "ProjectConfig is synced and ready for use",
        failed: "Failed to sync WebhookReceivers",
    };
    let mut new = old.clone();
    plan_conditions(&mut new.conditions, metadata, outcome, &words, now);
    new.last_handled_refresh = refresh_token(metadata);
    new.webhook_receivers.clone_from(&outcome.details);
    if outcome.failures.is_empty() {
        new.observed_generation = metadata.generation.unwrap_or_default();
    }
    new
}

/// The status of the ClusterConfig after its receivers were looked at.
pub fn plan_cluster_config_status(
    old: &ClusterConfigStatus,
    metadata: &ObjectMeta,
    outcome: &Outcome,
    now: Time,
) -> ClusterConfigStatus {
    let words = Words {
        synced: "ClusterConfig is synced and ready for use",
        failed: "Failed to sync webhook receivers",
    };
    let mut new = old.clone();
    plan_conditions(&mut new.conditions, metadata, outcome, &words, now);
    new.last_handled_refresh = refresh_token(metadata);
    new.webhook_receivers.clone_from(&outcome.details);
    if outcome.failures.is_empty() {
        new.observed_generation = metadata.generation.unwrap_or_default();
    }
    new
}

/// What the two kinds say.
struct Words {
    synced: &'static str,
    failed: &'static str,
}

fn plan_conditions(
    conditions: &mut Vec<Condition>,
    metadata: &ObjectMeta,
    outcome: &Outcome,
    words: &Words,
    now: Time,
) {
    let mut set = |r#type, status, reason, message: &str| {
        let generation = metadata.generation.unwrap_or_default();
        let observed = Observation { r#type, status, reason, message, generation };
        condition::set(conditions, observed, now);
    };
    if outcome.failures.is_empty() {
        set(types::READY, ConditionStatus::True, reasons::SYNCED, words.synced);
        condition::remove(conditions, types::RECONCILING);
        return;
    }
    let message = format!("{}: {}", words.failed, outcome.failures.join("; "));
    set(types::RECONCILING, ConditionStatus::True, reasons::SYNCING_WEBHOOKS, SYNCING);
    set(types::READY, ConditionStatus::False, reasons::SYNC_WEBHOOK_RECEIVERS_FAILED, &message);
}

fn refresh_token(metadata: &ObjectMeta) -> String {
    let token = metadata.annotations.as_ref().and_then(|all| all.get(annotations::REFRESH));
    token.cloned().unwrap_or_default()
}

fn address(
    receiver: &WebhookReceiverConfig,
    cfg: &Setting<'_>,
) -> Result<WebhookReceiverDetails, ReceiverError> {
    let recipe = recipe(receiver)?;
    let value = secret_value(&recipe, cfg)?;
    let made_of = Receiver {
        kind: recipe.kind,
        project: cfg.project,
        name: &receiver.name,
        secret_values: &[value],
    };
    let address = receiver_address(cfg.base_url, &made_of).map_err(|_| ReceiverError::BaseUrl)?;
    Ok(WebhookReceiverDetails { name: receiver.name.clone(), path: address.path, url: address.url })
}

fn secret_value<'a>(recipe: &Recipe<'_>, cfg: &Setting<'a>) -> Result<&'a str, ReceiverError> {
    if cfg.namespace.is_empty() {
        return Err(ReceiverError::NoNamespace);
    }
    let (secret, namespace) = (|| recipe.secret.to_owned(), || cfg.namespace.to_owned());
    let Some(found) = cfg.secrets.get(recipe.secret) else {
        return Err(ReceiverError::NoSecret { secret: secret(), namespace: namespace() });
    };
    let Some(value) = found.data.as_ref().and_then(|data| data.get(recipe.key)) else {
        let (secret, namespace) = (secret(), namespace());
        return Err(ReceiverError::NoKey { secret, namespace, key: recipe.key });
    };
    let min = if recipe.is_path_only { MIN_PATH_SECRET_BYTES } else { 1 };
    let text = std::str::from_utf8(&value.0).ok().filter(|text| text.len() >= min);
    text.ok_or_else(|| ReceiverError::Weak { secret: secret(), key: recipe.key, min })
}

/// Everything that is configured in a receiver: exactly one when all is well.
fn recipes(receiver: &WebhookReceiverConfig) -> Vec<Recipe<'_>> {
    const SECRET: &str = "secret";
    const TOKEN: &str = "secret-token";
    /// One line of the table of senders.
    macro_rules! line {
        ($field:ident, $key:expr, $is_path_only:literal) => {
            receiver.$field.as_ref().map(|sender| Recipe {
                kind: stringify!($field),
                secret: &sender.secret_ref.name,
                key: $key,
                is_path_only: $is_path_only,
            })
        };
    }
    let table = [
        line!(artifactory, TOKEN, false),
        line!(azure, SECRET, true),
        line!(bitbucket, SECRET, false),
        line!(dockerhub, SECRET, true),
        line!(generic, SECRET, true),
        line!(gitea, SECRET, false),
        line!(github, SECRET, false),
        line!(gitlab, TOKEN, false),
        line!(harbor, "auth-header", false),
        line!(quay, SECRET, true),
    ];
    table.into_iter().flatten().collect()
}
