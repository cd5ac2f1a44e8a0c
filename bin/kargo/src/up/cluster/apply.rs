//! Puts one object in place, or brings it into line.

use io_kube::{is_already_exists, is_conflict};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};

use super::{failure::request_failure, merge};
use crate::exit::Failure;

/// The name of our fields.
const MANAGER: &str = "kargo";
/// How often somebody else may come between our look and our write.
const TRIES: usize = 5;

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Applied {
    Created,
    Changed,
    Unchanged,
}

/// Creates the object, or changes of it what differs from `ours`; nothing else of it is touched.
pub(super) async fn apply(client: &Client, ours: &Value) -> Result<Applied, Failure> {
    let target = Target::of(client, ours);
    for _ in 1..TRIES {
        match target.attempt(ours).await {
            Err(error) if is_conflict(&error) || is_already_exists(&error) => {}
            done => return target.checked(done),
        }
    }
    target.checked(target.attempt(ours).await)
}

struct Target {
    api: Api<DynamicObject>,
    name: String,
    shown: String,
}

impl Target {
    fn of(client: &Client, object: &Value) -> Self {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (text("/kind"), text("/metadata/name"));
        let (group, version) = match text("/apiVersion").split_once('/') {
            Some(parts) => parts,
            None => ("", text("/apiVersion")),
        };
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        let api = match text("/metadata/namespace") {
            "" => Api::all_with(client.clone(), &resource),
            namespace => Api::namespaced_with(client.clone(), namespace, &resource),
        };
        Self { api, name: name.to_owned(), shown: format!("{kind} {name:?}") }
    }

    async fn attempt(&self, ours: &Value) -> Result<Applied, kube::Error> {
        let Some(live) = self.api.get_opt(&self.name).await? else {
            let parameters =
                PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
            let object = serde_json::from_value(merge::desired(ours, None));
            self.api.create(&parameters, &object.map_err(kube::Error::SerdeError)?).await?;
            return Ok(Applied::Created);
        };
        let version = live.metadata.resource_version.clone();
        let live = serde_json::to_value(live).map_err(kube::Error::SerdeError)?;
        let mut desired = merge::desired(ours, Some(&live));
        if merge::covers(&live, &desired) {
            return Ok(Applied::Unchanged);
        }
        if let Some(metadata) = desired.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("resourceVersion".to_owned(), json!(version));
        }
        let parameters =
            PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        self.api.patch(&self.name, &parameters, &Patch::Merge(desired)).await?;
        Ok(Applied::Changed)
    }

    fn checked(&self, outcome: Result<Applied, kube::Error>) -> Result<Applied, Failure> {
        match outcome {
            Err(error) if io_kube::status_code(&error) == Some(422) => {
                let failure = request_failure(format!("update {}", self.shown), &error);
                Err(failure
                    .hint("somebody else made it in another form; delete it, then start again"))
            }
            Err(error) => Err(request_failure(format!("install {}", self.shown), &error)),
            Ok(applied) => {
                if applied != Applied::Unchanged {
                    tracing::info!(object = self.shown, ?applied, "installed");
                }
                Ok(applied)
            }
        }
    }
}
