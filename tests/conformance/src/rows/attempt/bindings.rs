//! More rights by bindings: to roles that are stronger than their binder.

use http::Method;
use serde_json::{Value, json};

use super::{Attempt, RBAC_GROUP, patch, request, scene::Scene};
use crate::rows::account::{binding, cluster_rbac};

const SECRETS: &str = r#"{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}"#;
const ADMINISTRATOR: [&str; 2] = [
    r#"{APIGroups:["*"], Resources:["*"], Verbs:["*"]}"#,
    r#"{NonResourceURLs:["*"], Verbs:["*"]}"#,
];

pub(super) fn attempts(scene: &Scene) -> Vec<Attempt> {
    [created(scene), everywhere(scene), changed(scene)].into_iter().flatten().collect()
}

/// Everybody who is logged in, the one who tries included.
fn everybody() -> Value {
    json!([{"apiGroup": RBAC_GROUP, "kind": "Group", "name": "system:authenticated"}])
}

fn created(scene: &Scene) -> Vec<Attempt> {
    let bindings = || scene.rbac("rolebindings");
    let to = |name: &str, role: (&str, &str)| binding("RoleBinding", name, role, everybody());
    let refused = |name: &str, rules: &[&str]| scene.not_held("rolebindings", name, rules);
    vec![
        request(
            "a binding to a stronger role",
            Method::POST,
            bindings(),
            to("a", ("Role", "strong")),
            refused("a", &[SECRETS]),
        ),
        request(
            "a binding to a stronger role of the cluster",
            Method::POST,
            bindings(),
            to("b", ("ClusterRole", &scene.cluster_role)),
            refused("b", &[SECRETS]),
        ),
        request(
            "a binding to the administrator's role",
            Method::POST,
            bindings(),
            to("c", ("ClusterRole", "cluster-admin")),
            refused("c", &ADMINISTRATOR),
        ),
        request(
            "a binding that is put where there is none",
            Method::PUT,
            scene.rbac("rolebindings/put"),
            to("put", ("Role", "strong")),
            refused("put", &[SECRETS]),
        ),
        patch(
            "a binding that is applied where there is none",
            "apply",
            format!("{}?fieldManager=weak", scene.rbac("rolebindings/applied")),
            to("applied", ("Role", "strong")),
            refused("applied", &[SECRETS]),
        ),
        request(
            "a binding in a namespace without rights",
            Method::POST,
            scene.abroad.collection("rbac.authorization.k8s.io/v1", "rolebindings"),
            to("a", ("Role", "bindable")),
            scene.cannot("create", (RBAC_GROUP, "rolebindings"), "", &scene.abroad.name),
        ),
    ]
}

fn everywhere(scene: &Scene) -> Vec<Attempt> {
    let bindings = || cluster_rbac("clusterrolebindings");
    let to = |name: &str, role: &str| {
        binding("ClusterRoleBinding", name, ("ClusterRole", role), everybody())
    };
    let refused = |name: &str, rules: &[&str]| scene.not_held("clusterrolebindings", name, rules);
    vec![
        request(
            "the administrator's role for everybody",
            Method::POST,
            bindings(),
            to("attempt-a", "cluster-admin"),
            refused("attempt-a", &ADMINISTRATOR),
        ),
        request(
            "a stronger role everywhere",
            Method::POST,
            bindings(),
            to("attempt-b", &scene.cluster_role),
            refused("attempt-b", &[SECRETS]),
        ),
        patch(
            "one more subject in the binding of the administrators",
            "json",
            format!("{}/cluster-admin", bindings()),
            json!([{"op": "add", "path": "/subjects/-", "value": everybody()[0]}]),
            refused("cluster-admin", &ADMINISTRATOR),
        ),
    ]
}

fn changed(scene: &Scene) -> Vec<Attempt> {
    let strong = || scene.rbac("rolebindings/strong");
    let refused = || scene.not_held("rolebindings", "strong", &[SECRETS]);
    vec![
        patch(
            "other subjects by merge patch",
            "merge",
            strong(),
            json!({"subjects": everybody()}),
            refused(),
        ),
        patch(
            "one more subject by JSON patch",
            "json",
            strong(),
            json!([{"op": "add", "path": "/subjects/-", "value": everybody()[0]}]),
            refused(),
        ),
        request(
            "other subjects by put",
            Method::PUT,
            strong(),
            binding("RoleBinding", "strong", ("Role", "strong"), everybody()),
            refused(),
        ),
        patch(
            "other subjects by apply",
            "apply",
            format!("{}?fieldManager=weak&force=true", strong()),
            binding("RoleBinding", "strong", ("Role", "strong"), everybody()),
            refused(),
        ),
        patch(
            "a label on the binding of a stronger role",
            "merge",
            strong(),
            json!({"metadata": {"labels": {"mine": "true"}}}),
            refused(),
        ),
        patch(
            "another role in a binding that is held",
            "merge",
            scene.rbac("rolebindings/held"),
            json!({"roleRef": {"name": "strong"}}),
            scene.not_held("rolebindings", "held", &[SECRETS]),
        ),
    ]
}
