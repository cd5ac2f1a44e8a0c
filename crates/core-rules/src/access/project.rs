//! What components may do inside a Project. The management controller binds these roles there.

use serde_json::Value;

use super::object::cluster_role;
use super::options::Options;
use super::rule::{ALL, READ, Rule, group, rule, values, values_with};

/// The ClusterRole of those who manage the resources of a Project.
pub const PROJECT_ADMIN_ROLE: &str = "kargo-project-admin";
/// The ClusterRole of those who read the Secrets of a Project.
pub const SECRETS_READER_ROLE: &str = "kargo-project-secrets-reader";

const RULES: &[Rule] = &[
    rule(group::CORE, &["configmaps", "serviceaccounts"], ALL),
    rule(group::RBAC, &["rolebindings", "roles"], ALL),
];
const MANAGE_SECRETS: &[Rule] = &[rule(group::CORE, &["secrets"], ALL)];
const READ_SECRETS: &[Rule] = &[rule(group::CORE, &["secrets"], READ)];

/// The ClusterRoles that the bindings of Projects refer to.
pub(super) fn roles(options: &Options) -> Vec<Value> {
    let rules = values_with(RULES, options.secret_management, MANAGE_SECRETS);
    vec![
        cluster_role(PROJECT_ADMIN_ROLE, rules),
        cluster_role(SECRETS_READER_ROLE, values(READ_SECRETS)),
    ]
}
