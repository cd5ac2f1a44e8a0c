//! A Project with one Warehouse and many Stages that promote by themselves.

use std::{future::Future, ops::Range, time::Duration};

use anyhow::Result;
use dev_testkit::{Client, Patience, eventually};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

const GROUP: &str = "/apis/kargo.akuity.io/v1alpha1";
const CONNECTIONS: usize = 16;
const PATIENCE: Patience = Patience::of(Duration::from_mins(1));

/// A Project by name.
pub(crate) struct Project<'a> {
    pub(crate) client: &'a Client,
    pub(crate) name: String,
}

impl<'a> Project<'a> {
    /// Creates the Project, and lets its Stages promote by themselves.
    pub(crate) async fn create(client: &'a Client, name: &str) -> Result<Self> {
        let project = Self { client, name: name.to_owned() };
        let body = object("Project", name, json!({}));
        client.create(&format!("{GROUP}/projects"), &body).await?;
        project.await_namespace().await?;
        let policy = json!({"stageSelector": {"name": "glob:*"}, "autoPromotionEnabled": true});
        let spec = json!({"spec": {"promotionPolicies": [policy]}});
        project.post("projectconfigs", &object("ProjectConfig", name, spec)).await?;
        Ok(project)
    }

    /// A Warehouse that looks for nothing by itself.
    pub(crate) async fn add_warehouse(&self, name: &str) -> Result<()> {
        let git = json!({"repoURL": "https://127.0.0.1:1/none.git"});
        let spec = json!({"spec": {
            "freightCreationPolicy": "Manual", "interval": "24h", "subscriptions": [{"git": git}],
        }});
        self.post("warehouses", &object("Warehouse", name, spec)).await
    }

    /// Stages of two trivial steps each, which take Freight of the Warehouse.
    pub(crate) async fn add_stages(&self, warehouse: &str, count: usize) -> Result<()> {
        let add = |number: usize| async move {
            let stage = stage(&format!("{warehouse}-{number:05}"), warehouse);
            self.post("stages", &stage).await
        };
        in_parallel(0..count, add).await
    }

    /// Freight with a commit of its own.
    pub(crate) async fn add_freight(&self, warehouse: &str, number: usize) -> Result<()> {
        self.post("freights", &freight(&self.name, warehouse, number)).await
    }

    /// Pieces of Freight with these numbers.
    pub(crate) async fn fill_freight(&self, warehouse: &str, numbers: Range<usize>) -> Result<()> {
        in_parallel(numbers, |number| self.add_freight(warehouse, number)).await
    }

    /// From now on Stages promote nothing by themselves.
    pub(crate) async fn stop_promoting(&self) -> Result<()> {
        let path = format!("{}/{}", self.path("projectconfigs"), self.name);
        self.patch(&path, &json!({"spec": {"promotionPolicies": []}})).await
    }

    pub(crate) async fn patch(&self, path: &str, patch: &Value) -> Result<()> {
        self.client.merge(path, patch).await.map(drop)
    }

    /// The path of a kind.
    pub(crate) fn path(&self, plural: &str) -> String {
        format!("{GROUP}/namespaces/{}/{plural}", self.name)
    }

    async fn post(&self, plural: &str, body: &Value) -> Result<()> {
        self.client.create(&self.path(plural), body).await.map(drop)
    }

    async fn await_namespace(&self) -> Result<()> {
        let path = format!("/api/v1/namespaces/{}", self.name);
        let is_there = async || Ok(self.client.get(&path).await?.status.is_success());
        eventually(PATIENCE, &format!("{path} is there"), is_there).await
    }
}

async fn in_parallel<F: Future<Output = Result<()>>>(
    numbers: Range<usize>,
    work: impl Fn(usize) -> F,
) -> Result<()> {
    let all = stream::iter(numbers).map(work).buffer_unordered(CONNECTIONS);
    all.try_collect::<Vec<()>>().await.map(drop)
}

/// An object with these further fields.
fn object(kind: &str, name: &str, rest: Value) -> Value {
    let mut object = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": kind, "metadata": {"name": name},
    });
    if let (Some(object), Value::Object(rest)) = (object.as_object_mut(), rest) {
        object.extend(rest);
    }
    object
}

fn stage(name: &str, warehouse: &str) -> Value {
    let steps = json!([
        {"uses": "compose-output", "as": "a", "config": {"x": "${{ ctx.stage }}"}},
        {"uses": "compose-output", "as": "b", "config": {"y": "${{ outputs.a.x + \"-\" + ctx.project }}"}},
    ]);
    let origin = json!({"kind": "Warehouse", "name": warehouse});
    let request = json!({"origin": origin, "sources": {"direct": true}});
    let template = json!({"spec": {"steps": steps}});
    object(
        "Stage",
        name,
        json!({"spec": {"requestedFreight": [request], "promotionTemplate": template}}),
    )
}

fn freight(project: &str, warehouse: &str, number: usize) -> Value {
    let id = format!("{number:040x}");
    let commit = json!({"repoURL": "https://127.0.0.1:1/none.git", "id": id});
    let origin = json!({"kind": "Warehouse", "name": warehouse});
    let alias = format!("bench-{warehouse}-{number}");
    let labels = json!({"kargo.akuity.io/alias": alias});
    let metadata = json!({"name": "named-by-admission", "namespace": project, "labels": labels});
    let rest = json!({
        "alias": alias, "origin": origin, "commits": [commit], "metadata": metadata,
    });
    object("Freight", "", rest)
}
