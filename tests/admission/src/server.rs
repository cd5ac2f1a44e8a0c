//! The two control planes under test and how to start one.

use anyhow::Result;
use dev_testkit::{Cluster, Kargo, Kubeconfig, UpOptions};
use tempfile::TempDir;

use crate::table::Engine;

/// A control plane of our own; gone when stopped.
pub(crate) struct Server {
    kargo: Kargo,
    /// What it runs on, unless it is the embedded engine.
    cluster: Option<Cluster>,
    directory: TempDir,
}

impl Server {
    /// Starts `engine` empty and waits until it is ready.
    pub(crate) async fn start(engine: Engine) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("admission-").tempdir()?;
        let mut options = UpOptions::default();
        let (cluster, kargo) = match engine {
            Engine::Embedded => {
                options.arguments.push("--in-memory".into());
                (None, Kargo::up(directory.path(), &options).await?)
            }
            Engine::Cluster => {
                let cluster = Cluster::up(directory.path()).await?;
                let kargo = Kargo::up_on(&cluster.kubeconfig().path, &options).await?;
                (Some(cluster), kargo)
            }
        };
        Ok(Self { kargo, cluster, directory })
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Kubeconfig {
        self.kargo.kubeconfig()
    }

    /// Stops it and removes its data.
    pub(crate) async fn stop(self) -> Result<()> {
        self.kargo.stop().await?;
        if let Some(cluster) = self.cluster {
            cluster.down().await?;
        }
        Ok(self.directory.close()?)
    }
}
