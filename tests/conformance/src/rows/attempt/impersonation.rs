//! More rights by acting as somebody else, and by tokens of others. The weak account may act as `alice`, nobody else.

use http::Method;
use serde_json::{Value, json};

use super::{Attempt, Refusal, request, scene::Scene};
use crate::rows::account::{token_path, token_request};

pub(super) fn attempts(scene: &Scene) -> Vec<Attempt> {
    [impersonated(scene), tokens(scene)].into_iter().flatten().collect()
}

/// kube-apiserver words a refusal by the kinds of impersonation that it tried.
fn refused() -> Refusal {
    Refusal { code: 403, reason: "Forbidden", message: None }
}

fn impersonated(scene: &Scene) -> Vec<Attempt> {
    let ask = |title, refusal| {
        request(title, Method::GET, scene.home.core("configmaps"), Value::Null, refusal)
    };
    let as_user = |title, user: &str| ask(title, refused()).with("impersonate-user", user);
    // The name itself is allowed: what else is asked for is not.
    let as_alice = |title, header: &str, value: &str| as_user(title, "alice").with(header, value);
    let strong = &scene.strong;
    let account = |name: &str| format!("system:serviceaccount:{}:{name}", scene.home.name);
    vec![
        as_user("acting as another user", "bob"),
        as_user("acting as the administrator", "system:admin"),
        as_user("acting as a stronger account", &strong.user),
        as_user("acting as an account without a name", &account("")),
        as_user("acting as an account with two names", &account("strong:er")),
        as_alice("acting as an administrator", "impersonate-group", "system:masters"),
        as_alice("acting in any group", "impersonate-group", "developers"),
        as_alice("acting with a uid", "impersonate-uid", &strong.uid),
        as_alice("acting with extra fields", "impersonate-extra-scopes", "admin"),
        as_alice(
            "acting with an extra field whose name is encoded",
            "impersonate-extra-example.com%2Fscopes",
            "admin",
        ),
        ask("acting as a user without rights", alice_cannot(scene))
            .with("impersonate-user", "alice"),
        ask("acting in a group as nobody", nobody()).with("impersonate-group", "system:masters"),
    ]
}

fn alice_cannot(scene: &Scene) -> Refusal {
    Refusal::forbidden(format!(
        "configmaps is forbidden: User \"alice\" cannot list resource \"configmaps\" in API group \"\" in the \
         namespace \"{}\"",
        scene.home.name
    ))
}

/// kube-apiserver shows what it made of the headers, in the notation of its language.
fn nobody() -> Refusal {
    Refusal { code: 400, reason: "BadRequest", message: None }
}

fn tokens(scene: &Scene) -> Vec<Attempt> {
    let request_of = |title, namespace: &crate::namespace::Namespace, account: &str| {
        let refusal =
            scene.cannot("create", ("", "serviceaccounts/token"), account, &namespace.name);
        request(
            title,
            Method::POST,
            token_path(namespace, account),
            token_request(json!({})),
            refusal,
        )
    };
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "a"}});
    let access = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": "alice", "resourceAttributes": {"verb": "get", "resource": "secrets"}}});
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
        "metadata": {"name": "token", "annotations": {"kubernetes.io/service-account.name": "strong"}}});
    vec![
        request_of("a token of a stronger account", &scene.home, "strong"),
        request_of("a token of an account that is not there", &scene.home, "missing"),
        request_of("a token of an account of another namespace", &scene.abroad, "default"),
        request(
            "a Secret with a token of a stronger account",
            Method::POST,
            scene.home.core("secrets"),
            secret,
            scene.cannot("create", ("", "secrets"), "", &scene.home.name),
        ),
        request(
            "a look at whose token it is",
            Method::POST,
            "/apis/authentication.k8s.io/v1/tokenreviews".to_owned(),
            review,
            scene.cannot("create", ("authentication.k8s.io", "tokenreviews"), "", ""),
        ),
        request(
            "a look at what others may do",
            Method::POST,
            "/apis/authorization.k8s.io/v1/subjectaccessreviews".to_owned(),
            access,
            scene.cannot("create", ("authorization.k8s.io", "subjectaccessreviews"), "", ""),
        ),
    ]
}
