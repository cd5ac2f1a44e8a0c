//! The two servers that histories are played on. Every request passes a gate, so that one of them can be killed and
//! started again between requests while many histories are under way.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Cluster, Kargo, Kubeconfig, Reply, UpOptions, fixture};
use http::Method;
use tempfile::TempDir;
use tokio::sync::{RwLock, RwLockReadGuard};

use crate::settle;

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Embedded,
    Cluster,
}

/// One server with a client for each worker.
pub(crate) struct Server {
    engine: Engine,
    directory: PathBuf,
    live: RwLock<Live>,
}

struct Live {
    process: Process,
    clients: Vec<Client>,
}

enum Process {
    Embedded(Kargo),
    Cluster(Cluster),
    /// Between a kill and the next start.
    Gone,
}

impl Server {
    async fn start(engine: Engine, directory: &Path, workers: usize) -> Result<Self> {
        let live = Live::start(engine, directory, workers).await?;
        Ok(Self { engine, directory: directory.to_owned(), live: RwLock::new(live) })
    }

    pub(crate) fn engine(&self) -> Engine {
        self.engine
    }

    /// The client of a worker; the server is not restarted while it is held.
    pub(crate) async fn client(&self, worker: usize) -> Result<RwLockReadGuard<'_, Client>> {
        RwLockReadGuard::try_map(self.live.read().await, |live| live.clients.get(worker))
            .ok()
            .context("no such worker")
    }

    /// `SIGKILL` and a new start, if this is the embedded server.
    pub(crate) async fn crash(&self) -> Result<()> {
        if self.engine == Engine::Cluster {
            return Ok(());
        }
        let mut live = self.live.write().await;
        let workers = live.clients.len();
        if let Process::Embedded(kargo) = std::mem::replace(&mut live.process, Process::Gone) {
            kargo.kill().await?;
        }
        *live = Live::start(self.engine, &self.directory, workers).await.context("start again")?;
        Ok(())
    }

    async fn stop(&self) -> Result<()> {
        let mut live = self.live.write().await;
        match std::mem::replace(&mut live.process, Process::Gone) {
            Process::Embedded(kargo) => kargo.stop().await.map(drop),
            Process::Cluster(cluster) => cluster.down().await,
            Process::Gone => Ok(()),
        }
    }
}

impl Live {
    async fn start(engine: Engine, directory: &Path, workers: usize) -> Result<Self> {
        let process = Process::start(engine, directory).await?;
        let clients =
            (0..workers).map(|_| Client::new(process.kubeconfig()?)).collect::<Result<Vec<_>>>()?;
        Ok(Self { process, clients })
    }
}

impl Process {
    async fn start(engine: Engine, directory: &Path) -> Result<Self> {
        match engine {
            Engine::Embedded => {
                Ok(Self::Embedded(Kargo::up(directory, &UpOptions::default()).await?))
            }
            // Long enough that nothing a history looks back at is gone.
            Engine::Cluster => {
                let memory = ["--compaction-interval", "5m", "--event-ttl", "1h"];
                Ok(Self::Cluster(Cluster::up_with(directory, &memory).await?))
            }
        }
    }

    fn kubeconfig(&self) -> Result<&Kubeconfig> {
        match self {
            Self::Embedded(kargo) => Ok(kargo.kubeconfig()),
            Self::Cluster(cluster) => Ok(cluster.kubeconfig()),
            Self::Gone => anyhow::bail!("the server is gone"),
        }
    }
}

/// Both servers, with the kinds of the fixture.
pub(crate) struct Pair {
    pub(crate) embedded: Arc<Server>,
    pub(crate) cluster: Arc<Server>,
    directory: TempDir,
}

impl Pair {
    /// Starts both with `workers` clients each.
    pub(crate) async fn start(workers: usize) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("histories-").tempdir()?;
        let (embedded, cluster) =
            (directory.path().join("kargo"), directory.path().join("cluster"));
        let embedded = Server::start(Engine::Embedded, &embedded, workers).await?;
        let cluster = Server::start(Engine::Cluster, &cluster, workers).await?;
        let pair = Self { embedded: Arc::new(embedded), cluster: Arc::new(cluster), directory };
        for server in [&pair.embedded, &pair.cluster] {
            let client = server.client(0).await?.clone();
            fixture::install(&client).await?;
            settle::collector(&client).await?;
        }
        Ok(pair)
    }

    /// Stops both and removes their data.
    pub(crate) async fn stop(self) -> Result<()> {
        self.embedded.stop().await?;
        self.cluster.stop().await?;
        Ok(self.directory.close()?)
    }
}

/// Creates an object, which must succeed.
pub(crate) async fn create(client: &Client, path: &str, body: &serde_json::Value) -> Result<Reply> {
    let reply = client.json(Method::POST, path, body).await?;
    ensure!(reply.status == 201, "create in {path}: {}", reply.text());
    Ok(reply)
}
