//! A Project of a scenario's own, and what people do in it.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Reply, eventually};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    gate::Gate,
    patience::PATIENCE,
    stage::{Stage, repository, version_of},
};

const API: &str = "kargo.akuity.io/v1alpha1";
pub(crate) const REFRESH: &str = "kargo.akuity.io/refresh";
pub(crate) const ABORT: &str = "kargo.akuity.io/abort";
pub(crate) const REVERIFY: &str = "kargo.akuity.io/reverify";

/// A Project with a Warehouse `web`, to which Freight is added by hand.
pub(crate) struct Project {
    pub(crate) name: &'static str,
    pub(crate) client: Client,
    pub(crate) gate: Arc<Gate>,
    /// Counts what has to be told apart.
    count: AtomicU32,
}

impl Project {
    /// Creates it, and waits for its namespace.
    pub(crate) async fn create(
        client: Client,
        gate: Arc<Gate>,
        name: &'static str,
    ) -> Result<Self> {
        let project = Self { name, client, gate, count: AtomicU32::new(0) };
        let body = json!({ "apiVersion": API, "kind": "Project", "metadata": { "name": name } });
        project.post(&format!("/apis/{API}/projects"), &body).await?;
        let namespace = format!("/api/v1/namespaces/{name}");
        let is_there = async || Ok(project.client.get(&namespace).await?.status.is_success());
        eventually(PATIENCE, &format!("Project {name} has a namespace"), is_there).await?;
        project.warehouse("web").await?;
        project.template().await?;
        Ok(project)
    }

    /// The same Project, on a control plane that was started again.
    pub(crate) fn on(self, client: Client) -> Self {
        Self { client, ..self }
    }

    /// A path of the gate that is this Project's alone.
    pub(crate) fn door(&self, name: &str) -> String {
        format!("{}/{name}", self.name)
    }

    /// The address of such a path; templates in it are evaluated.
    pub(crate) fn door_url(&self, name: &str) -> String {
        self.gate.url(&self.door(name))
    }

    /// Where the verdict about Freight of `web` is asked for.
    pub(crate) fn verdict_url(&self) -> String {
        self.door_url(&format!("verdict/{}", version_of("web")))
    }

    /// Says what is thought of a version of `web`.
    pub(crate) fn judge(&self, version: &str, is_well: bool) {
        let door = self.door(&format!("verdict/{version}"));
        self.gate.answer(&door, 200, json!({ "well": is_well }));
    }

    /// Promotes by itself to these Stages, and to no others.
    pub(crate) async fn automate(&self, stages: &[&str]) -> Result<()> {
        let policies: Vec<Value> = stages
            .iter()
            .map(
                |stage| json!({ "stageSelector": { "name": stage }, "autoPromotionEnabled": true }),
            )
            .collect();
        let spec = json!({ "promotionPolicies": policies });
        let path = format!("projectconfigs/{}", self.name);
        if self.client.get(&self.path(&path)).await?.status == StatusCode::NOT_FOUND {
            let body = object("ProjectConfig", self.name, &spec);
            return self.create_in("projectconfigs", &body).await.map(drop);
        }
        self.patch(&path, &json!({ "spec": spec })).await.map(drop)
    }

    /// Creates a Warehouse that never looks around.
    pub(crate) async fn warehouse(&self, name: &str) -> Result<()> {
        let spec = json!({
            "interval": "24h",
            "freightCreationPolicy": "Manual",
            "subscriptions": [{ "image": { "repoURL": repository(name), "constraint": ">=1.0.0" } }],
        });
        self.create_in("warehouses", &object("Warehouse", name, &spec)).await.map(drop)
    }

    /// Creates what verifications refer to: one question, answered once.
    async fn template(&self) -> Result<()> {
        let spec = json!({
            "args": [{ "name": "url" }],
            "metrics": [{
                "name": "well",
                "successCondition": "result == true",
                "provider": { "web": { "url": "{{args.url}}", "jsonPath": "{$.well}", "timeoutSeconds": 90 } },
            }],
        });
        let mut body = object("AnalysisTemplate", "verdict", &spec);
        body["apiVersion"] = json!("argoproj.io/v1alpha1");
        self.post(&self.argo("analysistemplates"), &body).await.map(drop)
    }

    pub(crate) async fn stage(&self, stage: Stage) -> Result<()> {
        self.create_in("stages", &object("Stage", stage.name, &stage.spec)).await.map(drop)
    }

    /// Adds Freight, newer than all there is, and returns its name.
    pub(crate) async fn freight(&self, warehouse: &str, version: &str) -> Result<String> {
        let minute = self.count.fetch_add(1, Ordering::Relaxed);
        let body = json!({
            "apiVersion": API, "kind": "Freight",
            "metadata": { "namespace": self.name },
            "origin": { "kind": "Warehouse", "name": warehouse },
            "images": [{ "repoURL": repository(warehouse), "tag": version }],
            "discoveredAt": format!("2026-01-01T00:{minute:02}:00Z"),
        });
        name_of(&self.create_in("freights", &body).await?)
    }

    /// Promotes as `kubectl create` does, and returns the name of the Promotion.
    pub(crate) async fn promote(&self, stage: &str, freight: &str) -> Result<String> {
        let body = promotion(&json!({ "stage": stage, "freight": freight }));
        name_of(&self.create_in("promotions", &body).await?)
    }

    /// Promotes the newest Freight of a Warehouse.
    pub(crate) async fn promote_newest(&self, stage: &str, warehouse: &str) -> Result<String> {
        let origin = json!({ "kind": "Warehouse", "name": warehouse });
        let body = promotion(&json!({ "stage": stage, "origin": origin }));
        name_of(&self.create_in("promotions", &body).await?)
    }

    /// Tries to promote, and expects to be told that it cannot be.
    pub(crate) async fn promote_in_vain(&self, stage: &str, freight: &str) -> Result<String> {
        let body = promotion(&json!({ "stage": stage, "freight": freight }));
        let reply = self.client.json(Method::POST, &self.path("promotions"), &body).await?;
        let text = reply.text();
        ensure!(reply.status == StatusCode::UNPROCESSABLE_ENTITY, "{}: {text}", reply.status);
        Ok(text)
    }

    pub(crate) async fn abort(&self, promotion: &str) -> Result<()> {
        self.annotate(&format!("promotions/{promotion}"), ABORT, "terminate").await
    }

    pub(crate) async fn annotate(&self, resource: &str, key: &str, value: &str) -> Result<()> {
        let patch = json!({ "metadata": { "annotations": { key: value } } });
        self.patch(resource, &patch).await.map(drop)
    }

    /// A word that was not used before, for requests.
    pub(crate) fn token(&self) -> String {
        format!("token-{}", self.count.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) async fn create_in(&self, resources: &str, body: &Value) -> Result<Value> {
        self.post(&self.path(resources), body).await
    }

    pub(crate) async fn get(&self, resource: &str) -> Result<Value> {
        self.read(&self.path(resource)).await
    }

    /// What is there at a path of the API.
    pub(crate) async fn read(&self, path: &str) -> Result<Value> {
        Ok(well(self.client.get(path).await?).with_context(|| path.to_owned())?.json())
    }

    pub(crate) async fn patch(&self, resource: &str, patch: &Value) -> Result<Value> {
        let headers = [("content-type", "application/merge-patch+json")];
        let path = self.path(resource);
        let reply = self.client.send(Method::PATCH, &path, &headers, patch.to_string()).await?;
        Ok(well(reply).with_context(|| format!("patch {path}"))?.json())
    }

    pub(crate) async fn delete(&self, resource: &str) -> Result<()> {
        let path = self.path(resource);
        let reply = self.client.send(Method::DELETE, &path, &[], "").await?;
        well(reply).with_context(|| format!("delete {path}")).map(drop)
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let reply = self.client.json(Method::POST, path, body).await?;
        Ok(well(reply).with_context(|| format!("create in {path}"))?.json())
    }

    /// The path of objects of ours in the Project.
    pub(crate) fn path(&self, resources: &str) -> String {
        format!("/apis/{API}/namespaces/{}/{resources}", self.name)
    }

    /// The path of objects of Argo Rollouts in the Project.
    pub(crate) fn argo(&self, resources: &str) -> String {
        format!("/apis/argoproj.io/v1alpha1/namespaces/{}/{resources}", self.name)
    }
}

/// An object of ours.
pub(crate) fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": API, "kind": kind, "metadata": { "name": name }, "spec": spec })
}

/// A Promotion whose name is left to others.
pub(crate) fn promotion(spec: &Value) -> Value {
    let metadata = json!({ "generateName": "by-hand-" });
    json!({ "apiVersion": API, "kind": "Promotion", "metadata": metadata, "spec": spec })
}

/// The name of an object.
pub(crate) fn name_of(object: &Value) -> Result<String> {
    Ok(object["metadata"]["name"].as_str().context("it has no name")?.to_owned())
}

fn well(reply: Reply) -> Result<Reply> {
    ensure!(reply.status.is_success(), "{}: {}", reply.status, reply.text());
    Ok(reply)
}
