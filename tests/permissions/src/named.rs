//! Permissions on objects of certain names, and those of Kubernetes' own controllers.

use crate::catalog::{PROJECT, RELEASE};

/// Asks about one object.
pub(crate) struct NamedRow {
    pub(crate) namespace: &'static str,
    pub(crate) account: &'static str,
    pub(crate) verb: &'static str,
    pub(crate) resource: &'static str,
    pub(crate) place: &'static str,
    pub(crate) name: &'static str,
    pub(crate) is_allowed: bool,
}

const fn admission(
    verb: &'static str,
    resource: &'static str,
    place: &'static str,
    name: &'static str,
    is_allowed: bool,
) -> NamedRow {
    let account = "kargo-webhooks-server";
    NamedRow { namespace: RELEASE, account, verb, resource, place, name, is_allowed }
}

const fn kubernetes(account: &'static str, verb: &'static str, is_allowed: bool) -> NamedRow {
    let (resource, place) = ("kargo:stages", PROJECT);
    NamedRow { namespace: "kube-system", account, verb, resource, place, name: "prod", is_allowed }
}

pub(crate) const NAMED_ROWS: &[NamedRow] = &[
    admission("bind", "rbac:clusterroles", PROJECT, "kargo-project-admin", true),
    admission("bind", "rbac:clusterroles", PROJECT, "kargo-project-secrets-reader", false),
    admission("bind", "rbac:clusterroles", PROJECT, "cluster-admin", false),
    admission("escalate", "rbac:clusterroles", "", "kargo-project-admin", false),
    admission("patch", "admission:validatingwebhookconfigurations", "", "kargo", true),
    admission("get", "admission:mutatingwebhookconfigurations", "", "kargo", true),
    admission("patch", "admission:mutatingwebhookconfigurations", "", "somebody-elses", false),
    admission("delete", "admission:mutatingwebhookconfigurations", "", "kargo", false),
    admission("update", "secrets", RELEASE, "kargo-webhooks-server-cert", true),
    admission("get", "secrets", RELEASE, "kargo-api", false),
    admission("get", "secrets", PROJECT, "kargo-webhooks-server-cert", false),
    kubernetes("namespace-controller", "promote", true),
    kubernetes("generic-garbage-collector", "promote", true),
    kubernetes("some-other-controller", "promote", false),
];
