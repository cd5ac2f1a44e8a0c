//! The external webhooks server: it finds who is interested in a delivery and asks for a refresh.

use serde_json::Value;

use super::identity::Component;
use super::object::{cluster_role, cluster_role_binding};
use super::options::Options;
use super::rule::{READ, Rule, group, rule, values};

const RULES: &[Rule] = &[
    rule(group::KARGO, &["clusterconfigs", "projectconfigs"], READ),
    rule(group::KARGO, &["promotions", "warehouses"], &["get", "list", "patch", "watch"]),
];

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let name = Component::ExternalWebhooksServer.service_account();
    vec![
        Component::ExternalWebhooksServer.account(options),
        cluster_role(name, values(RULES)),
        cluster_role_binding(name, name, &[options.subject(name)]),
    ]
}
