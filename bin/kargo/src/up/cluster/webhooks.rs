//! The webhook configurations of this process: put in while it serves, taken out when it stops.
//!
//! They make the API server refuse writes of our kinds when nobody answers, so they must not outlive the process. What a
//! killed one leaves behind is taken over by the next start, or taken out by `--uninstall-webhooks`.

use core_rules::{
    access::{Component, WEBHOOK_CONFIGURATION},
    admission::shard::ShardScope,
};
use k8s_openapi::api::{
    admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration},
    core::v1::ServiceAccount,
};
use kube::{Api, Client, Resource, api::DeleteParams};
use serde::de::DeserializeOwned;
use serde_json::Value;
use svc_admission::registration::{Address, Registration, configurations};

use super::{apply::apply, failure::request_failure};
use crate::exit::{Exit, Failure};

/// The mark of configurations that belong to a `kargo up`.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const UP: &str = "kargo-up";

/// Where the API server reaches this process, and whom it has to trust for that.
#[derive(Clone, Debug)]
pub(super) struct Webhooks {
    pub(super) url: String,
    pub(super) authority: Option<String>,
    pub(super) namespace: String,
}

impl Webhooks {
    /// Makes the API server ask us; what is registered already is left alone.
    pub(super) async fn register(&self, client: &Client) -> Result<(), Failure> {
        let registration = Registration {
            address: Address::Url(self.url.clone()),
            authority: self.authority.as_deref(),
            inject_from: None,
            namespace: &self.namespace,
            is_main_controller_held: is_main_controller_held(client, &self.namespace).await?,
        };
        for mut configuration in configurations(&registration) {
            mark(&mut configuration);
            apply(client, &configuration).await?;
        }
        Ok(())
    }
}

/// Fails when the configurations belong to somebody else: a chart's must neither be changed nor, at the end, removed.
pub(super) async fn check_owner(client: &Client) -> Result<(), Failure> {
    if is_foreign(get::<MutatingWebhookConfiguration>(client).await?.as_ref())
        || is_foreign(get::<ValidatingWebhookConfiguration>(client).await?.as_ref())
    {
        let taken = format!(
            "another installation has put webhook configurations {WEBHOOK_CONFIGURATION:?} into the cluster"
        );
        return Err(Failure::new(Exit::ClusterTaken, taken).hint(format!(
            "uninstall it first; if it is a left-over: kubectl delete \
             mutatingwebhookconfiguration,validatingwebhookconfiguration {WEBHOOK_CONFIGURATION}"
        )));
    }
    Ok(())
}

/// Takes the configurations of any `kargo up` out; whether there were some.
pub(super) async fn unregister(client: &Client) -> Result<bool, Failure> {
    check_owner(client).await?;
    let mutating = delete::<MutatingWebhookConfiguration>(client).await?;
    let validating = delete::<ValidatingWebhookConfiguration>(client).await?;
    Ok(mutating || validating)
}

/// Whether the main controller is held to a shard: if not, its many writes of statuses need not be asked about.
async fn is_main_controller_held(client: &Client, namespace: &str) -> Result<bool, Failure> {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
    let found = accounts.get_metadata_opt(Component::Controller.service_account()).await;
    let found =
        found.map_err(|error| request_failure("read the main controller's account", &error))?;
    let labels = found.and_then(|account| account.metadata.labels);
    Ok(labels.is_some_and(|labels| ShardScope::of_service_account(&labels).is_some()))
}

fn mark(configuration: &mut Value) {
    if let Some(metadata) = configuration.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("labels".to_owned(), serde_json::json!({ (MANAGED_BY): UP }));
    }
}

fn is_foreign<K: Resource>(configuration: Option<&K>) -> bool {
    let Some(configuration) = configuration else { return false };
    let labels = configuration.meta().labels.as_ref();
    labels.and_then(|labels| labels.get(MANAGED_BY)).is_none_or(|manager| manager != UP)
}

async fn get<K>(client: &Client) -> Result<Option<K>, Failure>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + DeserializeOwned,
{
    let api: Api<K> = Api::all(client.clone());
    let found = api.get_opt(WEBHOOK_CONFIGURATION).await;
    found.map_err(|error| request_failure("read webhook configurations", &error))
}

async fn delete<K>(client: &Client) -> Result<bool, Failure>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + DeserializeOwned,
{
    let api: Api<K> = Api::all(client.clone());
    match api.delete(WEBHOOK_CONFIGURATION, &DeleteParams::default()).await {
        Ok(_) => Ok(true),
        Err(error) if io_kube::is_not_found(&error) => Ok(false),
        Err(error) => Err(request_failure("remove webhook configurations", &error)),
    }
}
