//! A Project of a control plane, with what tests do in it.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::{Client, Patience};

const KINDS: &str = "/apis/kargo.akuity.io/v1alpha1";
/// How long something may take on a machine that has other things to do. Looked for often, because that is part of what
/// is measured.
const PATIENCE: Patience =
    Patience::of(Duration::from_mins(1)).looking_every(Duration::from_millis(5));

/// A Project that is there. Cheap to clone.
#[derive(Clone)]
pub struct Project {
    /// The administrator of the control plane.
    pub client: Client,
    name: String,
}

impl Project {
    /// Creates it and waits for its namespace.
    pub async fn create(client: &Client, name: &str) -> Result<Self> {
        let project = Self::of(client, name);
        let body = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": name},
        });
        client.create(&format!("{KINDS}/projects"), &body).await?;
        let namespace = format!("/api/v1/namespaces/{name}");
        let is_there = async || Ok(client.get(&namespace).await?.status.is_success());
        eventually(&format!("Project {name} has a namespace"), is_there).await?;
        Ok(project)
    }

    /// One that is there already.
    pub fn of(client: &Client, name: &str) -> Self {
        Self { client: client.clone(), name: name.to_owned() }
    }

    /// The path of objects of ours in it, such as `warehouses/web`.
    pub fn path(&self, resources: &str) -> String {
        format!("{KINDS}/namespaces/{}/{resources}", self.name)
    }

    /// Creates a Warehouse of one subscription that looks around by itself once an hour.
    pub async fn warehouse(&self, name: &str, subscription: &Value) -> Result<()> {
        let body = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
            "metadata": {"name": name, "namespace": self.name},
            "spec": {"interval": "1h", "subscriptions": [subscription]},
        });
        self.client.create(&self.path("warehouses"), &body).await.map(drop)
    }

    /// Creates a credential for repositories of a type.
    pub async fn credential(&self, name: &str, kind: &str, fields: &Value) -> Result<()> {
        let body = json!({
            "apiVersion": "v1", "kind": "Secret", "stringData": fields,
            "metadata": {"name": name, "labels": {"kargo.akuity.io/cred-type": kind}},
        });
        let secrets = format!("/api/v1/namespaces/{}/secrets", self.name);
        self.client.create(&secrets, &body).await.map(drop)
    }

    /// Asks a Warehouse to look around now. Another token is another request.
    pub async fn refresh(&self, warehouse: &str, token: &str) -> Result<()> {
        let patch = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": token}}});
        self.patch(&format!("warehouses/{warehouse}"), &patch).await
    }

    /// Merges `patch` into an object of ours, such as `warehouses/web`.
    pub async fn patch(&self, object: &str, patch: &Value) -> Result<()> {
        self.client.merge(&self.path(object), patch).await.map(drop)
    }

    /// Creates an object of ours among `resources`, such as `stages`; returns its name.
    pub async fn add(&self, resources: &str, body: &Value) -> Result<String> {
        let created = self.client.create(&self.path(resources), body).await?;
        let name = created.pointer("/metadata/name").and_then(Value::as_str);
        Ok(name.context("an object without a name")?.to_owned())
    }

    /// What is there at a path below the Project.
    pub async fn get(&self, resources: &str) -> Result<Value> {
        self.client.read(&self.path(resources)).await
    }

    /// Whether there is something at a path below the Project.
    pub async fn has(&self, resources: &str) -> Result<bool> {
        Ok(self.client.get(&self.path(resources)).await?.status.is_success())
    }
}

/// Waits until something is so, with the patience that Warehouses and Promotions need.
pub async fn eventually(what: &str, is_so: impl AsyncFn() -> Result<bool>) -> Result<()> {
    crate::eventually(PATIENCE, what, is_so).await
}
