//! Rows 120 and 125: who is let in, what is refused in which words, and how rules match.

use anyhow::Result;
use http::Method;
use serde_json::{Value, json};

use super::account::{Account, RBAC, binding, cluster_rbac, role};
use crate::{
    cases::Cases,
    expect::{at, equal},
    fixture::{GADGETS, WIDGETS},
    namespace::{Namespace, config_map, widget},
    patience::soon,
    world::World,
};

pub(crate) async fn refusals(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for path in ["/api", "/version", &namespace.core("secrets")] {
        let reply = world.with_token(Some("bad")).get(path).await?;
        let status = reply.fails_saying(401, "Unauthorized", "Unauthorized")?;
        at(&status, "/details", Value::Null)?;
    }
    let anonymous = world.with_token(None);
    let message = format!(
        "secrets is forbidden: User \"system:anonymous\" cannot list resource \"secrets\" in API group \"\" in the \
         namespace \"{}\"",
        namespace.name
    );
    anonymous.get(&namespace.core("secrets")).await?.fails_saying(403, "Forbidden", &message)?;
    anonymous.get("/version").await?.is(200)?;
    refusals_of_account(world, &namespace).await
}

/// A request and the words that refuse it, where `{ns}` stands for the namespace.
struct Refused {
    method: Method,
    path: String,
    subject: &'static str,
    action: &'static str,
    details: Value,
}

async fn refusals_of_account(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let account = Account::new(world, namespace, "nobody").await?;
    let caller = world.with_token(Some(&account.token));
    let mut cases = Cases::default();
    for refused in refused(namespace) {
        let reply = caller.send(refused.method, &refused.path, &[], "").await?;
        let user = &account.user;
        let action = refused.action.replace("{ns}", &namespace.name);
        let subject = refused.subject.replace("{ns}", &namespace.name);
        let message = format!("{subject}forbidden: User \"{user}\" cannot {action}");
        let checked = reply
            .fails_saying(403, "Forbidden", &message)
            .and_then(|status| at(&status, "/details", refused.details));
        cases.note(refused.path, checked);
    }
    cases.finish()
}

#[rustfmt::skip]
fn refused(namespace: &Namespace) -> Vec<Refused> {
    let core = |plural: &str| namespace.core(plural);
    let of = |method, path, subject, action, details| Refused { method, path, subject, action, details };
    let widgets = |name: Option<&str>| match name {
        Some(name) => json!({"name": name, "group": "conf.example.com", "kind": "widgets"}),
        None => json!({"group": "conf.example.com", "kind": "widgets"}),
    };
    vec![
        of(Method::GET, core("secrets"), "secrets is ",
            "list resource \"secrets\" in API group \"\" in the namespace \"{ns}\"", json!({"kind": "secrets"})),
        of(Method::GET, "/api/v1/secrets".into(), "secrets is ",
            "list resource \"secrets\" in API group \"\" at the cluster scope", json!({"kind": "secrets"})),
        of(Method::GET, core("secrets/x"), "secrets \"x\" is ",
            "get resource \"secrets\" in API group \"\" in the namespace \"{ns}\"",
            json!({"name": "x", "kind": "secrets"})),
        of(Method::GET, core("secrets?fieldSelector=metadata.name%3Dx"), "secrets \"x\" is ",
            "list resource \"secrets\" in API group \"\" in the namespace \"{ns}\"",
            json!({"name": "x", "kind": "secrets"})),
        of(Method::POST, core("secrets"), "secrets is ",
            "create resource \"secrets\" in API group \"\" in the namespace \"{ns}\"", json!({"kind": "secrets"})),
        of(Method::GET, format!("/api/v1/namespaces/{}", namespace.name), "namespaces \"{ns}\" is ",
            "get resource \"namespaces\" in API group \"\" in the namespace \"{ns}\"",
            json!({"name": namespace.name, "kind": "namespaces"})),
        of(Method::POST, core("serviceaccounts/default/token"), "serviceaccounts \"default\" is ",
            "create resource \"serviceaccounts/token\" in API group \"\" in the namespace \"{ns}\"",
            json!({"name": "default", "kind": "serviceaccounts"})),
        of(Method::PUT, namespace.widget("x"), "widgets.conf.example.com \"x\" is ",
            "update resource \"widgets\" in API group \"conf.example.com\" in the namespace \"{ns}\"",
            widgets(Some("x"))),
        of(Method::PATCH, format!("{}/status", namespace.widget("x")), "widgets.conf.example.com \"x\" is ",
            "patch resource \"widgets/status\" in API group \"conf.example.com\" in the namespace \"{ns}\"",
            widgets(Some("x"))),
        of(Method::DELETE, namespace.widgets(), "widgets.conf.example.com is ",
            "deletecollection resource \"widgets\" in API group \"conf.example.com\" in the namespace \"{ns}\"",
            widgets(None)),
        of(Method::GET, format!("{WIDGETS}?watch=true"), "widgets.conf.example.com is ",
            "watch resource \"widgets\" in API group \"conf.example.com\" at the cluster scope", widgets(None)),
        of(Method::DELETE, format!("{GADGETS}/g"), "gadgets.conf.example.com \"g\" is ",
            "delete resource \"gadgets\" in API group \"conf.example.com\" at the cluster scope",
            json!({"name": "g", "group": "conf.example.com", "kind": "gadgets"})),
        of(Method::GET, "/apis/unserved.example.com/v1/things".into(), "things.unserved.example.com is ",
            "list resource \"things\" in API group \"unserved.example.com\" at the cluster scope",
            json!({"group": "unserved.example.com", "kind": "things"})),
        of(Method::GET, "/metrics".into(), "", "get path \"/metrics\"", json!({})),
    ]
}

pub(crate) async fn rules(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = Account::new(world, &namespace, "reader").await?;
    let granted = grant(world, &namespace, &account).await?;
    world.create(&namespace.core("configmaps"), &config_map("named", json!({}))).await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    let caller = world.with_token(Some(&account.token));
    let first = namespace.core("configmaps/named");
    soon(async || caller.get(&first).await?.is(200)).await?;
    requests(&caller, &namespace).await?;
    reviews(world, &namespace, &account).await?;
    paths(world, &granted).await
}

/// Grants rights to the account in its namespace, and to a user in the whole cluster, whose name it returns.
async fn grant(world: &World<'_>, namespace: &Namespace, account: &Account) -> Result<String> {
    let roles = namespace.collection(RBAC, "roles");
    let bindings = namespace.collection(RBAC, "rolebindings");
    let subject = json!([account.subject(namespace)]);
    let rules = json!([
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"], "resourceNames": ["named"]},
        {"apiGroups": ["conf.example.com"], "resources": ["*/status"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["serviceaccounts/token"], "verbs": ["create"]},
        {"apiGroups": ["kargo.akuity.io"], "resources": ["stages"], "verbs": ["promote"]},
    ]);
    world.create(&roles, &role("Role", "reader", rules)).await?;
    let bound = binding("RoleBinding", "reader", ("Role", "reader"), subject.clone());
    world.create(&bindings, &bound).await?;
    let missing = binding("RoleBinding", "missing", ("Role", "missing"), subject.clone());
    world.create(&bindings, &missing).await?;
    let everything = json!([{"apiGroups": ["every.example.com"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["/conf/*", "/conf-exact"], "verbs": ["get"]}]);
    let name = world.unique("conf");
    world.create(&cluster_rbac("clusterroles"), &role("ClusterRole", &name, everything)).await?;
    let inside = binding(
        "RoleBinding",
        "inside",
        ("ClusterRole", &name),
        json!([
        {"kind": "Group", "name": format!("system:serviceaccounts:{}", namespace.name)}]),
    );
    let created = world.create(&bindings, &inside).await?;
    at(&created, "/subjects/0/apiGroup", "rbac.authorization.k8s.io")?;
    let everywhere = binding(
        "ClusterRoleBinding",
        &name,
        ("ClusterRole", &name),
        json!([
        {"kind": "User", "name": name}]),
    );
    world.create(&cluster_rbac("clusterrolebindings"), &everywhere).await?;
    Ok(name)
}

async fn requests(caller: &World<'_>, namespace: &Namespace) -> Result<()> {
    let maps = namespace.core("configmaps");
    let mut cases = Cases::default();
    for (path, code) in [
        (format!("{maps}/other"), 403),
        (maps.clone(), 403),
        (format!("{maps}?fieldSelector=metadata.name%3Dnamed"), 200),
        (format!("{maps}?fieldSelector=metadata.name%3Dother"), 403),
        (format!("{maps}?fieldSelector=metadata.name%3Dnamed&watch=true&timeoutSeconds=1"), 200),
        (format!("{}/status", namespace.widget("a")), 200),
        (namespace.widget("a"), 403),
        (namespace.core("serviceaccounts/default"), 403),
        ("/metrics".to_owned(), 403),
    ] {
        cases.note(&path, caller.get(&path).await?.is(code));
    }
    let token = super::account::token_request(json!({}));
    let path = super::account::token_path(namespace, "reader");
    cases.note("token", caller.post(&path, &token).await?.is(201));
    cases.finish()
}

/// What is asked about: verb, group, resource, subresource, whether in the namespace of the grants.
type Question = (&'static str, &'static str, &'static str, &'static str, bool);

async fn reviews(world: &World<'_>, namespace: &Namespace, account: &Account) -> Result<()> {
    let questions: &[(Question, bool)] = &[
        (("promote", "kargo.akuity.io", "stages", "", true), true),
        (("promote", "kargo.akuity.io", "stages", "", false), false),
        (("promote", "kargo.akuity.io", "stages", "status", true), false),
        (("get", "kargo.akuity.io", "stages", "", true), false),
        (("promote", "", "stages", "", true), false),
        (("get", "conf.example.com", "gadgets", "status", true), true),
        (("update", "conf.example.com", "gadgets", "status", true), false),
        (("anything", "every.example.com", "things", "sub", true), true),
        (("anything", "every.example.com", "things", "", false), false),
        (("get", "", "configmaps", "", true), false),
    ];
    let group = format!("system:serviceaccounts:{}", namespace.name);
    let mut cases = Cases::default();
    for &((verb, api_group, resource, subresource, inside), allowed) in questions {
        let place = if inside { namespace.name.as_str() } else { "default" };
        let spec = json!({"user": account.user, "groups": [group], "resourceAttributes": {"verb": verb,
            "group": api_group, "resource": resource, "subresource": subresource, "namespace": place}});
        let title = format!("{verb} {resource}.{api_group}/{subresource} in {place}");
        cases.note(title, decided(world, spec, allowed).await);
    }
    cases.finish()
}

/// A binding in a namespace gives no paths; one of the cluster does, also by prefix.
async fn paths(world: &World<'_>, user: &str) -> Result<()> {
    for (path, allowed) in [
        ("/conf/a/b", true),
        ("/conf/", true),
        ("/conf", false),
        ("/conf-exact", true),
        ("/conf-exact/", false),
    ] {
        let attributes = json!({"path": path, "verb": "get"});
        decided(world, json!({"user": user, "nonResourceAttributes": attributes}), allowed).await?;
    }
    Ok(())
}

async fn decided(world: &World<'_>, spec: Value, allowed: bool) -> Result<()> {
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec});
    let answer =
        world.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", &review).await?;
    equal(format!("decision on {}", review["spec"]), &answer["status"]["allowed"], &json!(allowed))
}
