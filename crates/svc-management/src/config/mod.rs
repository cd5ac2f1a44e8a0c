//! ProjectConfigs and the ClusterConfig: the addresses of their webhook receivers.

mod secret;

use std::{collections::BTreeMap, time::Duration};

use api_kinds::{
    ClusterConfig, ProjectConfig,
    cluster_config::{CLUSTER_CONFIG_NAME, ClusterConfigStatus},
    project_config::ProjectConfigStatus,
    receiver::WebhookReceiverConfig,
};
use core_rules::management::receivers::{self, Outcome, Setting};
use io_kube::{Failure, Next, ObjectKey, Pass, Precondition, patch_status};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;

pub(crate) use secret::SecretWatches;

use crate::context::{Context, Cx, failure};

/// Changed Secrets are seen at once; this is for what no watch tells.
const LOOK_AGAIN: Duration = Duration::from_mins(5);

/// One pass over a ProjectConfig. Only the one that has the name of its Project counts.
pub(crate) async fn reconcile_project(cx: Cx, key: ObjectKey, pass: Pass) -> Result<Next, Failure> {
    // Any other would let people who may not read Secrets learn from their addresses.
    if key.name != key.namespace || !cx.caches.is_project_namespace(&key.namespace) {
        return Ok(Next::Done);
    }
    let found = cx.caches.project_configs.get(&key).filter(|config| is_alive(&config.metadata));
    let receivers = found.as_ref().map_or(&[][..], |config| &config.spec.webhook_receivers);
    watch_project_secrets(&cx, &key, receivers);
    let Some(config) = found.as_ref() else { return Ok(Next::Done) };
    let place = Place { project: &key.namespace, namespace: &key.namespace };
    let outcome = observe_receivers(&cx, receivers, place).await?;
    let status = plan_project_status(&cx, config, &outcome);
    let new = ProjectConfig { status, ..ProjectConfig::clone(config) };
    let written = patch_status(&cx.client, &**config, &new, Precondition::Version).await;
    if let Some(written) = written.map_err(failure)? {
        pass.wrote(&cx.caches.project_configs, &written);
    }
    conclude(&outcome)
}

/// One pass over the ClusterConfig.
pub(crate) async fn reconcile_cluster(cx: Cx, key: ObjectKey, pass: Pass) -> Result<Next, Failure> {
    if key.name != CLUSTER_CONFIG_NAME {
        return Ok(Next::Done);
    }
    let found = cx.caches.cluster_configs.get(&key).filter(|config| is_alive(&config.metadata));
    let receivers = found.as_ref().map_or(&[][..], |config| &config.spec.webhook_receivers);
    watch_cluster_secrets(&cx, &key, receivers);
    let Some(config) = found.as_ref() else { return Ok(Next::Done) };
    let place = Place { project: "", namespace: &cx.settings.system_resources_namespace };
    let outcome = observe_receivers(&cx, receivers, place).await?;
    let status = plan_cluster_status(&cx, config, &outcome);
    let new = ClusterConfig { status, ..ClusterConfig::clone(config) };
    let written = patch_status(&cx.client, &**config, &new, Precondition::Version).await;
    if let Some(written) = written.map_err(failure)? {
        pass.wrote(&cx.caches.cluster_configs, &written);
    }
    conclude(&outcome)
}

/// Whose receivers, and where their Secrets are.
#[derive(Clone, Copy)]
struct Place<'a> {
    project: &'a str,
    namespace: &'a str,
}

/// Reads the Secrets that receivers refer to, and finds the receivers' addresses.
async fn observe_receivers(
    cx: &Context,
    configs: &[WebhookReceiverConfig],
    place: Place<'_>,
) -> Result<Outcome, Failure> {
    let mut secrets = BTreeMap::new();
    if !place.namespace.is_empty() {
        let api = Api::<Secret>::namespaced(cx.client.clone(), place.namespace);
        for name in receivers::secret_names(configs) {
            if let Some(secret) = api.get_opt(&name).await.map_err(failure)? {
                secrets.insert(name, secret);
            }
        }
    }
    let base_url = &cx.settings.external_webhook_server_base_url;
    let (project, namespace) = (place.project, place.namespace);
    let setting = Setting { base_url, project, namespace, secrets: &secrets };
    Ok(receivers::plan_receivers(configs, &setting))
}

fn plan_project_status(
    cx: &Context,
    config: &ProjectConfig,
    outcome: &Outcome,
) -> ProjectConfigStatus {
    let metadata = &config.metadata;
    receivers::plan_project_config_status(&config.status, metadata, outcome, cx.now())
}

fn plan_cluster_status(
    cx: &Context,
    config: &ClusterConfig,
    outcome: &Outcome,
) -> ClusterConfigStatus {
    let metadata = &config.metadata;
    receivers::plan_cluster_config_status(&config.status, metadata, outcome, cx.now())
}

/// Lets changes of the Secrets that a ProjectConfig refers to wake it.
fn watch_project_secrets(cx: &Context, key: &ObjectKey, configs: &[WebhookReceiverConfig]) {
    let (queue, woken) = (cx.queues.project_configs.clone(), key.clone());
    let names = receivers::secret_names(configs);
    cx.secret_watches.keep(&key.namespace, names, move || queue.add(woken.clone()));
}

/// Lets changes of the Secrets that the ClusterConfig refers to wake it.
fn watch_cluster_secrets(cx: &Context, key: &ObjectKey, configs: &[WebhookReceiverConfig]) {
    let (queue, woken) = (cx.queues.cluster_configs.clone(), key.clone());
    let names = receivers::secret_names(configs);
    let namespace = &cx.settings.system_resources_namespace;
    if !namespace.is_empty() {
        cx.secret_watches.keep(namespace, names, move || queue.add(woken.clone()));
    }
}

fn is_alive(metadata: &kube::api::ObjectMeta) -> bool {
    metadata.deletion_timestamp.is_none()
}

fn conclude(outcome: &Outcome) -> Result<Next, Failure> {
    if outcome.failures.is_empty() {
        return Ok(Next::Done);
    }
    Err(Failure::Waiting { after: LOOK_AGAIN, reason: outcome.failures.join("; ") })
}
