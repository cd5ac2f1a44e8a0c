//! What the server tells about itself.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to a login of the administrator.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AdminLogin {
    /// The token to send with every request.
    pub id_token: String,
}

/// What a client must know to log in; readable without a login.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PublicConfig {
    /// Whether the administrator can log in with a password.
    pub admin_account_enabled: bool,
    /// How to log in by an identity provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_config: Option<OidcConfig>,
    /// Whether everybody is let in.
    pub skip_auth: bool,
}

/// An identity provider, as its clients see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct OidcConfig {
    /// The issuer.
    pub issuer_url: String,
    /// The client of the web interface.
    pub client_id: String,
    /// The client of the command line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cli_client_id: String,
    /// What to ask for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// What the web interface must know about the installation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ServerConfig {
    /// Argo CD by shard; the empty name is that of no shard.
    pub argocd_shards: BTreeMap<String, ArgoCdShard>,
    /// Whether credentials can be written.
    pub secret_management_enabled: bool,
    /// Where objects of the whole installation live.
    pub system_resources_namespace: String,
    /// Where objects that all Projects share live.
    pub shared_resources_namespace: String,
    /// Where the components run.
    pub kargo_namespace: String,
    /// Whether logs of AnalysisRuns can be read.
    pub has_analysis_run_logs_url_template: bool,
}

/// Where Argo CD of a shard is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ArgoCdShard {
    /// The address of its web interface.
    pub url: String,
    /// Its namespace.
    pub namespace: String,
}

/// Which build this is. `goVersion` keeps its name for clients that read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct VersionInfo {
    /// The version, or `devel+<commit>`.
    pub version: String,
    /// When it was built, RFC 3339.
    pub build_date: String,
    /// What it was built from.
    pub git_commit: String,
    /// Whether that was changed before the build.
    pub git_tree_dirty: bool,
    /// The version of the compiler.
    pub go_version: String,
    /// The compiler.
    pub compiler: String,
    /// Operating system and processor.
    pub platform: String,
}

/// Which controllers are alive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ControllerHeartbeats {
    /// By the name of the controller, which may be empty.
    pub heartbeats: BTreeMap<String, Heartbeat>,
    /// The controller of objects that name no shard.
    pub default_controller: String,
}

/// The last sign of life of a controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heartbeat {
    /// The name of the controller.
    #[serde(default)]
    pub controller: String,
    /// Whether it lives.
    pub status: HeartbeatStatus,
    /// When it gave the last sign, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

/// Whether a controller lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HeartbeatStatus {
    /// Its last sign of life is recent enough.
    Alive,
    /// It is not.
    Dead,
}
