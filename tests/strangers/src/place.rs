//! The API server that strangers work with: ours, or the one that they were written for.

use anyhow::Result;
use dev_testkit::{Cluster, Kubeconfig};
use tempfile::TempDir;

use crate::server::Server;

/// What serves the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// `kargo up --kube-only`, which comes with everything that an installation brings.
    Embedded,
    /// kube-apiserver on etcd.
    Cluster,
}

/// A running API server.
pub(crate) enum Place {
    Embedded(Server),
    Cluster { cluster: Cluster, directory: TempDir },
}

impl Place {
    /// Starts an empty one.
    pub(crate) async fn start(engine: Engine) -> Result<Self> {
        match engine {
            Engine::Embedded => Ok(Self::Embedded(Server::start(&["--kube-only"]).await?)),
            Engine::Cluster => {
                let directory = tempfile::Builder::new().prefix("strangers-").tempdir()?;
                let cluster = Cluster::up(&directory.path().join("cluster")).await?;
                Ok(Self::Cluster { cluster, directory })
            }
        }
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> Result<Kubeconfig> {
        match self {
            Self::Embedded(server) => server.kubeconfig(),
            Self::Cluster { cluster, .. } => Ok(cluster.kubeconfig().clone()),
        }
    }

    /// How many seconds somebody who leads may be silent: longer than the server takes to start again.
    pub(crate) fn lease(&self) -> &'static str {
        match self {
            Self::Embedded(_) => "15",
            Self::Cluster { .. } => "60",
        }
    }

    /// Where logs of programs can go.
    pub(crate) fn directory(&self) -> &std::path::Path {
        match self {
            Self::Embedded(server) => server.directory(),
            Self::Cluster { directory, .. } => directory.path(),
        }
    }

    /// Kills the API server and starts it again on the same data and port.
    pub(crate) async fn kill_and_start(self) -> Result<Self> {
        match self {
            Self::Embedded(server) => server.kill_and_start().await.map(Self::Embedded),
            Self::Cluster { cluster, directory } => {
                cluster.kill_and_start().await?;
                Ok(Self::Cluster { cluster, directory })
            }
        }
    }

    /// Ends it.
    pub(crate) async fn stop(self) -> Result<()> {
        match self {
            Self::Embedded(server) => server.kill().await,
            Self::Cluster { cluster, .. } => cluster.down().await,
        }
    }
}
