//! The control plane under test, on either engine.

use std::{net::TcpListener, path::PathBuf, time::Duration};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use dev_testkit::{Client, Cluster, Kargo, UpOptions, eventually};
use http::Method;
use serde_json::json;
use tempfile::TempDir;

use crate::patience::PATIENCE;

/// How long the next Promotion waits for a verification that does not begin.
pub(crate) const GRACE: Duration = Duration::from_secs(4);

/// What the control plane stands on.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Engine {
    /// Our own API server
    Embedded,
    /// kube-apiserver on etcd
    Cluster,
}

/// A `kargo up` that can be killed and started again.
pub(crate) struct Server {
    engine: Engine,
    cluster: Option<Cluster>,
    kargo: Option<Kargo>,
    /// A control plane that only serves Argo CD's kinds: the cluster where Argo CD would be.
    neighbour: Kargo,
    directory: TempDir,
    /// Where its REST API is.
    api_port: u16,
}

impl Server {
    /// Starts everything, empty, and waits until it is ready.
    pub(crate) async fn start(engine: Engine) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("scenarios-").tempdir()?;
        let in_memory = UpOptions { arguments: vec!["--in-memory".into()], ..UpOptions::default() };
        let neighbour = Kargo::up(&directory.path().join("neighbour"), &in_memory).await?;
        install_applications(&neighbour.client()?).await?;
        let cluster = match engine {
            Engine::Embedded => None,
            Engine::Cluster => {
                let cluster = Cluster::up(&directory.path().join("cluster")).await?;
                install_analysis(&Client::new(cluster.kubeconfig())?).await?;
                Some(cluster)
            }
        };
        let api_port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = Self { engine, cluster, kargo: None, neighbour, directory, api_port };
        server.up().await?;
        Ok(server)
    }

    /// Starts `kargo up`, with what it left behind the last time.
    pub(crate) async fn up(&mut self) -> Result<()> {
        let text = |path: PathBuf| path.display().to_string();
        let grace = format!("{}s", GRACE.as_secs());
        let environment = [
            ("VERIFICATION_GRACE_PERIOD", grace),
            ("ARGOCD_KUBECONFIG", text(self.neighbour.kubeconfig().path.clone())),
            ("XDG_CACHE_HOME", text(self.cache())),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let arguments = vec!["--api-port".to_owned(), self.api_port.to_string()];
        let options = UpOptions { arguments, environment, ..UpOptions::default() };
        let kargo = match &self.cluster {
            None => Kargo::up(&self.data(), &options).await?,
            Some(cluster) => Kargo::up_on(&cluster.kubeconfig().path, &options).await?,
        };
        self.kargo = Some(kargo);
        Ok(())
    }

    /// The address of its REST API.
    pub(crate) fn api_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.api_port)
    }

    /// Ends `kargo up` without a warning.
    pub(crate) async fn kill(&mut self) -> Result<()> {
        self.kargo.take().context("kargo up does not run")?.kill().await
    }

    /// Loses the work directories of Promotions, of which there must be some.
    pub(crate) fn lose_work(&self) -> Result<()> {
        let work = match self.engine {
            Engine::Embedded => self.data().join("discovery/work"),
            Engine::Cluster => {
                let mut places = std::fs::read_dir(self.cache().join("kargo/clusters"))?;
                places.next().context("there is no place for the cluster")??.path().join("work")
            }
        };
        ensure!(std::fs::read_dir(&work)?.next().is_some(), "{} is empty", work.display());
        Ok(std::fs::remove_dir_all(work)?)
    }

    /// A client with the administrator's credentials.
    pub(crate) fn client(&self) -> Result<Client> {
        self.kargo.as_ref().context("kargo up does not run")?.client()
    }

    /// The same, of the cluster where Applications are.
    pub(crate) fn neighbour(&self) -> Result<Client> {
        self.neighbour.client()
    }

    /// Stops everything, as Ctrl-C does.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let kargo = self.kargo.take().context("kargo up does not run")?;
        let code = kargo.stop().await?;
        self.neighbour.stop().await?;
        if let Some(cluster) = self.cluster {
            cluster.down().await?;
        }
        ensure!(code == Some(0), "kargo up ended with {code:?}");
        Ok(())
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The kinds of analysis, which `kargo up` never installs on a cluster of others.
async fn install_analysis(client: &Client) -> Result<()> {
    for definition in api_analysis::crds() {
        let reply = client.json(Method::POST, DEFINITIONS, &definition).await?;
        ensure!(reply.status.is_success(), "{}", reply.text());
    }
    await_served(client, "analysisruns").await
}

/// Argo CD's Applications, whatever is in them, and the namespace where they are.
async fn install_applications(client: &Client) -> Result<()> {
    let anything = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let schema = json!({
        "type": "object",
        "properties": { "spec": anything, "status": anything, "operation": anything },
    });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "applications.argoproj.io" },
        "spec": {
            "group": "argoproj.io", "scope": "Namespaced",
            "names": { "kind": "Application", "plural": "applications" },
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    });
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "argocd" } });
    for (path, body) in [(DEFINITIONS, definition), ("/api/v1/namespaces", namespace)] {
        let reply = client.json(Method::POST, path, &body).await?;
        ensure!(reply.status.is_success(), "{}", reply.text());
    }
    await_served(client, "applications").await
}

async fn await_served(client: &Client, resources: &str) -> Result<()> {
    let path = format!("/apis/argoproj.io/v1alpha1/{resources}");
    let is_served = async || Ok(client.get(&path).await?.status.is_success());
    eventually(PATIENCE, &format!("{resources} are served"), is_served).await
}
