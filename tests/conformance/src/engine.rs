//! The two servers under test and how to start one.

use std::path::Path;

use anyhow::Result;
use clap::ValueEnum;
use dev_testkit::{Cluster, Kargo, Kubeconfig, UpOptions};
use tempfile::TempDir;

/// What serves the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// `kargo up`.
    Embedded,
    /// kube-apiserver on etcd, as `tools/cluster` starts it.
    Cluster,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Cluster => "cluster",
        }
    }
}

/// A server of our own on a directory of its own; gone when stopped.
pub(crate) struct Server {
    directory: TempDir,
    process: Process,
}

enum Process {
    Embedded(Kargo),
    Cluster(Cluster),
}

impl Server {
    /// Starts `engine` empty and waits until it is ready.
    pub(crate) async fn start(engine: Engine) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("conformance-").tempdir()?;
        let process = Process::start(engine, directory.path()).await?;
        Ok(Self { directory, process })
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Kubeconfig {
        match &self.process {
            Process::Embedded(kargo) => kargo.kubeconfig(),
            Process::Cluster(cluster) => cluster.kubeconfig(),
        }
    }

    /// Where its data is.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Stops it in good order and starts it again on the same data.
    pub(crate) async fn restart(self) -> Result<Self> {
        self.restart_after(async |_| Ok(())).await
    }

    /// Stops it in good order, does something with its data, and starts it again.
    pub(crate) async fn restart_after(
        self,
        offline: impl AsyncFnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let engine = self.process.engine();
        self.process.stop().await?;
        offline(self.directory.path()).await?;
        let process = Process::start(engine, self.directory.path()).await?;
        Ok(Self { directory: self.directory, process })
    }

    /// Stops it and removes its data.
    pub(crate) async fn stop(self) -> Result<()> {
        self.process.stop().await?;
        Ok(self.directory.close()?)
    }
}

impl Process {
    async fn start(engine: Engine, directory: &Path) -> Result<Self> {
        Ok(match engine {
            Engine::Embedded => Self::Embedded(Kargo::up(directory, &short_memory()).await?),
            Engine::Cluster => Self::Cluster(Cluster::up(directory).await?),
        })
    }

    fn engine(&self) -> Engine {
        match self {
            Self::Embedded(_) => Engine::Embedded,
            Self::Cluster(_) => Engine::Cluster,
        }
    }

    async fn stop(self) -> Result<()> {
        match self {
            Self::Embedded(kargo) => kargo.stop().await.map(drop),
            Self::Cluster(cluster) => cluster.down().await,
        }
    }
}

/// As short as the cluster tier's, so that rows can see history end and Events expire.
fn short_memory() -> UpOptions {
    let arguments = ["--history-seconds", "15", "--event-ttl-seconds", "20"];
    UpOptions { arguments: arguments.map(String::from).into(), ..UpOptions::default() }
}
