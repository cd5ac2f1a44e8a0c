//! Where an object of any kind is written.

use core_rules::resource::{Resource, Step};
use kube::{
    api::{DeleteParams, GetParams, Patch, PostParams},
    core::{Request, Status},
};
use serde_json::Value;

use super::apply::Manager;
use crate::{
    api_error::{ApiError, ApiResult},
    caller::{Caller, Grant, Target, is_segment},
    query::Query,
};

/// What to do when others manage the fields.
const TAKE_OVER: &str =
    "leave these fields out, or take them over with force=true (kargo apply --force-conflicts)";

/// Whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Write,
    /// Everything is checked, and nothing is.
    DryRun,
}

impl Mode {
    /// What a query asks for, in the words of Kubernetes.
    pub(super) fn read(query: &Query) -> ApiResult<Self> {
        match query.text("dryRun") {
            "" => Ok(Self::Write),
            "all" | "All" => Ok(Self::DryRun),
            _ => Err(ApiError::bad_request("dryRun: only \"all\" is known")),
        }
    }

    fn params(self) -> PostParams {
        PostParams { dry_run: self == Self::DryRun, ..PostParams::default() }
    }
}

/// Why a merge did not happen.
pub(super) enum Refusal {
    /// Somebody wrote the object in between.
    Outrun(ApiError),
    Other(ApiError),
}

impl Refusal {
    /// The same refusal, told by what was being done.
    pub(super) fn during(self, step: Step) -> Self {
        match self {
            Self::Outrun(error) => Self::Outrun(error.during(step)),
            Self::Other(error) => Self::Other(error.during(step)),
        }
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Other(error)
    }
}

impl From<kube::Error> for Refusal {
    fn from(error: kube::Error) -> Self {
        match &error {
            kube::Error::Api(status) if is_quarrel(status) => {
                let message = &status.message;
                // Several conflicts are told on a line each.
                let end = if message.contains('\n') { "\n" } else { "; " };
                Self::Other(ApiError::conflict(format!("{message}{end}{TAKE_OVER}")))
            }
            kube::Error::Api(status) if status.code == 409 => Self::Outrun(error.into()),
            _ => Self::Other(error.into()),
        }
    }
}

/// Whether others manage fields that the object sets.
fn is_quarrel(status: &Status) -> bool {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    causes.any(|cause| cause.reason == "FieldManagerConflict")
}

/// The requests for one object, and what to ask about it.
pub(super) struct Endpoint {
    mode: Mode,
    pub(super) target: Target,
    requests: Request,
}

impl Endpoint {
    /// Finds out how the kind of an object is reached.
    pub(super) async fn find(caller: &Caller, resource: &Resource, mode: Mode) -> ApiResult<Self> {
        let api = caller.api();
        let now = api.ports().clock.monotonic();
        let (version, kind) = (resource.api_version(), resource.kind());
        let served = api.discovery().find(version, kind, now).await?;
        let namespace = if served.is_namespaced { resource.namespace() } else { "" };
        let name = resource.name();
        let is_wrong = |text: &str| !text.is_empty() && !is_segment(text);
        if is_wrong(name) || is_wrong(namespace) {
            return Err(ApiError::bad_request(format!("{name:?} is no name of an object")));
        }
        if served.is_namespaced && namespace.is_empty() {
            let message = format!(
                "{kind} {name:?} names no namespace: metadata.namespace is the name of its Project"
            );
            return Err(ApiError::bad_request(message));
        }
        let target = Target::any(resource.group(), &served.plural, namespace, name);
        let root = if resource.group().is_empty() { "/api" } else { "/apis" };
        let scope =
            if served.is_namespaced { format!("/namespaces/{namespace}") } else { String::new() };
        let requests = Request::new(format!("{root}/{version}{scope}/{}", served.plural));
        Ok(Self { mode, target, requests })
    }

    /// The object as it is stored, if it is. One that has no name yet is not.
    pub(super) async fn get(&self, caller: &Caller, grant: Grant) -> ApiResult<Option<Value>> {
        let name = grant.name();
        if name.is_empty() {
            return Ok(None);
        }
        let request = self.requests.get(name, &GetParams::default()).map_err(ApiError::internal)?;
        match caller.api().client().request(request).await {
            Ok(stored) => Ok(Some(stored)),
            Err(error) if io_kube::is_not_found(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn create(
        &self,
        caller: &Caller,
        _grant: Grant,
        resource: &Resource,
    ) -> ApiResult<Value> {
        let body = serde_json::to_vec(resource.as_object()).map_err(ApiError::internal)?;
        let request = self.requests.create(&self.mode.params(), body);
        self.send(caller, request).await
    }

    pub(super) async fn replace(
        &self,
        caller: &Caller,
        grant: Grant,
        resource: &Resource,
    ) -> ApiResult<Value> {
        let body = serde_json::to_vec(resource.as_object()).map_err(ApiError::internal)?;
        let request = self.requests.replace(grant.name(), &self.mode.params(), body);
        self.send(caller, request).await
    }

    /// What would become of the stored object, if this one were merged into it.
    pub(super) async fn preview(
        &self,
        caller: &Caller,
        grant: &Grant,
        resource: &Resource,
        manager: &Manager,
    ) -> Result<Value, Refusal> {
        let params = manager.params(Mode::DryRun);
        let patch = Patch::Apply(resource.as_object());
        let request = self.requests.patch(grant.name(), &params, &patch);
        let request = request.map_err(ApiError::internal)?;
        Ok(caller.api().client().request(request).await?)
    }

    /// Merges the object into the stored one.
    pub(super) async fn apply(
        &self,
        caller: &Caller,
        grant: Grant,
        resource: &Resource,
        manager: &Manager,
    ) -> Result<Value, Refusal> {
        let params = manager.params(self.mode);
        let patch = Patch::Apply(resource.as_object());
        let request = self.requests.patch(grant.name(), &params, &patch);
        let request = request.map_err(ApiError::internal)?;
        let written = caller.api().client().request(request).await?;
        self.catch_up(caller, &written).await;
        Ok(written)
    }

    pub(super) async fn delete(&self, caller: &Caller, grant: Grant) -> ApiResult<()> {
        if grant.name().is_empty() {
            return Err(ApiError::bad_request(format!(
                "{}: metadata.name says which one to delete, and is missing",
                self.target.resource
            )));
        }
        let is_dry = self.mode == Mode::DryRun;
        let params = DeleteParams { dry_run: is_dry, ..DeleteParams::default() };
        let request = self.requests.delete(grant.name(), &params).map_err(ApiError::internal)?;
        let _reply: Value = caller.api().client().request(request).await?;
        if is_dry {
            return Ok(());
        }
        if let Some(mirror) = caller.mirrors().of(&self.target.group, &self.target.resource) {
            mirror.catch_up_deletion(&self.target.namespace, grant.name()).await;
        }
        Ok(())
    }

    /// Writes, and waits until that shows: the next object may be about this one.
    async fn send(
        &self,
        caller: &Caller,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> ApiResult<Value> {
        let request = request.map_err(ApiError::internal)?;
        let written: Value = caller.api().client().request(request).await?;
        self.catch_up(caller, &written).await;
        Ok(written)
    }

    /// Waits until a write shows.
    async fn catch_up(&self, caller: &Caller, written: &Value) {
        if self.mode == Mode::DryRun {
            return;
        }
        let version = written.pointer("/metadata/resourceVersion").and_then(Value::as_str);
        let mirror = caller.mirrors().of(&self.target.group, &self.target.resource);
        if let (Some(mirror), Some(version)) = (mirror, version.and_then(|one| one.parse().ok())) {
            mirror.catch_up(version).await;
        }
    }
}
