//! What routes belong to.

pub(super) const CORE: &str = "Core";
pub(super) const SYSTEM: &str = "System";
pub(super) const RBAC: &str = "Rbac";
pub(super) const CREDENTIALS: &str = "Credentials";
pub(super) const VERIFICATIONS: &str = "Verifications";
pub(super) const RESOURCES: &str = "Resources";
pub(super) const EVENTS: &str = "Events";
pub(super) const CONFIG: &str = "Config";
pub(super) const GENERIC_CONFIG: &str = "Generic Config";
pub(super) const REPO_CREDENTIALS: &str = "Repo Credentials";
pub(super) const GENERIC_CREDENTIALS: &str = "Generic Credentials";
pub(super) const PROJECT_LEVEL: &str = "Project-Level";
pub(super) const SYSTEM_LEVEL: &str = "System-Level";
pub(super) const CLUSTER_SCOPED: &str = "Cluster-Scoped Resource";
pub(super) const SHARED: &str = "Shared";
pub(super) const SINGLETON: &str = "Singleton";
