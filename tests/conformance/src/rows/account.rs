//! A ServiceAccount as a caller, and the objects that give it rights.

use anyhow::{Context, Result};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::{expect::text, namespace::Namespace, patience::soon, world::World};

pub(super) const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// A ServiceAccount and a token for it.
pub(super) struct Account {
    pub(super) name: String,
    pub(super) uid: String,
    /// `system:serviceaccount:namespace:name`.
    pub(super) user: String,
    pub(super) token: String,
}

impl Account {
    /// A new account with a token that the server already accepts.
    pub(super) async fn new(world: &World<'_>, namespace: &Namespace, name: &str) -> Result<Self> {
        let object =
            json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}});
        let created = world.create(&namespace.core("serviceaccounts"), &object).await?;
        let request = token_request(json!({}));
        let path = token_path(namespace, name);
        let issued = soon(async || world.create(&path, &request).await).await?;
        let token = text(&issued, "/status/token")?.to_owned();
        let caller = world.with_token(Some(&token));
        soon(async || caller.get("/api").await?.is(200)).await?;
        Ok(Self {
            name: name.to_owned(),
            uid: text(&created, "/metadata/uid")?.to_owned(),
            user: format!("system:serviceaccount:{}:{name}", namespace.name),
            token,
        })
    }

    /// The account as the subject of a binding.
    pub(super) fn subject(&self, namespace: &Namespace) -> Value {
        json!({"kind": "ServiceAccount", "name": self.name, "namespace": namespace.name})
    }
}

pub(super) fn token_path(namespace: &Namespace, account: &str) -> String {
    format!("{}/{account}/token", namespace.core("serviceaccounts"))
}

pub(super) fn token_request(spec: Value) -> Value {
    json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
}

/// What a token says about itself.
pub(super) fn claims(token: &str) -> Result<Value> {
    let payload = token.split('.').nth(1).context("the token is no JWT")?;
    Ok(serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(payload)?)?)
}

/// A Role or ClusterRole.
pub(super) fn role(kind: &str, name: &str, rules: Value) -> Value {
    json!({"apiVersion": RBAC, "kind": kind, "metadata": {"name": name}, "rules": rules})
}

/// A RoleBinding or ClusterRoleBinding to a role `(kind, name)`.
pub(super) fn binding(kind: &str, name: &str, role: (&str, &str), subjects: Value) -> Value {
    json!({"apiVersion": RBAC, "kind": kind, "metadata": {"name": name}, "subjects": subjects,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role.0, "name": role.1}})
}

/// The path of a cluster-scoped RBAC collection.
pub(super) fn cluster_rbac(plural: &str) -> String {
    format!("/apis/{RBAC}/{plural}")
}
