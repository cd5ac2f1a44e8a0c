//! The admission server: it reads what rules ask for and prepares the namespace of a new Project.

use serde_json::Value;

use super::identity::Component;
use super::object::{RoleRef, Subject, cluster_role, cluster_role_binding, role, role_binding};
use super::options::Options;
use super::project::PROJECT_ADMIN_ROLE;
use super::rule::{READ, Rule, group, kind, rule, values};

/// The Secret with the certificate that the server made for itself.
pub const SERVING_SECRET: &str = "kargo-webhooks-server-cert";
/// The webhook configurations whose trust the server keeps up.
pub const WEBHOOK_CONFIGURATION: &str = "kargo";

const RULES: &[Rule] = &[
    rule(group::CORE, &["namespaces"], &["create", "get", "list", "update", "watch"]),
    rule(group::CORE, &["events"], &["create", "patch"]),
    // Enough to let the API server into a new Project, and nothing more: no other role can be
    // bound, and no Secret can be read.
    rule(group::RBAC, &["rolebindings"], &["create"]),
    rule(group::RBAC, &["clusterroles"], &["bind"]).named(&[PROJECT_ADMIN_ROLE]),
    // Promotions and requests too: Freight on its way to a Stage cannot be deleted, and a request
    // stands behind some Promotions.
    rule(group::KARGO, kind::EVERY, READ),
    rule(group::AUTHORIZATION, &["subjectaccessreviews"], &["create"]),
    rule(
        group::ADMISSION,
        &["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
        &["get", "patch"],
    )
    .named(&[WEBHOOK_CONFIGURATION]),
];

const OWN_RULES: &[Rule] = &[
    // The labels of ServiceAccounts tell controllers and their shards.
    rule(group::CORE, &["serviceaccounts"], READ),
    rule(group::CORE, &["secrets"], &["create"]),
    rule(group::CORE, &["secrets"], &["get", "patch", "update"]).named(&[SERVING_SECRET]),
];

/// What Kubernetes itself needs so that deletion of a Stage or namespace takes its Promotions
/// along: their deletion asks for the verb.
const PROMOTE: &[Rule] = &[rule(group::KARGO, &["stages"], &["promote"])];
const CASCADES: [(&str, &str); 2] = [
    ("kargo-webhooks-server-ns-controller", "namespace-controller"),
    ("kargo-webhooks-server-generic-gc", "generic-garbage-collector"),
];

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let name = Component::KubernetesWebhooksServer.service_account();
    let subjects = [options.subject(name)];
    let mut objects = vec![
        Component::KubernetesWebhooksServer.account(options),
        cluster_role(name, values(RULES)),
        cluster_role_binding(name, name, &subjects),
        role(&options.namespace, name, values(OWN_RULES)),
        role_binding(&options.namespace, name, RoleRef::Namespaced(name), &subjects),
    ];
    for (role, account) in CASCADES {
        let subject = Subject { namespace: "kube-system", name: account };
        objects.push(cluster_role(role, values(PROMOTE)));
        objects.push(cluster_role_binding(role, role, &[subject]));
    }
    objects
}
