//! Label keys and their fixed values.

/// Freight: its alias, copied from the `alias` field.
pub const ALIAS: &str = "kargo.akuity.io/alias";
/// Heartbeat Lease: the name of the controller that keeps it.
pub const CONTROLLER: &str = "kargo.akuity.io/controller";
/// ConfigMap in the namespace of system resources: `true` marks what everybody is to be told.
pub const ANNOUNCEMENT: &str = "kargo.akuity.io/announcement";
/// Secret: what the credentials are for; one of the `CREDENTIALS_*` values.
pub const CREDENTIALS_TYPE: &str = "kargo.akuity.io/cred-type";
/// AnalysisRun: the id of the Freight collection under verification.
pub const FREIGHT_COLLECTION: &str = "kargo.akuity.io/freight-collection";
/// Namespace: `true` marks the namespace of a Project.
pub const PROJECT: &str = "kargo.akuity.io/project";
/// Replicated Secret or ConfigMap: the name of the source.
pub const REPLICATED_FROM: &str = "kargo.akuity.io/replicated-from";
/// Replicated Secret or ConfigMap: the hash of the replicated content.
pub const REPLICATED_SHA: &str = "kargo.akuity.io/replicated-sha";
/// Stage, Warehouse, Promotion, PromotionRequest: the shard; absent means the default controller.
pub const SHARD: &str = "kargo.akuity.io/shard";
/// Promotion, PromotionRequest, AnalysisRun: the Stage, shortened to fit a label.
pub const STAGE: &str = "kargo.akuity.io/stage";
/// Secret: `true` marks an API token of a role.
pub const API_TOKEN: &str = "rbac.kargo.akuity.io/api-token";
/// ServiceAccount in the installation's namespace: `true` marks a system role.
pub const SYSTEM_ROLE: &str = "rbac.kargo.akuity.io/system-role";

/// The value of labels and annotations that are flags.
pub const TRUE: &str = "true";

/// Credentials for Git repositories.
pub const CREDENTIALS_GIT: &str = "git";
/// Credentials for Helm chart repositories.
pub const CREDENTIALS_HELM: &str = "helm";
/// Credentials for container image repositories.
pub const CREDENTIALS_IMAGE: &str = "image";
/// Credentials that steps read by name.
pub const CREDENTIALS_GENERIC: &str = "generic";
