//! Who asks: the administrator, components, roles of a Project, and people who may write but not promote.

use anyhow::{Context, Result};
use dev_testkit::{Client, Kubeconfig};
use http::Method;
use serde_json::{Value, json};

use crate::patience::soon;

/// The word for the administrator.
pub(crate) const ADMINISTRATOR: &str = "admin";

/// Where the ServiceAccounts of people live.
const PEOPLE: &str = "admission-people";
/// Where those of components live.
const COMPONENTS: &str = "kargo";

/// Words for ServiceAccounts: namespace and name.
const WORDS: &[(&str, &str, &str)] = &[
    // May write everything of ours, but not promote.
    ("writer", PEOPLE, "writer"),
    // May promote as well.
    ("owner", PEOPLE, "owner"),
    // May do nothing.
    ("nobody", PEOPLE, "nobody"),
    ("api", COMPONENTS, "kargo-api"),
    ("controller", COMPONENTS, "kargo-controller"),
    ("controller-eu", COMPONENTS, "kargo-controller-eu"),
    ("controller-us", COMPONENTS, "kargo-controller-us"),
    // Serves a shard, and what has none.
    ("controller-home", COMPONENTS, "kargo-controller-home"),
    ("collector", COMPONENTS, "kargo-garbage-collector"),
    ("management", COMPONENTS, "kargo-management-controller"),
    ("receiver", COMPONENTS, "kargo-external-webhooks-server"),
    ("namespace-controller", "kube-system", "namespace-controller"),
];

/// A caller with a client of its own.
///
/// The connection is its own as well: kube-apiserver closes one after a request that it could not authenticate.
#[derive(Clone)]
pub(crate) struct Actor {
    pub(crate) client: Client,
    /// What the server takes the caller for.
    pub(crate) user: String,
}

impl Actor {
    pub(crate) async fn administrator(kubeconfig: &Kubeconfig) -> Result<Self> {
        Self::known(Client::new(kubeconfig)?).await
    }

    /// The ServiceAccount behind a word, or behind `namespace/name`.
    pub(crate) async fn account(
        kubeconfig: &Kubeconfig,
        administrator: &Client,
        word: &str,
    ) -> Result<Self> {
        let (namespace, name) = place(word).with_context(|| format!("nobody is {word:?}"))?;
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token");
        let request =
            json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        // The ServiceAccount may be on its way: those of a Project are made by the management controller.
        let token = soon(async || {
            let reply = administrator.json(Method::POST, &path, &request).await?.json();
            let token = reply["status"]["token"].as_str().map(str::to_owned);
            token.with_context(|| format!("no token for {word:?}: {}", reply["message"]))
        })
        .await?;
        let client = Client::new(kubeconfig)?.with_token(Some(&token));
        soon(async || Self::known(client.clone()).await).await
    }

    async fn known(client: Client) -> Result<Self> {
        let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
        let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let reply = client.json(Method::POST, path, &review).await?.json();
        let user = reply["status"]["userInfo"]["username"].as_str().map(str::to_owned);
        let user = user.with_context(|| format!("who am I: {reply}"))?;
        Ok(Self { client, user })
    }
}

fn place(word: &str) -> Option<(&str, &str)> {
    let known = WORDS.iter().find(|(known, ..)| *known == word);
    known.map(|(_, namespace, name)| (*namespace, *name)).or_else(|| word.split_once('/'))
}

/// The objects that make people and further controllers known to a server.
pub(crate) fn objects() -> Vec<Value> {
    let mut objects = vec![json!({"kind": "Namespace", "name": PEOPLE})];
    let people = ["writer", "owner", "nobody"];
    objects.extend(people.map(|name| account(PEOPLE, name, json!({}))));
    objects.push(account("kube-system", "namespace-controller", json!({})));
    let write = ["get", "list", "watch", "create", "update", "patch", "delete"];
    let rules = json!([
        {"apiGroups": ["kargo.akuity.io"], "resources": ["*"], "verbs": write},
        {"apiGroups": [""], "resources": ["secrets", "configmaps", "namespaces"], "verbs": write},
    ]);
    objects.push(json!({"kind": "ClusterRole", "name": "admission-write", "rules": rules}));
    let rules =
        json!([{"apiGroups": ["kargo.akuity.io"], "resources": ["stages"], "verbs": ["promote"]}]);
    objects.push(json!({"kind": "ClusterRole", "name": "admission-promote", "rules": rules}));
    objects.push(binding("admission-write", PEOPLE, &["writer", "owner"]));
    objects.push(binding("admission-promote", PEOPLE, &["owner"]));
    objects.extend(["eu", "us", "home"].map(controller));
    let controllers = ["kargo-controller-eu", "kargo-controller-us", "kargo-controller-home"];
    let mut bound = binding("kargo-controller", COMPONENTS, &controllers);
    bound["name"] = json!("admission-controllers");
    objects.push(bound);
    objects
}

fn controller(shard: &str) -> Value {
    let mut labels =
        json!({"app.kubernetes.io/component": "controller", "kargo.akuity.io/shard": shard});
    if shard == "home" {
        labels["kargo.akuity.io/default-controller"] = json!("true");
    }
    account(COMPONENTS, &format!("kargo-controller-{shard}"), labels)
}

fn account(namespace: &str, name: &str, labels: Value) -> Value {
    json!({"kind": "ServiceAccount", "namespace": namespace, "name": name, "labels": labels})
}

fn binding(role: &str, namespace: &str, accounts: &[&str]) -> Value {
    let subject =
        |name: &&str| json!({"kind": "ServiceAccount", "namespace": namespace, "name": name});
    let subjects: Vec<Value> = accounts.iter().map(subject).collect();
    json!({"kind": "ClusterRoleBinding", "name": role, "subjects": subjects,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}})
}
