//! The cluster with everybody on it, and what tests do there.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Cluster, Kargo, Patience, UpOptions, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    application::Application,
    manifest::{self, PROJECT, STAGE},
    neighbour::{INSTANCE_ID, Neighbour},
};

/// How long something may take on a machine that has other things to do.
pub(crate) const PATIENCE: Patience = Patience::of(Duration::from_mins(1));
const KARGO: &str = "/apis/kargo.akuity.io/v1alpha1";
const ARGO: &str = "/apis/argoproj.io/v1alpha1";

/// kube-apiserver, Argo Rollouts, `kargo up`, and an application.
pub(crate) struct World {
    cluster: Cluster,
    kargo: Kargo,
    pub(crate) application: Application,
    pub(crate) client: Client,
    neighbour: Neighbour,
    _directory: TempDir,
}

impl World {
    /// Starts everything, and makes the Project without Freight.
    pub(crate) async fn start() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let cluster = Cluster::up(&directory.path().join("cluster")).await?;
        let kubeconfig = cluster.kubeconfig().clone();
        // Before `kargo up`, which looks once at what the cluster serves.
        let log = directory.path().join("argo-rollouts.log");
        let neighbour = Neighbour::start(&kubeconfig.path, &log).await?;
        let instance = ("ROLLOUTS_CONTROLLER_INSTANCE_ID".to_owned(), INSTANCE_ID.to_owned());
        let options = UpOptions { environment: vec![instance], ..UpOptions::default() };
        let kargo = Kargo::up_on(&kubeconfig.path, &options).await?;
        let world = Self {
            client: Client::new(&kubeconfig)?,
            cluster,
            kargo,
            application: Application::start().await?,
            neighbour,
            _directory: directory,
        };
        world.make_project().await?;
        Ok(world)
    }

    pub(crate) async fn stop(self) -> Result<()> {
        let code = self.kargo.stop().await?;
        self.neighbour.stop().await?;
        self.cluster.down().await?;
        ensure!(code == Some(0), "kargo up ended with {code:?}");
        Ok(())
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.cluster.kubeconfig().path
    }

    async fn make_project(&self) -> Result<()> {
        let project = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": { "name": PROJECT },
        });
        self.client.create(&format!("{KARGO}/projects"), &project).await?;
        let namespace = format!("/api/v1/namespaces/{PROJECT}");
        let is_there = async || Ok(self.client.get(&namespace).await?.status.is_success());
        eventually(PATIENCE, "the Project has a namespace", is_there).await?;
        self.client.create(&kargo("projectconfigs"), &manifest::project_config()).await?;
        self.client.create(&kargo("warehouses"), &manifest::warehouse()).await?;
        self.client.create(&argo("analysistemplates"), &manifest::template(1)).await?;
        let stage = manifest::stage(&self.application.address());
        self.client.create(&kargo("stages"), &stage).await?;
        Ok(())
    }

    /// The newest verification of what the Stage holds; `null` when there is none.
    pub(crate) async fn verification(&self) -> Result<Value> {
        let stage = self.client.read(&kargo(&format!("stages/{STAGE}"))).await?;
        Ok(stage["status"]["freightHistory"][0]["verificationHistory"][0].clone())
    }

    /// Waits until the newest verification is as wanted, and returns it.
    pub(crate) async fn await_verification(
        &self,
        what: &str,
        is_it: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        let is_so = async || Ok(is_it(&self.verification().await?));
        let outcome = eventually(PATIENCE, what, is_so).await;
        let verification = self.verification().await?;
        outcome.with_context(|| verification.to_string())?;
        Ok(verification)
    }

    /// Asks with an annotation of the Stage to do something about a verification, and returns its id.
    pub(crate) async fn request(&self, annotation: &str) -> Result<String> {
        let verification = self.verification().await?;
        let id = verification["id"].as_str().context("the verification has no id")?.to_owned();
        let patch = json!({ "metadata": { "annotations": { annotation: id } } });
        self.client.merge(&kargo(&format!("stages/{STAGE}")), &patch).await?;
        Ok(id)
    }

    /// The AnalysisRun of a verification.
    pub(crate) async fn run_of(&self, verification: &Value) -> Result<Value> {
        let name = verification["analysisRun"]["name"].as_str().context("it has no AnalysisRun")?;
        self.client.read(&argo(&format!("analysisruns/{name}"))).await
    }

    /// Whether the Stage verified the Freight.
    pub(crate) async fn is_verified(&self, freight: &str) -> Result<bool> {
        let freight = self.client.read(&kargo(&format!("freights/{freight}"))).await?;
        Ok(freight["status"]["verifiedIn"][STAGE].is_object())
    }

    /// The status of a condition of the Stage, its reason and its message.
    pub(crate) async fn condition(&self, kind: &str) -> Result<[String; 3]> {
        let stage = self.client.read(&kargo(&format!("stages/{STAGE}"))).await?;
        let conditions = stage["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let found = conditions.into_iter().find(|one| one["type"] == kind).unwrap_or_default();
        Ok(["status", "reason", "message"].map(|it| found[it].as_str().unwrap_or_default().into()))
    }
}

/// The path of objects of ours in the Project.
pub(crate) fn kargo(resources: &str) -> String {
    format!("{KARGO}/namespaces/{PROJECT}/{resources}")
}

/// The path of objects of Argo Rollouts in the Project.
pub(crate) fn argo(resources: &str) -> String {
    format!("{ARGO}/namespaces/{PROJECT}/{resources}")
}
