//! The roles and bindings that every control plane has from its first start.

use serde_json::{Value, json};

const GROUP: &str = "rbac.authorization.k8s.io";

/// ClusterRoles and ClusterRoleBindings to create or complete at start, in dependency order.
pub fn bootstrap_objects() -> Vec<Value> {
    let mut objects = system_roles();
    objects.extend(user_roles());
    objects.extend([
        binding("cluster-admin", "cluster-admin", &["system:masters"]),
        binding("system:discovery", "system:discovery", &["system:authenticated"]),
        binding("system:basic-user", "system:basic-user", &["system:authenticated"]),
        binding(
            "system:public-info-viewer",
            "system:public-info-viewer",
            &["system:authenticated", "system:unauthenticated"],
        ),
        binding(
            "system:service-account-issuer-discovery",
            "system:service-account-issuer-discovery",
            &["system:serviceaccounts"],
        ),
        binding("system:monitoring", "system:monitoring", &["system:monitoring"]),
    ]);
    objects
}

fn system_roles() -> Vec<Value> {
    let health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    vec![
        role("cluster-admin", json!([rule(&["*"], &["*"], &["*"]), paths(&["*"], &["*"])])),
        role(
            "system:discovery",
            json!([paths(
                &["get"],
                &[
                    "/api",
                    "/api/*",
                    "/apis",
                    "/apis/*",
                    "/healthz",
                    "/livez",
                    "/openapi",
                    "/openapi/*",
                    "/readyz",
                    "/version",
                    "/version/",
                ]
            )]),
        ),
        role(
            "system:basic-user",
            json!([
                rule(
                    &["create"],
                    &["authorization.k8s.io"],
                    &["selfsubjectaccessreviews", "selfsubjectrulesreviews"]
                ),
                rule(&["create"], &["authentication.k8s.io"], &["selfsubjectreviews"]),
            ]),
        ),
        role("system:public-info-viewer", json!([paths(&["get"], &health)])),
        role(
            "system:service-account-issuer-discovery",
            json!([paths(
                &["get"],
                &[
                    "/.well-known/openid-configuration",
                    "/.well-known/openid-configuration/",
                    "/openid/v1/jwks",
                    "/openid/v1/jwks/",
                ]
            )]),
        ),
        role(
            "system:auth-delegator",
            json!([
                rule(&["create"], &["authentication.k8s.io"], &["tokenreviews"]),
                rule(&["create"], &["authorization.k8s.io"], &["subjectaccessreviews"]),
            ]),
        ),
        role(
            "system:monitoring",
            json!([paths(
                &["get"],
                &[
                    "/healthz",
                    "/healthz/*",
                    "/livez",
                    "/livez/*",
                    "/metrics",
                    "/readyz",
                    "/readyz/*"
                ]
            )]),
        ),
    ]
}

/// `admin`, `edit` and `view`: each unites the roles that carry its label.
fn user_roles() -> Vec<Value> {
    let read = ["get", "list", "watch"];
    let write = ["create", "delete", "deletecollection", "patch", "update"];
    let kargo = ["kargo.akuity.io", "argoproj.io"];
    vec![
        aggregated("admin", "admin", None),
        aggregated("edit", "edit", Some("admin")),
        aggregated("view", "view", Some("edit")),
        labelled(
            "system:aggregate-to-view",
            "view",
            json!([
                rule(&read, &[""], &["configmaps", "events", "namespaces", "serviceaccounts"]),
                rule(&read, &kargo, &["*"]),
            ]),
        ),
        labelled(
            "system:aggregate-to-edit",
            "edit",
            json!([
                rule(&read, &[""], &["secrets"]),
                rule(&write, &[""], &["configmaps", "events", "secrets", "serviceaccounts"]),
                rule(&["impersonate"], &[""], &["serviceaccounts"]),
                rule(&["create"], &[""], &["serviceaccounts/token"]),
                rule(
                    &[
                        "create",
                        "delete",
                        "deletecollection",
                        "get",
                        "list",
                        "patch",
                        "update",
                        "watch"
                    ],
                    &["coordination.k8s.io"],
                    &["leases"]
                ),
            ]),
        ),
        labelled(
            "system:aggregate-to-admin",
            "admin",
            json!([
                rule(&["create"], &["authorization.k8s.io"], &["localsubjectaccessreviews"]),
                rule(
                    &[
                        "create",
                        "delete",
                        "deletecollection",
                        "get",
                        "list",
                        "patch",
                        "update",
                        "watch"
                    ],
                    &[GROUP],
                    &["rolebindings", "roles"]
                ),
            ]),
        ),
    ]
}

fn rule(verbs: &[&str], groups: &[&str], resources: &[&str]) -> Value {
    json!({ "verbs": verbs, "apiGroups": groups, "resources": resources })
}

fn paths(verbs: &[&str], urls: &[&str]) -> Value {
    json!({ "verbs": verbs, "nonResourceURLs": urls })
}

fn metadata(name: &str) -> Value {
    json!({
        "name": name,
        "labels": { "kubernetes.io/bootstrapping": "rbac-defaults" },
        "annotations": { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    })
}

fn role(name: &str, rules: Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": metadata(name), "rules": rules
    })
}

fn labelled(name: &str, aggregate_to: &str, rules: Value) -> Value {
    let mut object = role(name, rules);
    add_label(&mut object, aggregate_to);
    object
}

fn aggregated(name: &str, from: &str, into: Option<&str>) -> Value {
    let mut object = role(name, json!([]));
    if let Some(role) = object.as_object_mut() {
        let selector = json!({ "matchLabels": { aggregate_label(from): "true" } });
        role.insert("aggregationRule".into(), json!({ "clusterRoleSelectors": [selector] }));
    }
    if let Some(into) = into {
        add_label(&mut object, into);
    }
    object
}

fn add_label(object: &mut Value, aggregate_to: &str) {
    if let Some(labels) = object.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.insert(aggregate_label(aggregate_to), json!("true"));
    }
}

fn aggregate_label(role: &str) -> String {
    format!("rbac.authorization.k8s.io/aggregate-to-{role}")
}

fn binding(name: &str, role: &str, groups: &[&str]) -> Value {
    let subjects: Vec<Value> = groups
        .iter()
        .map(|group| json!({ "kind": "Group", "apiGroup": GROUP, "name": group }))
        .collect();
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRoleBinding", "metadata": metadata(name),
        "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": role }, "subjects": subjects,
    })
}

#[cfg(test)]
mod tests {
    use emb_meta::{GroupResource, ObjectExt};

    use super::*;
    use crate::{Attributes, Identity, Rbac, Target};

    #[test]
    fn anonymous_callers_reach_health_and_version_only() {
        let mut rbac = Rbac::default();
        for object in bootstrap_objects() {
            let plural = format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
            rbac.apply(&GroupResource::new(GROUP, plural), "", object.name(), Some(&object));
        }
        let may = |identity: &Identity, path| {
            rbac.authorize(&Attributes {
                identity,
                verb: "get",
                target: Target::NonResource { path },
            })
            .is_allowed()
        };
        let (anonymous, account) =
            (Identity::anonymous(), Identity::service_account("a", "b", "c"));
        assert!(may(&anonymous, "/readyz") && may(&anonymous, "/version"));
        assert!(!may(&anonymous, "/api") && !may(&anonymous, "/metrics"));
        assert!(may(&account, "/apis/kargo.akuity.io") && may(&account, "/openid/v1/jwks"));
        assert!(!may(&account, "/metrics"));
    }
}
