//! Rows 124, 127 and 128: who am I, what may somebody do, and ClusterRoles made of others.

use anyhow::Result;
use http::Method;
use serde_json::{Value, json};

use super::account::{Account, RBAC, binding, cluster_rbac, role};
use crate::{
    answer::Answer,
    expect::{at, equal, text},
    namespace::Namespace,
    patience::soon,
    world::World,
};

const AUTHORIZATION: &str = "/apis/authorization.k8s.io/v1";
const WHO_AM_I: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

pub(crate) async fn who_am_i(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = Account::new(world, &namespace, "robot").await?;
    let answer = ask(&world.with_token(Some(&account.token)), &[]).await?.is(201)?;
    at(&answer, "/kind", "SelfSubjectReview")?;
    text(&answer, "/metadata/creationTimestamp")?;
    let user = &answer["status"]["userInfo"];
    at(user, "/username", account.user.as_str())?;
    at(user, "/uid", account.uid.as_str())?;
    let inside = format!("system:serviceaccounts:{}", namespace.name);
    let groups = json!(["system:serviceaccounts", inside, "system:authenticated"]);
    at(user, "/groups", groups.clone())?;
    let administrator = ask(world, &[]).await?.is(201)?;
    at(
        &administrator,
        "/status/userInfo/groups",
        json!(["system:masters", "system:authenticated"]),
    )?;
    impersonation(world, &namespace, &account, groups).await
}

async fn ask(world: &World<'_>, headers: &[(&str, &str)]) -> Result<Answer> {
    let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    world.send(Method::POST, WHO_AM_I, &all, body.to_string()).await
}

async fn impersonation(
    world: &World<'_>,
    namespace: &Namespace,
    account: &Account,
    groups: Value,
) -> Result<()> {
    let alice = [
        ("impersonate-user", "alice"),
        ("impersonate-group", "devs"),
        ("impersonate-group", "ops"),
        ("impersonate-uid", "u1"),
        ("impersonate-extra-scopes", "view"),
    ];
    let want = json!({"username": "alice", "uid": "u1", "groups": ["devs", "ops", "system:authenticated"],
        "extra": {"scopes": ["view"]}});
    at(&ask(world, &alice).await?.is(201)?, "/status/userInfo", want)?;
    let robot = ask(world, &[("impersonate-user", &account.user)]).await?.is(201)?;
    at(&robot, "/status/userInfo", json!({"username": account.user, "groups": groups}))?;
    ask(world, &[("impersonate-group", "devs")]).await?.fails(400, "BadRequest")?;
    let caller = world.with_token(Some(&account.token));
    ask(&caller, &[("impersonate-user", "alice")]).await?.fails(403, "Forbidden")?;
    let headers = [("impersonate-user", "alice")];
    let reply = world.send(Method::GET, &namespace.core("secrets"), &headers, "").await?;
    let message = format!(
        "secrets is forbidden: User \"alice\" cannot list resource \"secrets\" in API group \"\" in the namespace \"{}\"",
        namespace.name
    );
    reply.fails_saying(403, "Forbidden", &message).map(drop)
}

fn review(kind: &str, spec: Value) -> Value {
    json!({"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec})
}

async fn subject(world: &World<'_>, spec: Value) -> Result<Answer> {
    world
        .post(
            &format!("{AUTHORIZATION}/subjectaccessreviews"),
            &review("SubjectAccessReview", spec),
        )
        .await
}

pub(crate) async fn access_reviews(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = Account::new(world, &namespace, "robot").await?;
    let rules =
        json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "promote"]}]);
    world.create(&namespace.collection(RBAC, "roles"), &role("Role", "r", rules)).await?;
    let subjects =
        json!([{"kind": "ServiceAccount", "name": "robot"}, {"kind": "User", "name": "alice"}]);
    let bound = binding("RoleBinding", "b", ("Role", "r"), subjects);
    world.create(&namespace.collection(RBAC, "rolebindings"), &bound).await?;
    reasons(world, &namespace, &account).await?;
    invalid_reviews(world).await?;
    local_reviews(world, &namespace).await?;
    self_reviews(world, &namespace, &account).await
}

async fn reasons(world: &World<'_>, namespace: &Namespace, account: &Account) -> Result<()> {
    let name = &namespace.name;
    let promote = json!({"verb": "promote", "resource": "configmaps", "namespace": name});
    let spec = json!({"user": account.user, "resourceAttributes": promote});
    let reason = format!(
        "RBAC: allowed by RoleBinding \"b/{name}\" of Role \"r\" to ServiceAccount \"robot/{name}\""
    );
    let allowed = soon(async || {
        let answer = subject(world, spec.clone()).await?.is(201)?;
        at(&answer, "/status", json!({"allowed": true, "reason": reason}))?;
        Ok(answer)
    })
    .await?;
    at(&allowed, "/kind", "SubjectAccessReview")?;
    at(&allowed, "/spec", spec)?;
    for (spec, status) in [
        (
            json!({"user": "alice", "resourceAttributes": promote}),
            json!({"allowed": true,
                "reason": format!("RBAC: allowed by RoleBinding \"b/{name}\" of Role \"r\" to User \"alice\"")}),
        ),
        (json!({"user": "bob", "resourceAttributes": promote}), json!({"allowed": false})),
        (
            json!({"user": "bob", "groups": ["system:masters"], "resourceAttributes": promote}),
            json!({"allowed": true}),
        ),
        (
            json!({"groups": ["system:unauthenticated"], "nonResourceAttributes": {"path": "/version", "verb": "get"}}),
            json!({"allowed": true, "reason": "RBAC: allowed by ClusterRoleBinding \"system:public-info-viewer\" of \
                ClusterRole \"system:public-info-viewer\" to Group \"system:unauthenticated\""}),
        ),
    ] {
        let answer = subject(world, spec.clone()).await?.is(201)?;
        equal(&spec, &answer["status"], &status)?;
    }
    Ok(())
}

const NEITHER: (&str, &str, &str) = (
    "spec.resourceAttributes",
    "FieldValueInvalid",
    "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
);

async fn invalid_reviews(world: &World<'_>) -> Result<()> {
    let nobody = (
        "spec.user",
        "FieldValueInvalid",
        "Invalid value: \"\": at least one of user or group must be specified",
    );
    subject(world, json!({})).await?.invalid(&[NEITHER, nobody])?;
    subject(world, json!({"user": "u"})).await?.invalid(&[NEITHER])?;
    let resource = json!({"verb": "get", "resource": "pods"});
    subject(world, json!({"resourceAttributes": resource})).await?.invalid(&[nobody])?;
    let both = json!({"user": "u", "resourceAttributes": resource,
        "nonResourceAttributes": {"path": "/", "verb": "get"}});
    let reply = subject(world, both).await?;
    let status = reply.fails_with(
        422,
        "Invalid",
        "cannot be specified in combination with resourceAttributes",
    )?;
    at(&status, "/details/causes/0/field", "spec.nonResourceAttributes")
}

async fn local_reviews(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let path = namespace.collection("authorization.k8s.io/v1", "localsubjectaccessreviews");
    let ask = async |place: &str| {
        let attributes = json!({"verb": "get", "resource": "configmaps", "namespace": place});
        let spec = json!({"user": "alice", "resourceAttributes": attributes});
        world.post(&path, &review("LocalSubjectAccessReview", spec)).await
    };
    let allowed = ask(&namespace.name).await?.is(201)?;
    at(&allowed, "/status/allowed", true)?;
    at(&allowed, "/metadata/namespace", namespace.name.as_str())?;
    ask("other").await?.invalid(&[(
        "spec.resourceAttributes.namespace",
        "FieldValueInvalid",
        "Invalid value: \"other\": must match metadata.namespace",
    )])?;
    let path_asked =
        json!({"user": "alice", "nonResourceAttributes": {"path": "/", "verb": "get"}});
    let reply = world.post(&path, &review("LocalSubjectAccessReview", path_asked)).await?;
    reply.fails_with(422, "Invalid", "disallowed on this kind of request").map(drop)
}

async fn self_reviews(world: &World<'_>, namespace: &Namespace, account: &Account) -> Result<()> {
    let caller = world.with_token(Some(&account.token));
    let access = format!("{AUTHORIZATION}/selfsubjectaccessreviews");
    for (resource, allowed) in [("configmaps", true), ("secrets", false)] {
        let attributes = json!({"verb": "get", "resource": resource, "namespace": namespace.name});
        let asked = review("SelfSubjectAccessReview", json!({"resourceAttributes": attributes}));
        at(&caller.create(&access, &asked).await?, "/status/allowed", allowed)?;
    }
    let empty = review("SelfSubjectAccessReview", json!({}));
    caller.post(&access, &empty).await?.invalid(&[NEITHER])?;
    let rules = format!("{AUTHORIZATION}/selfsubjectrulesreviews");
    let nowhere = review("SelfSubjectRulesReview", json!({}));
    caller.post(&rules, &nowhere).await?.fails_saying(
        400,
        "BadRequest",
        "no namespace on request",
    )?;
    let here = review("SelfSubjectRulesReview", json!({"namespace": namespace.name}));
    let answer = caller.create(&rules, &here).await?;
    at(&answer, "/spec", json!({}))?;
    at(&answer, "/status/incomplete", false)?;
    let has = |list: &str, rule: Value| {
        let found = answer["status"][list].as_array().is_some_and(|rules| rules.contains(&rule));
        equal(format!("{rule} in {answer}"), &found, &true)
    };
    has(
        "resourceRules",
        json!({"verbs": ["get", "promote"], "apiGroups": [""], "resources": ["configmaps"]}),
    )?;
    has(
        "nonResourceRules",
        json!({"verbs": ["get"],
        "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"]}),
    )
}

pub(crate) async fn aggregation(world: &World<'_>) -> Result<()> {
    let label = world.unique("conf");
    let roles = cluster_rbac("clusterroles");
    let part = |name: &str, resource: &str| {
        let rules = json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
        let mut part = role("ClusterRole", &format!("{label}-{name}"), rules);
        part["metadata"]["labels"] = json!({"part-of": label});
        part
    };
    world.create(&roles, &part("b", "secrets")).await?;
    let mut whole = role("ClusterRole", &label, json!([]));
    whole["aggregationRule"] =
        json!({"clusterRoleSelectors": [{"matchLabels": {"part-of": label}}]});
    world.create(&roles, &whole).await?;
    let path = format!("{roles}/{label}");
    let becomes = async |resources: &[&str]| {
        let rule = |name: &&str| json!({"apiGroups": [""], "resources": [name], "verbs": ["get"]});
        let want: Vec<Value> = resources.iter().map(rule).collect();
        soon(async || at(&world.read(&path).await?, "/rules", json!(want))).await
    };
    becomes(&["secrets"]).await?;
    world.create(&roles, &part("a", "configmaps")).await?;
    becomes(&["configmaps", "secrets"]).await?;
    let unlabelled = json!({"metadata": {"labels": null}});
    world.merge(&format!("{roles}/{label}-b"), &unlabelled).await?.is(200)?;
    becomes(&["configmaps"]).await
}
