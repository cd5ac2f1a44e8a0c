//! Names of the objects and identities that grants refer to.

/// The role by which the API server and administrators work in a Project's namespace.
pub const PROJECT_ADMIN: &str = "kargo-project-admin";
/// The role by which the external webhooks server reads the Secrets of a Project.
pub const PROJECT_SECRETS_READER: &str = "kargo-project-secrets-reader";
/// The role by which controllers read the Secrets of a Project.
pub const CONTROLLER_READ_SECRETS: &str = "kargo-controller-read-secrets";
/// The end of the names of the RoleBindings for controllers.
pub const READ_SECRETS_SUFFIX: &str = "-read-secrets";

/// The ServiceAccount of the API server.
pub const API_ACCOUNT: &str = "kargo-api";
/// The ServiceAccount of the system's administrators.
pub const ADMIN_ACCOUNT: &str = "kargo-admin";
/// The ServiceAccount of the external webhooks server.
pub const EXTERNAL_WEBHOOKS_ACCOUNT: &str = "kargo-external-webhooks-server";

/// The label that says which component an object is part of.
pub const COMPONENT: &str = "app.kubernetes.io/component";
/// The component that controllers are.
pub const CONTROLLER_COMPONENT: &str = "controller";

/// The kind of a role for the whole cluster, as references spell it.
pub const CLUSTER_ROLE: &str = "ClusterRole";
/// The kind of a role in a namespace, as references spell it.
pub const ROLE: &str = "Role";
