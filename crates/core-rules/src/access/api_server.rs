//! The API server: everything people do, after their own permissions were asked.

use serde_json::Value;

use super::identity::Component;
use super::object::{RoleRef, cluster_role, cluster_role_binding, role, role_binding};
use super::options::Options;
use super::rule::{ALL, READ, Rule, group, rule, values, values_with};

const ROLLOUTS_ROLE: &str = "kargo-api-rollouts";

const RULES: &[Rule] = &[
    rule(group::CORE, &["namespaces", "serviceaccounts"], READ),
    rule(group::CORE, &["events"], &["get", "list", "watch", "create", "patch"]),
    rule(group::CORE, &["configmaps"], &["list", "get", "create", "watch", "delete", "update"]),
    rule(group::AUTHORIZATION, &["subjectaccessreviews"], &["create"]),
    rule(group::AUTHENTICATION, &["tokenreviews"], &["create"]),
    rule(group::KARGO, &["freights"], &["create", "get", "list", "patch", "watch", "delete"]),
    rule(group::KARGO, &["freights/status"], &["update", "patch"]),
    rule(
        group::KARGO,
        &[
            "clusterconfigs",
            "clusterpromotiontasks",
            "projects",
            "promotiontasks",
            "stages",
            "warehouses",
            "projectconfigs",
            "promotionrequests",
            "targets",
        ],
        ALL,
    ),
    rule(group::KARGO, &["promotions"], &["create", "get", "list", "watch", "patch"]),
    // OpenShift asks for this before it accepts an owner reference.
    rule(group::KARGO, &["stages/finalizers"], &["patch", "update"]),
    // The check of what a ServiceAccount with claims would grant reads all four.
    rule(group::RBAC, &["clusterroles", "clusterrolebindings", "rolebindings", "roles"], READ),
];

const TEMPLATES: &[Rule] =
    &[rule(group::ARGO, &["analysistemplates", "clusteranalysistemplates"], ALL)];
const RUNS: &[Rule] = &[rule(group::ARGO, &["analysisruns"], READ)];
const LEASES: Rule = rule(group::COORDINATION, &["leases"], READ);

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let name = Component::Api.service_account();
    let subjects = [options.subject(name)];
    let secret_verbs = if options.secret_management { ALL } else { READ };
    let own_rules = values(&[rule(group::CORE, &["secrets"], secret_verbs), LEASES]);
    let namespace = &options.namespace;
    let mut objects = vec![
        Component::Api.account(options),
        cluster_role(name, values_with(RULES, options.rollouts, TEMPLATES)),
        cluster_role_binding(name, name, &subjects),
        role(namespace, name, own_rules),
        role_binding(namespace, name, RoleRef::Namespaced(name), &subjects),
    ];
    if options.rollouts {
        objects.push(cluster_role(ROLLOUTS_ROLE, values(RUNS)));
        objects.push(cluster_role_binding(ROLLOUTS_ROLE, ROLLOUTS_ROLE, &subjects));
    }
    objects
}
