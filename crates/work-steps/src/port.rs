//! What steps reach the outside through. The controller and `kargo run` hand in their own.

use std::sync::Arc;

use api_kinds::{freight::Freight, promotion::Promotion, warehouse::Warehouse};
use core_clock::{Clock, Entropy, Environment, Tasks};
use core_expr::{Answer, Request};
use core_rules::credential::Secret;
use futures::future::BoxFuture;
use io_creds::CredentialSource;
use io_http::outbound::Outbound;
use serde_json::{Map, Value};

/// Everything that steps may reach. A step sees only what its needs name.
#[derive(Clone)]
pub struct Ports {
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub environment: Arc<dyn Environment>,
    pub tasks: Arc<dyn Tasks>,
    pub exec: io_exec::Exec,
    pub outbound: Outbound,
    pub git: io_git::Store,
    pub registries: io_oci::Registries,
    pub credentials: Arc<dyn CredentialSource>,
    pub control_plane: Arc<dyn ControlPlane>,
    /// Argo CD's Applications, where the integration is on.
    pub applications: Option<io_argo::Applications>,
    pub settings: Arc<Settings>,
}

/// What an operator may set for steps.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How remote changes are taken in before a push.
    pub push_integration: io_git::PushIntegration,
    /// How many commits `github-push` replays at most; 0 stands for 10.
    pub github_push_max_revisions: usize,
    /// Whether `github-push` lets GitHub sign commits that nobody we trust signed.
    pub github_push_verify_untrusted: bool,
    /// Whose the hosts of repositories are, and where their APIs are.
    pub scm: io_scm::Settings,
    /// Most bytes `oci-push` copies between repositories; `None` is without limit, 0 forbids it.
    pub oci_push_max_bytes: Option<u64>,
}

/// A failed look at the control plane: one sentence, no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LookupError {
    /// What went wrong.
    pub message: String,
    /// Whether another attempt may help.
    pub is_temporary: bool,
}

/// Who makes commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitIdentity {
    pub name: String,
    pub email: String,
    /// An armoured GPG private key; `None` means commits are not signed.
    pub signing_key: Option<Secret>,
}

/// The objects of the control plane that steps and expressions look at or change.
pub trait ControlPlane: Send + Sync {
    /// Fetches what an expression asks for, in a Project.
    fn answer<'a>(
        &'a self,
        project: &'a str,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Answer, LookupError>>;

    /// A Warehouse of a Project.
    fn warehouse<'a>(
        &'a self,
        project: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Warehouse>, LookupError>>;

    /// Freight of a Project.
    fn freight<'a>(
        &'a self,
        project: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Freight>, LookupError>>;

    /// A Promotion of a Project, as it is now.
    fn promotion<'a>(
        &'a self,
        project: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Promotion>, LookupError>>;

    /// Sets these keys of the metadata in the status of a Stage or Freight, and no others; `null`
    /// removes one. `false`: there is no such object.
    fn set_metadata<'a>(
        &'a self,
        project: &'a str,
        object: MetadataOf<'a>,
        values: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, LookupError>>;

    /// Gives Freight an alias, label and field at once.
    fn set_alias<'a>(
        &'a self,
        project: &'a str,
        freight: &'a str,
        alias: &'a str,
    ) -> BoxFuture<'a, Result<(), LookupError>>;

    /// The identity that the installation commits with.
    fn git_identity(&self) -> BoxFuture<'_, Result<GitIdentity, LookupError>>;
}

/// Whose metadata a step sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataOf<'a> {
    Stage(&'a str),
    Freight(&'a str),
}
