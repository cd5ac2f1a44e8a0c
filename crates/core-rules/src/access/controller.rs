//! Controllers: Warehouses, Freight, Stages and Promotions of their shards.
//!
//! The roles exist once; every controller has bindings of its own, so that it can be taken out
//! alone.

use api_kinds::labels;
use serde_json::Value;

use crate::admission::shard::DEFAULT_CONTROLLER_LABEL;

use super::identity::{Component, account};
use super::object::{RoleRef, Subject, cluster_role, cluster_role_binding, role, role_binding};
use super::options::{ArgoCd, Controller, Options, SecretReading, Shard};
use super::rule::{READ, Rule, group, rule, values, values_with};

/// The ClusterRole that is bound to a controller in each Project.
pub const READ_SECRETS_ROLE: &str = "kargo-controller-read-secrets";

const ROLLOUTS_ROLE: &str = "kargo-controller-rollouts";

const RULES: &[Rule] = &[
    // The logs of Promotions are kept in ConfigMaps of their own; no existing one is changed.
    rule(group::CORE, &["configmaps"], &["create", "get", "list", "watch"]),
    rule(group::CORE, &["events"], &["create", "patch"]),
    rule(group::KARGO, &["clusterconfigs", "projects", "projectconfigs", "targets"], READ),
    rule(group::KARGO, &["promotions", "promotionrequests"], &["create", "get", "list", "watch"]),
    rule(group::KARGO, &["freights"], &["create", "get", "list", "watch", "patch", "update"]),
    rule(group::KARGO, &["stages"], &["get", "list", "patch", "promote", "watch"]),
    rule(group::KARGO, &["clusterpromotiontasks", "promotiontasks", "warehouses"], READ),
    rule(
        group::KARGO,
        &[
            "freights/status",
            "promotions/status",
            "promotionrequests/status",
            "stages/status",
            "warehouses/finalizers",
            "warehouses/status",
        ],
        &["patch"],
    ),
];

const SECRETS: &[Rule] = &[rule(group::CORE, &["secrets"], READ)];

const ROLLOUTS: &[Rule] = &[
    rule(group::ARGO, &["analysistemplates", "clusteranalysistemplates"], READ),
    rule(
        group::ARGO,
        &["analysisruns"],
        &["create", "get", "list", "patch", "watch", "deletecollection"],
    ),
];

const APPLICATIONS: &[Rule] =
    &[rule(group::ARGO, &["applications"], &["get", "list", "patch", "watch"])];

/// Heartbeats and the election of a leader.
const LEASES: &[Rule] =
    &[rule(group::COORDINATION, &["leases"], &["get", "create", "update", "patch", "delete"])];

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let mut objects = roles(options);
    for controller in &options.controllers {
        let subject = options.controller_subject(controller);
        objects.push(account(Component::Controller, subject, shard_labels(controller)));
        objects.extend(bindings(options, subject));
    }
    objects
}

/// How admission knows which objects the controller may write, and how grants know its Projects.
fn shard_labels(controller: &Controller) -> Vec<(&'static str, &str)> {
    let Some(Shard { name, takes_unlabeled }) = &controller.shard else { return Vec::new() };
    let unlabeled = takes_unlabeled.then_some((DEFAULT_CONTROLLER_LABEL, labels::TRUE));
    [(labels::SHARD, name.as_str())].into_iter().chain(unlabeled).collect()
}

fn roles(options: &Options) -> Vec<Value> {
    let name = Component::Controller.service_account();
    let cluster_wide = options.secret_reading == SecretReading::ClusterWide;
    let mut roles = vec![
        cluster_role(name, values_with(RULES, cluster_wide, SECRETS)),
        role(&options.namespace, name, values(LEASES)),
    ];
    if !cluster_wide {
        roles.push(cluster_role(READ_SECRETS_ROLE, values(SECRETS)));
    }
    if options.rollouts {
        roles.push(cluster_role(ROLLOUTS_ROLE, values(ROLLOUTS)));
    }
    if let ArgoCd::OneNamespace(namespace) = &options.argocd {
        roles.push(role(namespace, name, values(APPLICATIONS)));
    }
    roles
}

fn bindings(options: &Options, subject: Subject<'_>) -> Vec<Value> {
    let role = Component::Controller.service_account();
    let name = subject.name;
    let mut bindings = vec![
        cluster_role_binding(name, role, &[subject]),
        role_binding(&options.namespace, name, RoleRef::Namespaced(role), &[subject]),
    ];
    if options.rollouts {
        let name = format!("{name}-rollouts");
        bindings.push(cluster_role_binding(&name, ROLLOUTS_ROLE, &[subject]));
    }
    match &options.argocd {
        ArgoCd::Absent => {}
        ArgoCd::AllNamespaces => {
            let name = format!("{name}-argocd");
            bindings.push(cluster_role(&name, values(APPLICATIONS)));
            bindings.push(cluster_role_binding(&name, &name, &[subject]));
        }
        ArgoCd::OneNamespace(namespace) => {
            let role = RoleRef::Namespaced(role);
            bindings.push(role_binding(namespace, name, role, &[subject]));
        }
    }
    bindings
}
