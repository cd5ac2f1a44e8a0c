//! Names of the objects and identities that grants refer to.

use crate::access::{Component, SystemRole};

/// The role by which the analysis controller works in a Project.
pub use crate::access::ANALYSIS_ROLE as PROJECT_ANALYSIS;
/// The role by which the API server and administrators work in a Project's namespace.
pub use crate::access::PROJECT_ADMIN_ROLE as PROJECT_ADMIN;
/// The role by which controllers read the Secrets of a Project.
pub use crate::access::READ_SECRETS_ROLE as CONTROLLER_READ_SECRETS;
/// The role by which the external webhooks server reads the Secrets of a Project.
pub use crate::access::SECRETS_READER_ROLE as PROJECT_SECRETS_READER;

/// The end of the names of the RoleBindings for controllers.
pub const READ_SECRETS_SUFFIX: &str = "-read-secrets";

/// The ServiceAccount of the analysis controller.
pub const ANALYSIS_ACCOUNT: &str = Component::AnalysisController.service_account();
/// The ServiceAccount of the API server.
pub const API_ACCOUNT: &str = Component::Api.service_account();
/// The ServiceAccount of the system's administrators.
pub const ADMIN_ACCOUNT: &str = SystemRole::Admin.name();
/// The ServiceAccount of the external webhooks server.
pub const EXTERNAL_WEBHOOKS_ACCOUNT: &str = Component::ExternalWebhooksServer.service_account();

/// The label that says which component an object is part of.
pub const COMPONENT: &str = "app.kubernetes.io/component";
/// The component that controllers are.
pub const CONTROLLER_COMPONENT: &str = Component::Controller.label();

/// The kind of a role for the whole cluster, as references spell it.
pub const CLUSTER_ROLE: &str = "ClusterRole";
/// The kind of a role in a namespace, as references spell it.
pub const ROLE: &str = "Role";
