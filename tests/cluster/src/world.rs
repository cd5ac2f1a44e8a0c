//! The cluster, and `kargo up` on it.

use std::{
    path::{Path, PathBuf},
    process::Output,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use dev_testkit::{
    Client, Cluster, Kargo, Kubeconfig, Patience, Reply, UpOptions, binary, eventually,
};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

/// How long something may take that should come within a second.
pub(crate) const PATIENCE: Patience = Patience::of(Duration::from_secs(20));
pub(crate) const KARGO: &str = "/apis/kargo.akuity.io/v1alpha1";
pub(crate) const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";

/// A cluster and its administrator.
pub(crate) struct World {
    cluster: Option<Cluster>,
    kubeconfig: Kubeconfig,
    pub(crate) client: Client,
    directory: TempDir,
}

impl World {
    /// The given cluster, or one of our own.
    pub(crate) async fn start(kubeconfig: Option<PathBuf>) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let (cluster, kubeconfig) = if let Some(file) = kubeconfig {
            (None, Kubeconfig::read(&file)?)
        } else {
            let cluster = Cluster::up(&directory.path().join("cluster")).await?;
            let kubeconfig = cluster.kubeconfig().clone();
            (Some(cluster), kubeconfig)
        };
        let client = Client::new(&kubeconfig)?;
        Ok(Self { cluster, kubeconfig, client, directory })
    }

    pub(crate) async fn stop(self) -> Result<()> {
        match self.cluster {
            Some(cluster) => cluster.down().await,
            None => Ok(()),
        }
    }

    /// A running `kargo up`.
    pub(crate) async fn up(&self, arguments: &[&str]) -> Result<Kargo> {
        let arguments = arguments.iter().map(|&one| one.to_owned()).collect();
        self.up_by(&UpOptions { arguments, ..UpOptions::default() }).await
    }

    /// The same, started in another way.
    pub(crate) async fn up_by(&self, options: &UpOptions) -> Result<Kargo> {
        Kargo::up_on(&self.kubeconfig.path, options).await
    }

    /// A `kargo up` that ends by itself.
    pub(crate) async fn up_to_end(&self, arguments: &[&str]) -> Result<Output> {
        self.up_with(&self.kubeconfig.path, arguments).await
    }

    /// The same with another kubeconfig.
    pub(crate) async fn up_with(&self, kubeconfig: &Path, arguments: &[&str]) -> Result<Output> {
        let mut command = Command::new(binary()?);
        command.args(["up", "--webhook-port", "0", "--kubeconfig"]).arg(kubeconfig);
        command.args(arguments).env("LOG_LEVEL", "discard").kill_on_drop(true);
        let ended = tokio::time::timeout(Duration::from_mins(1), command.output()).await;
        Ok(ended.context("kargo up did not end")??)
    }

    /// A kubeconfig that differs from the administrator's in its text.
    pub(crate) fn write_kubeconfig(
        &self,
        name: &str,
        change: impl FnOnce(String) -> String,
    ) -> Result<PathBuf> {
        let text = change(std::fs::read_to_string(&self.kubeconfig.path)?);
        let path = self.directory.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// The administrator's token, as it stands in the kubeconfig.
    pub(crate) fn token(&self) -> &str {
        &self.kubeconfig.token
    }

    /// What is replied to a create, for those who expect a refusal.
    pub(crate) async fn create(&self, path: &str, body: &Value) -> Result<Reply> {
        self.client.json(Method::POST, path, body).await
    }

    pub(crate) async fn exists(&self, path: &str) -> Result<bool> {
        Ok(self.client.get(path).await?.status.is_success())
    }

    /// Creates a Project.
    pub(crate) async fn create_project(&self, name: &str) -> Result<Reply> {
        let body = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": name},
        });
        self.create(&format!("{KARGO}/projects"), &body).await
    }

    /// Creates a Project and waits until it is ready.
    pub(crate) async fn ready_project(&self, name: &str) -> Result<()> {
        let reply = self.create_project(name).await?;
        ensure!(reply.status.is_success(), "create Project {name}: {}", reply.text());
        self.await_ready(name).await
    }

    pub(crate) async fn await_ready(&self, name: &str) -> Result<()> {
        let is_ready = async || self.is_ready(name).await;
        eventually(PATIENCE, &format!("Project {name} is ready"), is_ready).await
    }

    pub(crate) async fn is_ready(&self, project: &str) -> Result<bool> {
        let project = self.client.read(&format!("{KARGO}/projects/{project}")).await?;
        let conditions = project["status"]["conditions"].as_array().cloned().unwrap_or_default();
        Ok(conditions.iter().any(|one| one["type"] == "Ready" && one["status"] == "True"))
    }

    /// Fails while the cluster has webhook configurations of ours.
    pub(crate) async fn ensure_no_webhooks(&self) -> Result<()> {
        for kind in ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"] {
            let path = format!("{ADMISSION}/{kind}/kargo");
            ensure!(!self.exists(&path).await?, "{kind} \"kargo\" is still there");
        }
        Ok(())
    }
}

/// Stops it as Ctrl-C does, and expects a clean end.
pub(crate) async fn stop(kargo: Kargo) -> Result<()> {
    let code = kargo.stop().await?;
    ensure!(code == Some(0), "exit code {code:?} after SIGTERM");
    Ok(())
}

/// Checks how a `kargo up` ended, and what it said.
pub(crate) fn ensure_refused(output: &Output, code: i32, words: &[&str]) -> Result<()> {
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(code), "{:?} instead of {code}: {errors}", output.status);
    for word in words {
        ensure!(errors.contains(word), "{word:?} is missing in: {errors}");
    }
    ensure!(errors.contains("\nhint: "), "no hint in: {errors}");
    Ok(())
}
