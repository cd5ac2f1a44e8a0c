//! The management controller: it holds the broad permissions so that the others need not.

use serde_json::Value;

use super::identity::Component;
use super::object::{RoleRef, cluster_role, cluster_role_binding, role, role_binding};
use super::options::Options;
use super::rule::{ALL, READ, Rule, group, rule, values};

const RULES: &[Rule] = &[
    rule(group::CORE, &["namespaces"], &["create", "delete", "get", "list", "patch", "watch"]),
    rule(group::CORE, &["configmaps", "secrets", "serviceaccounts"], ALL),
    // Everything includes `bind` and `escalate`: it grants roles that are wider than its own.
    rule(group::RBAC, &["clusterroles", "clusterrolebindings", "rolebindings", "roles"], ALL),
    rule(group::KARGO, &["projects"], &["delete", "get", "list", "patch", "update", "watch"]),
    rule(
        group::KARGO,
        &["clusterconfigs/status", "projects/status", "projectconfigs/status"],
        &["patch"],
    ),
    rule(group::KARGO, &["projectconfigs"], &["create"]),
    rule(group::KARGO, &["clusterconfigs", "stages", "warehouses", "projectconfigs"], READ),
];

/// The election of a leader among replicas.
const LEASES: &[Rule] =
    &[rule(group::COORDINATION, &["leases"], &["get", "create", "update", "patch", "delete"])];

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let name = Component::ManagementController.service_account();
    let subjects = [options.subject(name)];
    vec![
        Component::ManagementController.account(options),
        cluster_role(name, values(RULES)),
        cluster_role_binding(name, name, &subjects),
        role(&options.namespace, name, values(LEASES)),
        role_binding(&options.namespace, name, RoleRef::Namespaced(name), &subjects),
    ]
}
