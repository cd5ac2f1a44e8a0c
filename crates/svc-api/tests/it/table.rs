//! Every route as every built-in role: `+` for success, `-` for a refusal, and any other status as it is.

use api_rest::route::{Access, Method as RouteMethod, Route, routes};
use core_rules::management::default_role::DefaultRole;
use serde_json::{Value, json};

use crate::world::{World, project, stage};

/// The roles of the installation, then those of a Project, as their ServiceAccounts.
const ROLES: [(&str, &str); 7] = [
    ("kargo", "kargo-admin"),
    ("kargo", "kargo-viewer"),
    ("kargo", "kargo-user"),
    ("kargo", "kargo-project-creator"),
    ("demo", "kargo-admin"),
    ("demo", "kargo-promoter"),
    ("demo", "kargo-viewer"),
];

const RBAC: &str = "rbac.authorization.k8s.io/v1";
const KARGO: &str = "kargo.akuity.io/v1alpha1";

/// A ServiceAccount with a role and what binds them, as this server makes them.
pub(crate) fn role(namespace: &str, name: &str, rules: &Value) -> Vec<Value> {
    let metadata = json!({"namespace": namespace, "name": name,
        "annotations": {"rbac.kargo.akuity.io/managed": "true"}});
    let subject = json!({"kind": "ServiceAccount", "namespace": namespace, "name": name});
    vec![
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}),
        json!({"apiVersion": RBAC, "kind": "Role", "metadata": metadata, "rules": rules}),
        json!({"apiVersion": RBAC, "kind": "RoleBinding", "metadata": metadata, "subjects": [subject],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}}),
    ]
}

fn secret(namespace: &str, name: &str, credential: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": namespace, "name": name,
        "labels": {"kargo.akuity.io/cred-type": credential}}, "stringData": {"repoURL": "https://a", "k": "v"}})
}

fn token(namespace: &str, role: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
        "metadata": {"namespace": namespace, "name": "token",
            "labels": {"rbac.kargo.akuity.io/api-token": "true"},
            "annotations": {"kubernetes.io/service-account.name": role, "rbac.kargo.akuity.io/managed": "true"}}})
}

fn config_map(namespace: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace, "name": "map"},
        "data": {"a": "b"}})
}

/// Something for every route to find.
pub(crate) fn objects() -> Vec<Value> {
    let named = |kind: &str, name: &str, spec: Value| json!({"apiVersion": KARGO, "kind": kind, "metadata": {"namespace": "demo", "name": name}, "spec": spec});
    let steps = json!([{"uses": "compose-output"}]);
    let mut prod = stage("demo", "prod", "w");
    prod["spec"]["requestedFreight"][0]["sources"] = json!({"stages": ["qa"]});
    let mut all = project("demo");
    let subjects = ["kargo-api", "kargo-admin"]
        .map(|name| json!({"kind": "ServiceAccount", "namespace": "kargo", "name": name}));
    all.push(json!({"apiVersion": RBAC, "kind": "RoleBinding", "subjects": subjects,
        "metadata": {"name": "kargo-project-admin", "namespace": "demo"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kargo-project-admin"}}));
    for default in DefaultRole::EVERY {
        all.extend(role("demo", default.name(), &serde_json::to_value(default.rules()).unwrap()));
    }
    all.extend(role(
        "demo",
        "builder",
        &json!([
        {"apiGroups": ["kargo.akuity.io"], "resources": ["stages"], "verbs": ["get"]}]),
    ));
    all.extend([
        stage("demo", "qa", "w"),
        prod,
        named("Warehouse", "w", json!({"subscriptions": [{"image": {"repoURL": "example.com/a"}}]})),
        named("Promotion", "qa.1", json!({"stage": "qa", "freight": "f1", "steps": steps})),
        named("PromotionTask", "task", json!({"steps": steps})),
        named("ProjectConfig", "demo", json!({})),
        named("Target", "target", json!({})),
        named("PromotionRequest", "request", json!({"stage": "qa", "freight": "f1", "targets": []})),
        json!({"apiVersion": KARGO, "kind": "Freight", "metadata": {"namespace": "demo", "name": "f1"},
            "origin": {"kind": "Warehouse", "name": "w"}, "images": [{"repoURL": "example.com/a", "tag": "v1"}]}),
        json!({"apiVersion": KARGO, "kind": "ClusterConfig", "metadata": {"name": "cluster"}, "spec": {}}),
        json!({"apiVersion": KARGO, "kind": "ClusterPromotionTask", "metadata": {"name": "task"},
            "spec": {"steps": steps}}),
        token("demo", "builder"),
        token("kargo", "kargo-viewer"),
    ]);
    for namespace in ["demo", "kargo-shared-resources", "kargo-system-resources"] {
        let credentials = [("repo", "git"), ("generic", "generic")];
        all.extend(credentials.map(|(name, kind)| secret(namespace, name, kind)));
        all.push(config_map(namespace));
    }
    all
}

pub(crate) fn path(route: &Route) -> String {
    let is_system = route.path.contains("/system/");
    let part = |part: &'static str| match part {
        "{project}" => "demo",
        "{stage}" => "qa",
        "{warehouse}" => "w",
        "{promotion}" => "qa.1",
        "{freight-name-or-alias}" => "f1",
        "{role}" if is_system => "kargo-viewer",
        "{role}" => "builder",
        "{apitoken}" => "token",
        "{configmap}" => "map",
        "{repo-credentials}" => "repo",
        "{generic-credentials}" => "generic",
        "{step}" => "0",
        "{target}" => "target",
        "{promotion-request}" => "request",
        "{promotion-task}" | "{cluster-promotion-task}" => "task",
        other if other.starts_with('{') => "x",
        other => other,
    };
    let path = route.path.split('/').map(part).collect::<Vec<_>>().join("/");
    let query = match route.operation {
        "ApproveFreight" => "?stage=qa",
        "PatchFreightAlias" => "?newAlias=blue-fox",
        // Nobody knows that version, so that the stream ends.
        "StreamProject" => "?resourceVersion=x",
        _ => "",
    };
    path + query
}

/// A body that the route takes.
pub(crate) fn body(route: &Route) -> Value {
    let rules = json!([{"resources": ["stages"], "verbs": ["get"]}]);
    // Something to add, and something to take away.
    let details = |kind: &str| json!({"role": "builder", "resourceDetails": {"resourceType": kind, "verbs": ["get"]}});
    let repo = json!({"name": "made-repo", "type": "git", "repoUrl": "https://b", "username": "u", "password": "p"});
    let operation = route.operation;
    match operation {
        "PromoteToStage" | "PromoteDownstream" => json!({"freight": "f1"}),
        "CreateProjectRole" => json!({"metadata": {"name": "made"}, "rules": rules}),
        "UpdateRole" => json!({"metadata": {"name": "builder"},
            "rules": [{"resources": ["freights"], "verbs": ["list"]}]}),
        "Grant" => details("warehouses"),
        "Revoke" => details("stages"),
        "CreateResource" | "UpdateResource" | "DeleteResource" => json!({"apiVersion": KARGO,
            "kind": "Warehouse", "metadata": {"namespace": "demo", "name": "made"},
            "spec": {"subscriptions": [{"image": {"repoURL": "example.com/a"}}]}}),
        _ if operation.ends_with("APIToken") => json!({"name": "made-token"}),
        _ if operation.ends_with("RepoCredentials") => repo,
        _ if operation.ends_with("GenericCredentials") => {
            json!({"name": "made-generic", "data": {"a": "b"}})
        }
        _ if operation.contains("ConfigMap") => json!({"name": "made-map", "data": {"a": "b"}}),
        _ => json!({}),
    }
}

/// First what reads, then what writes, then what deletes, and the Project last.
fn in_order() -> Vec<&'static Route> {
    let mut all: Vec<&Route> = routes().collect();
    all.sort_by_key(|route| {
        let is_token = route.operation.contains("APIToken");
        (route.method, route.operation == "DeleteProject", !is_token)
    });
    all
}

/// The statuses of all routes for one role, in a world of its own.
async fn statuses((namespace, account): (&str, &str)) -> Vec<u16> {
    let world = World::with(&[("SECRET_MANAGEMENT_ENABLED", "true")], objects()).await;
    let token = world.token_of(namespace, account).await;
    let mut all = Vec::new();
    for route in in_order() {
        let method = route.method.as_str().parse().unwrap();
        let reply =
            world.send_raw(method, &path(route), Some(&token), &[], body(route).to_string()).await;
        let is_ours = reply.status.as_u16() < 500 || reply.status == 501;
        assert!(is_ours, "{account} {}: {:?}", route.operation, reply.error());
        all.push(reply.status.as_u16());
    }
    all
}

/// What somebody without the right to write may do all the same.
fn is_harmless(route: &Route) -> bool {
    route.method == RouteMethod::Get
        || route.operation.starts_with("Refresh")
        // Questions that are too long for an address.
        || matches!(route.operation, "CheckEligibility" | "ReviewAccess")
        || matches!(route.access, Access::Public | Access::Server(_))
}

fn cell(status: u16) -> String {
    match status {
        200..=299 => "+".to_owned(),
        403 => "-".to_owned(),
        other => other.to_string(),
    }
}

#[tokio::test]
async fn every_route_answers_every_role_as_the_table_says() {
    let columns = futures::future::join_all(ROLES.map(statuses)).await;
    let mut table = Vec::new();
    for (index, route) in in_order().into_iter().enumerate() {
        let row: Vec<u16> = columns.iter().map(|column| column[index]).collect();
        for ((namespace, account), status) in ROLES.iter().zip(&row) {
            let is_reader = matches!(*account, "kargo-viewer" | "kargo-user");
            let writes = (200..300).contains(status) && !is_harmless(route);
            assert!(!is_reader || !writes, "{namespace}/{account} wrote: {}", route.operation);
        }
        let cells: Vec<String> =
            row.into_iter().map(|status| format!("{:>4}", cell(status))).collect();
        table.push(format!("{:<34}{}\n", route.operation, cells.concat()));
    }
    let head: Vec<String> =
        ROLES.iter().map(|(namespace, account)| format!("{namespace}/{account}")).collect();
    insta::assert_snapshot!(format!("{}\n{}", head.join(" "), table.concat()));
}
