//! The control plane behind steps, where there is one: live reads and narrow patches of its objects.

use std::{future::Future, sync::Arc, time::Duration};

use api_kinds::{
    ClusterConfig, Freight, Promotion, Stage, Warehouse, cluster_config::CLUSTER_CONFIG_NAME,
    labels,
};
use core_clock::Clock;
use core_expr::{Answer, Request};
use core_rules::credential::Secret as SecretValue;
use futures::{FutureExt, future::BoxFuture};
use io_kube::{is_not_found, status_code};
use k8s_openapi::{
    NamespaceResourceScope,
    api::core::v1::{ConfigMap, Secret},
};
use kube::{
    Api, Client, Resource,
    api::{Patch, PatchParams},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::port::{ControlPlane, GitIdentity, LookupError, MetadataOf};

/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(30);
/// Where a Secret holds the key that commits are signed with.
const SIGNING_KEY: &str = "signingKey";

/// Where things are that do not belong to a Project, and who commits unless the ClusterConfig says.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// Namespace of Secrets and ConfigMaps that all Projects may use.
    pub shared_namespace: Option<String>,
    /// Namespace of the installation's own Secrets.
    pub system_namespace: String,
    /// Who commits when the ClusterConfig does not say.
    pub git_identity: GitIdentity,
}

/// The control plane behind a client.
pub struct Cluster {
    client: Client,
    settings: ClusterSettings,
    clock: Arc<dyn Clock>,
}

impl Cluster {
    /// The control plane behind a client whose identity may read what steps ask for.
    pub fn new(client: Client, settings: ClusterSettings, clock: Arc<dyn Clock>) -> Self {
        Self { client, settings, clock }
    }

    fn api<K>(&self, namespace: &str) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), namespace)
    }

    /// The object of this name, if there is one.
    async fn read<K>(&self, namespace: &str, name: &str) -> Result<Option<K>, LookupError>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + DeserializeOwned
            + std::fmt::Debug,
    {
        let api = self.api::<K>(namespace);
        let what = format!("{} {namespace}/{name}", K::kind(&()));
        self.request(&what, api.get_opt(name)).await
    }

    /// The same in the namespace that all Projects share, which may not be set up.
    async fn read_shared<K>(&self, name: &str) -> Result<Option<K>, LookupError>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + DeserializeOwned
            + std::fmt::Debug,
    {
        let namespace = self.settings.shared_namespace.as_deref().ok_or_else(|| LookupError {
            message: "no namespace of shared resources is set up: set SHARED_RESOURCES_NAMESPACE"
                .to_owned(),
            is_temporary: false,
        })?;
        self.read(namespace, name).await
    }

    /// A merge patch; `false` when the object is not there.
    async fn patch<K>(
        &self,
        namespace: &str,
        name: &str,
        subresource: Subresource,
        patch: &Value,
    ) -> Result<bool, LookupError>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + DeserializeOwned
            + std::fmt::Debug,
    {
        let api = self.api::<K>(namespace);
        let what = format!("{} {namespace}/{name}", K::kind(&()));
        let (parameters, patch) = (PatchParams::default(), Patch::Merge(patch));
        let sent = async {
            let answer = match subresource {
                Subresource::None => api.patch(name, &parameters, &patch).await,
                Subresource::Status => api.patch_status(name, &parameters, &patch).await,
            };
            match answer {
                Ok(_) => Ok(true),
                Err(error) if is_not_found(&error) => Ok(false),
                Err(error) => Err(error),
            }
        };
        self.request(&what, sent).await
    }

    async fn request<T>(
        &self,
        what: &str,
        request: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, LookupError> {
        tokio::select! {
            answer = request => answer.map_err(|error| LookupError {
                is_temporary: is_temporary(&error),
                message: format!("{what}: {error}"),
            }),
            () = self.clock.sleep(REQUEST) => Err(LookupError {
                message: format!("{what}: no answer within {} s", REQUEST.as_secs()),
                is_temporary: true,
            }),
        }
    }

    async fn look_up(&self, project: &str, request: &Request) -> Result<Answer, LookupError> {
        let answer = match request {
            Request::Secret(name) => self.read(project, name).await?.map(secret),
            Request::SharedSecret(name) => self.read_shared(name).await?.map(secret),
            Request::ConfigMap(name) => self.read(project, name).await?.map(config_map),
            Request::SharedConfigMap(name) => self.read_shared(name).await?.map(config_map),
            Request::Freight(name) => {
                self.read::<Freight>(project, name).await?.map(|freight| status(&freight.status))
            }
            Request::Stage(name) => {
                self.read::<Stage>(project, name).await?.map(|stage| status(&stage.status))
            }
            Request::Warehouse(name) => {
                let found = self.read::<Warehouse>(project, name).await?;
                found.map(|warehouse| Answer::Warehouse(warehouse.spec.subscriptions))
            }
        };
        Ok(answer.unwrap_or(Answer::Missing))
    }

    async fn identity(&self) -> Result<GitIdentity, LookupError> {
        let api: Api<ClusterConfig> = Api::all(self.client.clone());
        let config = self.request("ClusterConfig", api.get_opt(CLUSTER_CONFIG_NAME)).await?;
        let fallback = &self.settings.git_identity;
        let Some(git) = config.and_then(|config| config.spec.git_client) else {
            return Ok(fallback.clone());
        };
        let signing_key = match git.signing_key_secret {
            Some(reference) => Some(self.signing_key(&reference.name).await?),
            None => fallback.signing_key.clone(),
        };
        Ok(GitIdentity { name: git.name, email: git.email, signing_key })
    }

    async fn signing_key(&self, name: &str) -> Result<SecretValue, LookupError> {
        let namespace = &self.settings.system_namespace;
        let found = self.read::<Secret>(namespace, name).await?;
        let key = found.and_then(|secret| secret.data?.remove(SIGNING_KEY));
        let text =
            key.and_then(|key| String::from_utf8(key.0).ok()).filter(|text| !text.is_empty());
        text.map(SecretValue::new).ok_or_else(|| LookupError {
            message: format!(
                "Secret {namespace}/{name} that the ClusterConfig signs commits with is missing or has no key {SIGNING_KEY:?}"
            ),
            is_temporary: false,
        })
    }
}

#[derive(Clone, Copy)]
enum Subresource {
    None,
    Status,
}

/// Whether asking again may help: nobody answered, or the server is too busy.
fn is_temporary(error: &kube::Error) -> bool {
    status_code(error).is_none_or(|code| code == 409 || code == 429 || code >= 500)
}

fn secret(secret: Secret) -> Answer {
    let data = secret.data.unwrap_or_default();
    Answer::Secret {
        labels: secret.metadata.labels.unwrap_or_default(),
        data: data.into_iter().map(|(key, value)| (key, value.0)).collect(),
    }
}

fn config_map(map: ConfigMap) -> Answer {
    Answer::ConfigMap(map.data)
}

fn status(status: &impl serde::Serialize) -> Answer {
    // What came from JSON goes back to JSON.
    Answer::Status(serde_json::to_value(status).unwrap_or_default())
}

impl ControlPlane for Cluster {
    fn answer<'a>(
        &'a self,
        project: &'a str,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Answer, LookupError>> {
        self.look_up(project, request).boxed()
    }

    fn warehouse<'a>(
        &'a self,
        project: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Warehouse>, LookupError>> {
        self.read(project, name).boxed()
    }

    fn freight<'a>(
        &'a self,
        project: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Freight>, LookupError>> {
        self.read(project, name).boxed()
    }

    fn promotion<'a>(
        &'a self,
        project: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Promotion>, LookupError>> {
        self.read(project, name).boxed()
    }

    fn set_metadata<'a>(
        &'a self,
        project: &'a str,
        object: MetadataOf<'a>,
        values: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, LookupError>> {
        async move {
            // Only these keys are in the patch, so that others' keys are never lost.
            let patch = json!({"status": {"metadata": values}});
            match object {
                MetadataOf::Stage(name) => {
                    self.patch::<Stage>(project, name, Subresource::Status, &patch).await
                }
                MetadataOf::Freight(name) => {
                    self.patch::<Freight>(project, name, Subresource::Status, &patch).await
                }
            }
        }
        .boxed()
    }

    fn set_alias<'a>(
        &'a self,
        project: &'a str,
        freight: &'a str,
        alias: &'a str,
    ) -> BoxFuture<'a, Result<(), LookupError>> {
        async move {
            let patch = json!({"alias": alias, "metadata": {"labels": {labels::ALIAS: alias}}});
            let found = self.patch::<Freight>(project, freight, Subresource::None, &patch).await?;
            if found {
                return Ok(());
            }
            let message = format!("Freight {project}/{freight} is gone");
            Err(LookupError { message, is_temporary: false })
        }
        .boxed()
    }

    fn git_identity(&self) -> BoxFuture<'_, Result<GitIdentity, LookupError>> {
        self.identity().boxed()
    }
}
