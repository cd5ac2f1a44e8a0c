//! The objects that carry permissions.

use serde_json::{Value, json};

const API_VERSION: &str = "rbac.authorization.k8s.io/v1";
const GROUP: &str = "rbac.authorization.k8s.io";

/// A ServiceAccount that somebody is, named by its namespace too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

/// What a binding refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum RoleRef<'a> {
    /// Permissions that do not belong to one namespace.
    Cluster(&'a str),
    /// Permissions of the binding's own namespace.
    Namespaced(&'a str),
}

pub(super) fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

pub(super) fn service_account(account: Subject<'_>, labels: Value, annotations: Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {
            "name": account.name,
            "namespace": account.namespace,
            "labels": labels,
            "annotations": annotations,
        },
    })
}

pub(super) fn cluster_role(name: &str, rules: Vec<Value>) -> Value {
    json!({
        "apiVersion": API_VERSION,
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": rules,
    })
}

pub(super) fn role(namespace: &str, name: &str, rules: Vec<Value>) -> Value {
    json!({
        "apiVersion": API_VERSION,
        "kind": "Role",
        "metadata": {"name": name, "namespace": namespace},
        "rules": rules,
    })
}

pub(super) fn cluster_role_binding(name: &str, role: &str, subjects: &[Subject<'_>]) -> Value {
    json!({
        "apiVersion": API_VERSION,
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": reference(RoleRef::Cluster(role)),
        "subjects": shown(subjects),
    })
}

pub(super) fn role_binding(
    namespace: &str,
    name: &str,
    role: RoleRef<'_>,
    subjects: &[Subject<'_>],
) -> Value {
    json!({
        "apiVersion": API_VERSION,
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": reference(role),
        "subjects": shown(subjects),
    })
}

fn reference(role: RoleRef<'_>) -> Value {
    let (kind, name) = match role {
        RoleRef::Cluster(name) => ("ClusterRole", name),
        RoleRef::Namespaced(name) => ("Role", name),
    };
    json!({"apiGroup": GROUP, "kind": kind, "name": name})
}

fn shown(subjects: &[Subject<'_>]) -> Vec<Value> {
    let show = |subject: &Subject<'_>| {
        json!({
            "kind": "ServiceAccount",
            "name": subject.name,
            "namespace": subject.namespace,
        })
    };
    subjects.iter().map(show).collect()
}
