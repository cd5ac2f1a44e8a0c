//! A cluster with Argo CD and `kargo up`, and the Git server that both know.

use std::path::Path;

use anyhow::{Result, ensure};
use dev_testkit::{
    Client, Cluster, Kargo, UpOptions,
    server::{GitHttp, GitRepository},
    warehouse::{Project, eventually},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::argo_cd::{ArgoCd, NAMESPACE};

pub(crate) const PROJECT: &str = "shop";
pub(crate) const WAREHOUSE: &str = "source";
/// The repository that Applications are made from, and the one whose commits are promoted.
const CONFIG: &str = "config";
const SOURCE: &str = "source";

/// Everything that runs.
pub(crate) struct World {
    // In the order in which they stop when dropped.
    kargo: Kargo,
    argo_cd: ArgoCd,
    cluster: Cluster,
    git: GitHttp,
    pub(crate) config: GitRepository,
    pub(crate) client: Client,
    pub(crate) project: Project,
    #[expect(dead_code, reason = "held for its drop")]
    directory: TempDir,
}

impl World {
    pub(crate) async fn start() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let cluster = Cluster::up(&directory.path().join("cluster")).await?;
        let kubeconfig = cluster.kubeconfig().clone();
        let client = Client::new(&kubeconfig)?;
        let argo_cd = ArgoCd::start(&directory.path().join("argocd"), &kubeconfig, &client).await?;
        let git = GitHttp::start().await?;
        let config = git.repository(CONFIG)?;
        config.git(&["config", "http.receivepack", "true"])?;
        git.repository(SOURCE)?.commit("main", "first", &[("version", "1")])?;
        let kargo = Kargo::up_on(&kubeconfig.path, &UpOptions::default()).await?;
        let project = create_project(&client, &git.url(SOURCE)).await?;
        Ok(Self { kargo, argo_cd, cluster, git, config, client, project, directory })
    }

    /// The same Project in another control plane.
    pub(crate) async fn project_on(&self, control_plane: &Client) -> Result<Project> {
        create_project(control_plane, &self.source_url()).await
    }

    /// What reaches the cluster of Argo CD.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.cluster.kubeconfig().path
    }

    pub(crate) async fn stop(self) -> Result<()> {
        let code = self.kargo.stop().await?;
        ensure!(code == Some(0), "exit code {code:?} after SIGTERM");
        drop(self.argo_cd);
        self.cluster.down().await
    }

    /// What Argo CD complained about last.
    pub(crate) fn complaints(&self) -> String {
        self.argo_cd.complaints()
    }

    /// The address of the repository that Applications are made from.
    pub(crate) fn config_url(&self) -> String {
        self.git.url(CONFIG)
    }

    /// The address of the repository whose commits are promoted.
    pub(crate) fn source_url(&self) -> String {
        self.git.url(SOURCE)
    }

    pub(crate) async fn application(&self, name: &str) -> Result<Value> {
        self.client.read(&format!("{}/{name}", applications())).await
    }

    /// Asks Argo CD to look at the repository now.
    pub(crate) async fn refresh(&self, application: &str) -> Result<()> {
        let patch = json!({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}});
        let path = format!("{}/{application}", applications());
        self.client.merge(&path, &patch).await.map(drop)
    }
}

pub(crate) fn applications() -> String {
    format!("/apis/argoproj.io/v1alpha1/namespaces/{NAMESPACE}/applications")
}

/// A Project with the Warehouse, when that has found its Freight.
async fn create_project(client: &Client, source: &str) -> Result<Project> {
    let project = Project::create(client, PROJECT).await?;
    project.warehouse(WAREHOUSE, &json!({"git": {"repoURL": source, "branch": "main"}})).await?;
    // Right after the kinds were created the API server may not be able to tell yet.
    let is_found = async || Ok(matches!(freight(&project).await, Ok(Some(_))));
    eventually("there is Freight", is_found).await?;
    Ok(project)
}

/// The Freight of a Project, when the Warehouse has found it.
pub(crate) async fn freight(project: &Project) -> Result<Option<Value>> {
    let freight = project.get("freights").await?;
    Ok(freight["items"].as_array().and_then(|items| items.first().cloned()))
}
