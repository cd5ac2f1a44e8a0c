//! More rights by writing roles: in every way in which an object can be written.

use http::Method;
use serde_json::{Value, json};

use super::{Attempt, RBAC_GROUP, Refusal, patch, request, scene::Scene};
use crate::rows::account::{cluster_rbac, role};

const SECRETS: &str = r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}"#;

pub(super) fn attempts(scene: &Scene) -> Vec<Attempt> {
    [created(scene), changed(scene), aggregated(scene)].into_iter().flatten().collect()
}

fn secrets() -> Value {
    json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}])
}

fn created(scene: &Scene) -> Vec<Attempt> {
    let roles = scene.rbac("roles");
    let refused = |name: &str, rules: &[&str]| scene.not_held("roles", name, rules);
    let create = |title, name: &str, rules: Value, missing: &[&str]| {
        request(
            title,
            Method::POST,
            roles.clone(),
            role("Role", name, rules),
            refused(name, missing),
        )
    };
    vec![
        create("a role with a foreign right", "a", secrets(), &[SECRETS]),
        create(
            "a role with every verb on what may be read",
            "b",
            json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}]),
            &[r#"{APIGroups:[""], Resources:["configmaps"], Verbs:["*"]}"#],
        ),
        create(
            "a role with every resource under a verb that is held for some",
            "c",
            json!([{"apiGroups": [""], "resources": ["*"], "verbs": ["get"]}]),
            &[r#"{APIGroups:[""], Resources:["*"], Verbs:["get"]}"#],
        ),
        create(
            "a role with the subresource of what is held",
            "d",
            json!([{"apiGroups": ["conf.example.com"], "resources": ["widgets/status"], "verbs": ["update"]}]),
            &[
                r#"{APIGroups:["conf.example.com"], Resources:["widgets/status"], Verbs:["update"]}"#,
            ],
        ),
        create(
            "a role with another name than the one that is held",
            "e",
            json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["open", "closed"]}]),
            &[
                r#"{APIGroups:[""], Resources:["secrets"], ResourceNames:["closed"], Verbs:["get"]}"#,
            ],
        ),
        create(
            "a role that may bind any role",
            "f",
            json!([{"apiGroups": [RBAC_GROUP], "resources": ["roles"], "verbs": ["bind", "escalate"]}]),
            &[
                r#"{APIGroups:["rbac.authorization.k8s.io"], Resources:["roles"], Verbs:["bind" "escalate"]}"#,
            ],
        ),
        create(
            "a role that may act as others",
            "g",
            json!([{"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]}]),
            &[r#"{APIGroups:[""], Resources:["users"], Verbs:["impersonate"]}"#],
        ),
        create("the name of the role that may grow, created", "growing", secrets(), &[SECRETS]),
        request(
            "a role that is put where there is none",
            Method::PUT,
            scene.rbac("roles/put"),
            role("Role", "put", secrets()),
            refused("put", &[SECRETS]),
        ),
        patch(
            "a role that is applied where there is none",
            "apply",
            format!("{}?fieldManager=weak", scene.rbac("roles/applied")),
            role("Role", "applied", secrets()),
            refused("applied", &[SECRETS]),
        ),
        request(
            "a role in a namespace without rights",
            Method::POST,
            scene.abroad.collection("rbac.authorization.k8s.io/v1", "roles"),
            role("Role", "a", json!([])),
            scene.cannot("create", (RBAC_GROUP, "roles"), "", &scene.abroad.name),
        ),
    ]
}

fn changed(scene: &Scene) -> Vec<Attempt> {
    let held = || scene.rbac("roles/held");
    let refused = || scene.not_held("roles", "held", &[SECRETS]);
    let rules = || json!({"rules": secrets()});
    vec![
        patch("a foreign right by merge patch", "merge", held(), rules(), refused()),
        patch(
            "a foreign right by strategic merge patch",
            "strategic-merge",
            held(),
            rules(),
            refused(),
        ),
        patch(
            "a foreign right by JSON patch",
            "json",
            held(),
            json!([{"op": "add", "path": "/rules/-", "value": secrets()[0]}]),
            refused(),
        ),
        patch(
            "a foreign right by a JSON patch of one word",
            "json",
            held(),
            json!([{"op": "replace", "path": "/rules/0/resources/0", "value": "secrets"}]),
            refused(),
        ),
        patch(
            "a foreign right by apply",
            "apply",
            format!("{}?fieldManager=weak&force=true", held()),
            role("Role", "held", secrets()),
            refused(),
        ),
        request(
            "a foreign right by put",
            Method::PUT,
            held(),
            role("Role", "held", secrets()),
            refused(),
        ),
        patch(
            "a label on a stronger role",
            "merge",
            scene.rbac("roles/strong"),
            json!({"metadata": {"labels": {"mine": "true"}}}),
            scene.not_held(
                "roles",
                "strong",
                &[r#"{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}"#],
            ),
        ),
    ]
}

fn aggregated(scene: &Scene) -> Vec<Attempt> {
    let clusterroles = cluster_rbac("clusterroles");
    let label = json!({scene.aggregate.as_str(): "true"});
    let everything = json!({"clusterRoleSelectors": [{"matchLabels": {"kubernetes.io/bootstrapping": "rbac-defaults"}}]});
    let mut gathering = role("ClusterRole", "gathering", json!([]));
    gathering["aggregationRule"] = everything.clone();
    let mut gathered = role("ClusterRole", "gathered", secrets());
    gathered["metadata"]["labels"] = label.clone();
    let by_rule = |name: &str| {
        Refusal::forbidden(format!(
            "clusterroles.{RBAC_GROUP} \"{name}\" is forbidden: must have cluster-admin privileges to use the aggregationRule"
        ))
    };
    let strong = [r#"{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}"#];
    vec![
        request(
            "a role that gathers others",
            Method::POST,
            clusterroles.clone(),
            gathering,
            by_rule("gathering"),
        ),
        request(
            "a role that is gathered into one that is held",
            Method::POST,
            clusterroles.clone(),
            gathered,
            scene.not_held("clusterroles", "gathered", &[SECRETS]),
        ),
        patch(
            "a stronger role is labelled so that it is gathered",
            "merge",
            format!("{clusterroles}/{}", scene.cluster_role),
            json!({"metadata": {"labels": label}}),
            scene.not_held("clusterroles", &scene.cluster_role, &strong),
        ),
        patch(
            "a role that gathers is told to gather more",
            "merge",
            format!("{clusterroles}/{}", scene.aggregate),
            json!({"aggregationRule": everything}),
            by_rule(&scene.aggregate),
        ),
        patch(
            "a role that gathers gets a rule of its own",
            "merge",
            format!("{clusterroles}/{}", scene.aggregate),
            json!({"rules": secrets()}),
            scene.not_held("clusterroles", &scene.aggregate, &[SECRETS]),
        ),
        patch(
            "a role no longer gathers, so that rules of its own stay",
            "json",
            format!("{clusterroles}/{}", scene.aggregate),
            json!([{"op": "remove", "path": "/aggregationRule"}]),
            by_rule(&scene.aggregate),
        ),
    ]
}
