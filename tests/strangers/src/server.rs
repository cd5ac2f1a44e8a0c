//! `kargo up` on a port that it keeps, so that programs find it again after it was killed.

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kubeconfig, binary, eventually};
use http::Method;
use tempfile::TempDir;
use tokio::process::Command;

use crate::{
    PATIENCE,
    program::{Program, free_port},
};

/// Where kinds are created.
const KINDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The control plane and its data directory.
pub(crate) struct Server {
    directory: TempDir,
    arguments: Vec<String>,
    process: Program,
}

impl Server {
    /// Starts an empty one with these further arguments, and waits until it is ready.
    pub(crate) async fn start(arguments: &[&str]) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("strangers-").tempdir()?;
        let port = free_port()?.to_string();
        let arguments = [&["--kube-port", &port], arguments].concat();
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let process = start(&directory, &arguments)?;
        let server = Self { directory, arguments, process };
        server.await_ready().await?;
        Ok(server)
    }

    /// Kills it and starts it again on the same data and port.
    pub(crate) async fn kill_and_start(mut self) -> Result<Self> {
        self.process.kill().await?;
        self.process = start(&self.directory, &self.arguments)?;
        self.await_ready().await?;
        Ok(self)
    }

    /// Ends it.
    pub(crate) async fn kill(self) -> Result<()> {
        self.process.kill().await
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> Result<Kubeconfig> {
        Kubeconfig::read(&self.directory.path().join("admin.kubeconfig"))
    }

    /// A client with the administrator's credentials.
    pub(crate) fn client(&self) -> Result<Client> {
        Client::new(&self.kubeconfig()?)
    }

    /// Where logs of programs can go.
    pub(crate) fn directory(&self) -> &std::path::Path {
        self.directory.path()
    }

    async fn await_ready(&self) -> Result<()> {
        let is_ready = async || {
            // Until then there is no kubeconfig, or nobody at the other end.
            let Ok(client) = self.client() else { return Ok(false) };
            Ok(client.get("/readyz").await.is_ok_and(|reply| reply.status.is_success()))
        };
        let waited = eventually(PATIENCE, "kargo up is ready", is_ready).await;
        waited.with_context(|| self.process.last_words())
    }
}

fn start(directory: &TempDir, arguments: &[String]) -> Result<Program> {
    let mut command = Command::new(binary()?);
    command.arg("up").args(arguments).arg("--data-dir").arg(directory.path());
    command.env("LOG_LEVEL", "error");
    Program::start("kargo", command, directory.path())
}

/// Creates a kind from its definition, in JSON or YAML, and waits until it is established.
pub(crate) async fn create_kind(client: &Client, definition: String) -> Result<()> {
    let headers = [("content-type", "application/yaml")];
    let reply = client.send(Method::POST, KINDS, &headers, definition).await?;
    ensure!(reply.status.is_success(), "create kind: {}", reply.text());
    let created = reply.json();
    let name = created["metadata"]["name"].as_str().context("a kind without a name")?;
    let path = format!("{KINDS}/{name}");
    let is_established = async || {
        let kind = client.read(&path).await?;
        let conditions = kind["status"]["conditions"].as_array().cloned().unwrap_or_default();
        Ok(conditions.iter().any(|one| one["type"] == "Established" && one["status"] == "True"))
    };
    eventually(PATIENCE, &format!("{name} is established"), is_established).await
}
