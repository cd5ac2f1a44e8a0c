//! The garbage collector: it sees what is in use and deletes what is not.

use serde_json::Value;

use super::identity::Component;
use super::object::{cluster_role, cluster_role_binding};
use super::options::Options;
use super::rule::{READ, Rule, group, rule, values_with};

const DELETE: &[&str] = &["delete", "get", "list", "watch"];

const RULES: &[Rule] = &[
    rule(group::CORE, &["namespaces"], READ),
    // Admission asks for it before it lets a Promotion be deleted.
    rule(group::KARGO, &["stages"], &["promote"]),
    rule(group::KARGO, &["stages", "warehouses"], READ),
    // Projects may have limits of their own.
    rule(group::KARGO, &["projectconfigs"], &["get"]),
    rule(group::KARGO, &["freights", "promotions", "promotionrequests"], DELETE),
];

const RUNS: &[Rule] = &[rule(group::ARGO, &["analysisruns"], DELETE)];

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let name = Component::GarbageCollector.service_account();
    vec![
        Component::GarbageCollector.account(options),
        cluster_role(name, values_with(RULES, options.rollouts, RUNS)),
        cluster_role_binding(name, name, &[options.subject(name)]),
    ]
}
