//! Who may do what.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use http::Method;
use serde_json::{Value, json};

use crate::world::{ADMIN_TOKEN, CONFIG_MAPS, World, config_map, test};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

async fn grant(api: &World, rules: Value, subject: Value) {
    let role = json!({"metadata": {"name": "r"}, "rules": rules});
    api.post(&format!("{RBAC}/namespaces/default/roles"), &role).await.expect(201);
    let binding = json!({
        "metadata": {"name": "b"}, "subjects": [subject],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
    });
    api.post(&format!("{RBAC}/namespaces/default/rolebindings"), &binding).await.expect(201);
}

#[test]
fn a_denial_says_who_cannot_do_what_where() {
    test(|api| async move {
        let user = api.as_user("u", &["system:authenticated"]);
        let text = |reply: crate::world::Reply| reply.expect(403).message().to_owned();
        assert_eq!(
            text(user.get(&format!("{CONFIG_MAPS}/x")).await),
            "configmaps \"x\" is forbidden: User \"u\" cannot get resource \"configmaps\" in API group \"\" in the namespace \"default\""
        );
        assert_eq!(
            text(user.get("/apis/probe.example.com/v1/widgets").await),
            "widgets.probe.example.com is forbidden: User \"u\" cannot list resource \"widgets\" in API group \"probe.example.com\" at the cluster scope"
        );
        assert_eq!(
            text(user.get("/metrics").await),
            "forbidden: User \"u\" cannot get path \"/metrics\""
        );
        user.get("/api").await.expect(200);
    });
}

#[test]
fn anonymous_callers_see_health_and_version_alone() {
    test(|api| async move {
        let network = api.network();
        for path in ["/version", "/healthz", "/livez", "/readyz"] {
            network.get(path).await.expect(200);
        }
        let denied = network.get("/api").await.expect(403);
        assert_eq!(
            denied.message(),
            "forbidden: User \"system:anonymous\" cannot get path \"/api\""
        );
        assert_eq!(denied.json["details"], json!({}));
        let bad = network.request(Method::GET, "/version").header("authorization", "Bearer no");
        assert_eq!(bad.send().await.expect(401).message(), "Unauthorized");
        let admin = format!("Bearer {ADMIN_TOKEN}");
        let good = network.request(Method::GET, CONFIG_MAPS).header("authorization", &admin);
        good.send().await.expect(200);
    });
}

#[test]
fn a_permission_holds_from_its_commit_to_its_removal() {
    test(|api| async move {
        let user = api.as_user("u", &["system:authenticated"]);
        user.get(CONFIG_MAPS).await.expect(403);
        let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
        grant(&api, rules, json!({"kind": "User", "name": "u"})).await;
        user.get(CONFIG_MAPS).await.expect(200);
        user.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(403);
        api.delete(&format!("{RBAC}/namespaces/default/rolebindings/b")).await.expect(200);
        user.get(CONFIG_MAPS).await.expect(403);
    });
}

#[test]
fn a_name_selector_lets_rules_for_one_object_apply() {
    test(|api| async move {
        let user = api.as_user("u", &["system:authenticated"]);
        let rules = json!([{
            "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"], "resourceNames": ["a"]
        }]);
        grant(&api, rules, json!({"kind": "User", "name": "u"})).await;
        user.get(CONFIG_MAPS).await.expect(403);
        user.get(&format!("{CONFIG_MAPS}?fieldSelector=metadata.name%3Da")).await.expect(200);
    });
}

#[test]
fn reviews_answer_in_their_reply() {
    test(|api| async move {
        let rules = json!([{"apiGroups": ["a.b"], "resources": ["stages"], "verbs": ["promote"]}]);
        grant(&api, rules, json!({"kind": "User", "name": "u"})).await;
        let attributes = json!({
            "group": "a.b", "resource": "stages", "verb": "promote", "namespace": "default"
        });
        let reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
        let ask = async |spec: Value| api.post(reviews, &json!({ "spec": spec })).await;
        let allowed = ask(json!({"user": "u", "resourceAttributes": attributes})).await.expect(201);
        assert_eq!(allowed.json["status"]["allowed"], true);
        assert_eq!(
            allowed.json["status"]["reason"],
            "RBAC: allowed by RoleBinding \"b/default\" of Role \"r\" to User \"u\""
        );
        let denied = ask(json!({"user": "v", "resourceAttributes": attributes})).await.expect(201);
        assert_eq!(denied.json["status"], json!({"allowed": false}));
        ask(json!({"resourceAttributes": attributes})).await.expect(422);
        ask(json!({"user": "u"})).await.expect(422);
        let user = api.as_user("u", &["system:authenticated"]);
        let own = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let body = json!({"spec": {"resourceAttributes": attributes}});
        assert_eq!(user.post(own, &body).await.expect(201).json["status"]["allowed"], true);
        let whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
        let me = user.post(whoami, &json!({})).await.expect(201);
        assert_eq!(me.json["status"]["userInfo"]["username"], "u");
        let rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
        let listed = user.post(rules, &json!({"spec": {"namespace": "default"}})).await.expect(201);
        let promote = json!({"apiGroups": ["a.b"], "resources": ["stages"], "verbs": ["promote"]});
        let listed = listed.json["status"]["resourceRules"].as_array().unwrap().clone();
        assert!(listed.contains(&promote), "{listed:?}");
        user.post(rules, &json!({"spec": {}})).await.expect(400);
    });
}

#[test]
fn account_tokens_work_until_the_account_goes() {
    test(|api| async move {
        let accounts = "/api/v1/namespaces/default/serviceaccounts";
        api.post(accounts, &json!({"metadata": {"name": "ci"}})).await.expect(201);
        let request = json!({"spec": {"expirationSeconds": 600}});
        let issued = api.post(&format!("{accounts}/ci/token"), &request).await.expect(201);
        let token = issued.json["status"]["token"].as_str().unwrap().to_owned();
        let whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
        let as_token = async |token: &str| {
            let header = format!("Bearer {token}");
            let network = api.network();
            let request = network.request(Method::POST, whoami).json(&json!({}));
            request.header("authorization", &header).send().await
        };
        let me = as_token(&token).await.expect(201);
        assert_eq!(me.json["status"]["userInfo"]["username"], "system:serviceaccount:default:ci");
        let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
        let review = json!({"spec": {"token": token}});
        let good = api.post(reviews, &review).await.expect(201);
        assert_eq!(good.json["status"]["authenticated"], true);
        let bad = api.post(reviews, &json!({"spec": {"token": "x"}})).await.expect(201);
        assert!(bad.json["status"]["error"].is_string());
        api.post(&format!("{accounts}/ci/token"), &json!({"spec": {"expirationSeconds": 5}}))
            .await
            .expect(422);
        api.delete(&format!("{accounts}/ci")).await.expect(200);
        as_token(&token).await.expect(401);
    });
}

#[test]
fn a_token_secret_is_filled_in_its_create_and_goes_with_its_account() {
    test(|api| async move {
        let accounts = "/api/v1/namespaces/default/serviceaccounts";
        api.post(accounts, &json!({"metadata": {"name": "ci"}})).await.expect(201);
        let secrets = "/api/v1/namespaces/default/secrets";
        let body = json!({
            "metadata": {"name": "t", "annotations": {"kubernetes.io/service-account.name": "ci"}},
            "type": "kubernetes.io/service-account-token",
        });
        let created = api.post(secrets, &body).await.expect(201);
        let token = created.json["data"]["token"].as_str().unwrap();
        let token = String::from_utf8(STANDARD.decode(token).unwrap()).unwrap();
        let header = format!("Bearer {token}");
        let network = api.network();
        let discover = network.request(Method::GET, "/api").header("authorization", &header);
        discover.send().await.expect(200);
        api.delete(&format!("{accounts}/ci")).await.expect(200);
        api.settle(Duration::ZERO).await;
        api.get(&format!("{secrets}/t")).await.expect(404);
        let mut lost = body.clone();
        lost["metadata"]["annotations"]["kubernetes.io/service-account.name"] = json!("nobody");
        api.post(secrets, &lost).await.expect(201);
        api.settle(Duration::ZERO).await;
        api.get(&format!("{secrets}/t")).await.expect(404);
    });
}

#[test]
fn impersonation_needs_its_own_permission() {
    test(|api| async move {
        let as_alice = api.request(Method::GET, CONFIG_MAPS).header("impersonate-user", "alice");
        as_alice.send().await.expect(403);
        let user = api.as_user("u", &["system:authenticated"]);
        let refused = user.request(Method::GET, "/api").header("impersonate-user", "alice");
        assert_eq!(
            refused.send().await.expect(403).message(),
            "users \"alice\" is forbidden: User \"u\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope"
        );
        let nobody = api.request(Method::GET, "/api").header("impersonate-group", "x");
        nobody.send().await.expect(400);
    });
}

#[test]
fn roles_gather_the_rules_of_others() {
    test(|api| async move {
        api.settle(Duration::ZERO).await;
        let view = api.get(&format!("{RBAC}/clusterroles/view")).await.expect(200);
        let before = view.json["rules"].as_array().unwrap().len();
        assert!(before > 0);
        let role = json!({
            "metadata": {
                "name": "more",
                "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"},
            },
            "rules": [{"apiGroups": ["x.y"], "resources": ["zs"], "verbs": ["get"]}],
        });
        api.post(&format!("{RBAC}/clusterroles"), &role).await.expect(201);
        api.settle(Duration::ZERO).await;
        let view = api.get(&format!("{RBAC}/clusterroles/view")).await.expect(200);
        assert_eq!(view.json["rules"].as_array().unwrap().len(), before + 1);
        let edit = api.get(&format!("{RBAC}/clusterroles/edit")).await.expect(200);
        assert!(edit.json["rules"].to_string().contains("x.y"));
    });
}

#[test]
fn nobody_grants_what_they_do_not_have() {
    test(|api| async move {
        let rules = json!([
            {
                "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"],
                "verbs": ["create", "patch"],
            },
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]},
        ]);
        grant(&api, rules, json!({"kind": "User", "name": "u"})).await;
        let user = api.as_user("u", &["system:authenticated"]);
        let roles = format!("{RBAC}/namespaces/default/roles");
        let role = |name: &str, resource: &str| {
            let rule = json!({"apiGroups": [""], "resources": [resource], "verbs": ["get"]});
            json!({"metadata": {"name": name}, "rules": [rule]})
        };
        user.post(&roles, &role("fine", "configmaps")).await.expect(201);
        let refused = user.post(&roles, &role("esc", "secrets")).await.expect(403);
        assert_eq!(
            refused.message(),
            "roles.rbac.authorization.k8s.io \"esc\" is forbidden: user \"u\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}"
        );
        let labels = json!({"metadata": {"labels": {"a": "b"}}});
        user.merge(&format!("{roles}/fine"), &labels).await.expect(200);
        let bindings = format!("{RBAC}/namespaces/default/rolebindings");
        let binding = |kind: &str, name: &str| {
            let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name});
            json!({"metadata": {"name": name}, "roleRef": role, "subjects": []})
        };
        user.post(&bindings, &binding("Role", "fine")).await.expect(201);
        user.post(&bindings, &binding("ClusterRole", "cluster-admin")).await.expect(403);
        user.post(&bindings, &binding("Role", "none")).await.expect(404);
    });
}
