//! The Applications of the cluster where Argo CD runs.

use std::{future::Future, time::Duration};

use core_rules::argo_cd::{Application, ApplicationName, refresh_patch};
use io_kube::{EventRecorder, Occurrence, Ports, is_conflict, status_code};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams},
};
use serde_json::Value;

use crate::{
    Error, Watched,
    kept::{GROUP, KIND, VERSION},
};

/// Who reports syncs.
const COMPONENT: &str = "kargo-controller";
/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(30);
/// While its kinds are being installed a cluster may not know Applications for a moment.
const DISCOVERY_TRIES: u32 = 6;
const DISCOVERY_PAUSE: Duration = Duration::from_secs(1);

/// Reads and changes Applications. Cheap to clone.
#[derive(Clone)]
pub struct Applications {
    pub(crate) client: Client,
    default_namespace: String,
    has_one_namespace: bool,
    events: EventRecorder,
    pub(crate) ports: Ports,
}

impl Applications {
    /// Applications behind a client of the cluster where Argo CD runs; those that are named without a
    /// namespace are looked for in `default_namespace`.
    pub fn new(client: Client, default_namespace: impl Into<String>, ports: &Ports) -> Self {
        Self {
            events: EventRecorder::start(client.clone(), COMPONENT, ports),
            client,
            default_namespace: default_namespace.into(),
            has_one_namespace: false,
            ports: ports.clone(),
        }
    }

    /// Watches the default namespace alone: Argo CD is not allowed Applications elsewhere, or we are not
    /// allowed to see them.
    #[must_use]
    pub fn in_default_namespace_only(mut self) -> Self {
        self.has_one_namespace = true;
        self
    }

    /// Watches Applications, from now until the tasks stop.
    pub fn watch(&self) -> Watched {
        Watched::start(self.clone())
    }

    /// The only namespace to watch, if it is only one.
    pub(crate) fn only_namespace(&self) -> Option<&str> {
        self.has_one_namespace.then_some(self.default_namespace.as_str())
    }

    /// Where Applications are that are named without a namespace.
    pub fn default_namespace(&self) -> &str {
        &self.default_namespace
    }

    /// The Application of this name.
    pub async fn get(&self, namespace: &str, name: &str) -> Result<Option<Application>, Error> {
        let api = self.api(namespace);
        let action = format!("reading Application \"{namespace}/{name}\"");
        let found = self.patiently(&action, || async {
            match api.get(name).await {
                Err(error) if is_missing_object(&error) => Ok(None),
                other => other.map(Some),
            }
        });
        found.await?.map(read).transpose()
    }

    /// The Applications in a namespace that a label query selects, by name.
    pub async fn list(&self, namespace: &str, query: &str) -> Result<Vec<Application>, Error> {
        let api = self.api(namespace);
        let parameters = ListParams::default().labels(query);
        let action = format!("listing Applications in namespace {namespace:?}");
        let found = self.patiently(&action, || api.list(&parameters)).await?;
        found.items.into_iter().map(read).collect()
    }

    /// Applies a merge patch. [`Error::Conflict`]: it names a version that is no longer the current one.
    pub async fn patch(
        &self,
        application: &Application,
        patch: &Value,
    ) -> Result<Application, Error> {
        self.patch_named(&application.name(), patch).await
    }

    /// Asks Argo CD to compare again from scratch.
    pub async fn refresh(&self, application: &ApplicationName) -> Result<(), Error> {
        self.patch_named(application, &refresh_patch()).await.map(drop)
    }

    async fn patch_named(
        &self,
        application: &ApplicationName,
        patch: &Value,
    ) -> Result<Application, Error> {
        let ApplicationName { namespace, name } = application;
        let api = self.api(namespace);
        let action = format!("updating Application \"{application}\"");
        let (parameters, patch) = (PatchParams::default(), Patch::Merge(patch));
        match self.bounded(&action, api.patch(name, &parameters, &patch)).await? {
            Ok(changed) => read(changed),
            Err(error) if is_conflict(&error) => {
                Err(Error::Conflict { namespace: namespace.clone(), name: name.clone() })
            }
            Err(cause) => Err(Error::Request { action, cause: Box::new(cause) }),
        }
    }

    /// Notes on the Application that a sync was asked for.
    pub fn record_sync(&self, application: &Application, message: String) {
        let metadata = &application.metadata;
        self.events.record(Occurrence {
            object: ObjectReference {
                api_version: Some(format!("{GROUP}/{VERSION}")),
                kind: Some(KIND.to_owned()),
                namespace: Some(metadata.namespace.clone()),
                name: Some(metadata.name.clone()),
                uid: Some(metadata.uid.clone()),
                resource_version: Some(metadata.resource_version.clone()),
                field_path: None,
            },
            reason: "OperationStarted".to_owned(),
            message,
            annotations: [("user".to_owned(), COMPONENT.to_owned())].into(),
        });
    }

    /// Whether the cluster knows Applications, without patience.
    pub(crate) async fn probe(&self) -> Result<(), Error> {
        let api = self.api(&self.default_namespace);
        let action = format!("listing Applications in namespace {:?}", self.default_namespace);
        match self.bounded(&action, api.list(&ListParams::default().limit(1))).await? {
            Ok(_) => Ok(()),
            Err(error) if status_code(&error) == Some(404) => Err(Error::NotServed),
            Err(cause) => Err(Error::Request { action, cause: Box::new(cause) }),
        }
    }

    fn api(&self, namespace: &str) -> Api<DynamicObject> {
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, VERSION, KIND));
        Api::namespaced_with(self.client.clone(), namespace, &kind)
    }

    /// Asks again, with growing pauses, while the cluster does not know Applications.
    async fn patiently<T, F>(&self, action: &str, request: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, kube::Error>>,
    {
        let mut pause = DISCOVERY_PAUSE;
        for attempt in 1..=DISCOVERY_TRIES {
            match self.bounded(action, request()).await? {
                Ok(found) => return Ok(found),
                Err(error) if status_code(&error) == Some(404) => {
                    if attempt < DISCOVERY_TRIES {
                        self.ports.clock.sleep(pause).await;
                        pause *= 2;
                    }
                }
                Err(cause) => {
                    return Err(Error::Request {
                        action: action.to_owned(),
                        cause: Box::new(cause),
                    });
                }
            }
        }
        Err(Error::NotServed)
    }

    async fn bounded<T>(&self, action: &str, request: impl Future<Output = T>) -> Result<T, Error> {
        tokio::select! {
            answer = request => Ok(answer),
            () = self.ports.clock.sleep(REQUEST) => {
                Err(Error::Deadline { action: action.to_owned(), seconds: REQUEST.as_secs() })
            }
        }
    }
}

/// Whether the cluster knows Applications and not this one.
fn is_missing_object(error: &kube::Error) -> bool {
    let names_object = |status: &kube::core::Status| {
        status.details.as_ref().is_some_and(|details| !details.name.is_empty())
    };
    matches!(error, kube::Error::Api(status) if status.code == 404 && names_object(status))
}

fn read(object: DynamicObject) -> Result<Application, Error> {
    let metadata = &object.metadata;
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let key = format!("{}/{}", part(&metadata.namespace), part(&metadata.name));
    let value = serde_json::to_value(&object).and_then(Application::read);
    value.map_err(|cause| Error::Unreadable { key, cause })
}
