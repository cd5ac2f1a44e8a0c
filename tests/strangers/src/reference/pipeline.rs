//! A Project with one Warehouse and one Stage, from its creation to its deletion, through the API of the reference.

use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use dev_testkit::{
    eventually, found,
    server::{GitHttp, GitRepository},
};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{api::Api, ground::Ground};
use crate::PATIENCE;

pub(super) const PROJECT: &str = "shop";
const STAGE: &str = "test";
const KINDS: &str = "/apis/kargo.akuity.io/v1alpha1";

/// The Project, and the repositories that it reads and writes.
pub(super) struct Pipeline<'a> {
    ground: &'a Ground,
    api: &'a Api,
    config: GitRepository,
    commit: String,
    #[expect(dead_code, reason = "held for its drop")]
    git: GitHttp,
}

impl<'a> Pipeline<'a> {
    /// Creates the Project with everything in it, and waits until it is ready.
    pub(super) async fn start(ground: &'a Ground, api: &'a Api) -> Result<Self> {
        let git = GitHttp::start().await?;
        let commit = git.repository("source")?.commit("main", "first", &[("version", "1")])?;
        let config = git.repository("config")?;
        config.git(&["config", "http.receivepack", "true"])?;
        config.commit("main", "first", &[("app.yaml", "commit: none\n")])?;
        let project = json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": PROJECT}});
        api.send(Method::POST, "resources", &project.to_string()).await?;
        let path = format!("{KINDS}/projects/{PROJECT}");
        let is_ready = async || Ok(is_true(&ground.client.read(&path).await?, "Ready"));
        eventually(PATIENCE, "the Project is ready", is_ready).await?;
        for object in [warehouse(&git), stage(&git)] {
            api.send(Method::POST, "resources", &object.to_string()).await?;
        }
        Ok(Self { ground, api, config, commit, git })
    }

    /// Promotes the Freight that the Warehouse finds, and looks at what came of it.
    pub(super) async fn promote(&self) -> Result<()> {
        let freight = self.await_freight().await?;
        let path = format!("projects/{PROJECT}/stages/{STAGE}/promotions");
        let body = json!({"freight": freight}).to_string();
        let promotion = self.api.send(Method::POST, &path, &body).await?;
        let name = promotion["metadata"]["name"].as_str().context("a Promotion without a name")?;
        let phase = self.await_end(name).await?;
        ensure!(phase["phase"] == "Succeeded", "the Promotion: {phase}");
        let pushed = self.config.git(&["show", "main:app.yaml"])?;
        ensure!(pushed.contains(&self.commit), "what was pushed: {pushed}");
        let verified = async || {
            let freight = self.get(&format!("freights/{freight}")).await?;
            Ok(freight["status"]["verifiedIn"][STAGE].is_object())
        };
        eventually(PATIENCE, "the Freight is verified in the Stage", verified).await
    }

    /// An API token of a role may do what the role may, for as long as it is there.
    pub(super) async fn use_token(&self) -> Result<()> {
        let path = format!("projects/{PROJECT}/roles/kargo-viewer/api-tokens");
        let body = json!({"name": "viewer"}).to_string();
        let secret = self.api.send(Method::POST, &path, &body).await?;
        let token = decode(&secret["data"]["token"])?;
        let viewer = self.api.with_token(&token);
        let stages = viewer.send(Method::GET, &format!("projects/{PROJECT}/stages"), "").await?;
        ensure!(stages.to_string().contains(STAGE), "the viewer sees {stages}");
        let stage = format!("projects/{PROJECT}/stages/{STAGE}");
        let refused = viewer.code(Method::DELETE, &stage).await?;
        ensure!(refused == StatusCode::FORBIDDEN, "a viewer deletes a Stage: {refused}");
        let own = format!("projects/{PROJECT}/api-tokens/viewer");
        self.api.send(Method::DELETE, &own, "").await?;
        // kube-apiserver remembers for ten seconds whom it has let in.
        let is_out =
            async || Ok(viewer.code(Method::GET, &stage).await? == StatusCode::UNAUTHORIZED);
        eventually(PATIENCE, "a token that was deleted is refused", is_out).await
    }

    /// Deletes the Project, and waits until nothing is left of it.
    pub(super) async fn delete(&self) -> Result<()> {
        self.api.send(Method::DELETE, &format!("projects/{PROJECT}"), "").await?;
        for path in [format!("{KINDS}/projects/{PROJECT}"), format!("/api/v1/namespaces/{PROJECT}")]
        {
            let is_gone =
                async || Ok(self.ground.client.get(&path).await?.status == StatusCode::NOT_FOUND);
            eventually(PATIENCE, &format!("{path} is gone"), is_gone).await?;
        }
        Ok(())
    }

    async fn await_freight(&self) -> Result<String> {
        let first = async || {
            let freight = self.get("freights").await?;
            anyhow::Ok(freight["items"][0]["metadata"]["name"].as_str().map(str::to_owned))
        };
        match found(PATIENCE, "there is Freight", first).await {
            Ok(freight) => Ok(freight),
            Err(error) => {
                let status = self.get("warehouses/source").await?["status"].to_string();
                Err(error.context(status))
            }
        }
    }

    /// The status of a Promotion when it is over.
    async fn await_end(&self, name: &str) -> Result<Value> {
        let path = format!("promotions/{name}");
        let is_over = async || {
            let phase = self.get(&path).await?["status"]["phase"].clone();
            Ok(!matches!(phase.as_str(), None | Some("" | "Pending" | "Running")))
        };
        let waited = eventually(PATIENCE, "the Promotion ends", is_over).await;
        let status = self.get(&path).await?["status"].clone();
        waited.with_context(|| status.to_string())?;
        Ok(status)
    }

    async fn get(&self, resources: &str) -> Result<Value> {
        self.ground.client.read(&format!("{KINDS}/namespaces/{PROJECT}/{resources}")).await
    }
}

fn warehouse(git: &GitHttp) -> Value {
    json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
        "metadata": {"name": "source", "namespace": PROJECT},
        "spec": {"interval": "1h", "subscriptions": [{"git": {"repoURL": git.url("source"), "branch": "main"}}]},
    })
}

/// A Stage that writes the promoted commit into a file and pushes that.
fn stage(git: &GitHttp) -> Value {
    let config = git.url("config");
    let commit = format!("${{{{ commitFrom('{}').ID }}}}", git.url("source"));
    let steps = json!([
        {"uses": "git-clone", "config": {"repoURL": config, "checkout": [{"branch": "main", "path": "./config"}]}},
        {"uses": "yaml-update", "config": {"path": "./config/app.yaml", "updates": [{"key": "commit", "value": commit}]}},
        {"uses": "git-commit", "config": {"path": "./config", "message": "promote"}},
        {"uses": "git-push", "config": {"path": "./config"}},
    ]);
    json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage",
        "metadata": {"name": STAGE, "namespace": PROJECT},
        "spec": {
            "requestedFreight": [{"origin": {"kind": "Warehouse", "name": "source"}, "sources": {"direct": true}}],
            "promotionTemplate": {"spec": {"steps": steps}},
        },
    })
}

fn is_true(object: &Value, condition: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    let is_it = |one: &Value| one["type"] == condition && one["status"] == "True";
    conditions.is_some_and(|conditions| conditions.iter().any(is_it))
}

/// The text behind a value of a Secret.
fn decode(value: &Value) -> Result<String> {
    let text = value.as_str().context("a Secret without this value")?;
    Ok(String::from_utf8(STANDARD.decode(text)?)?)
}
