//! The two control planes under test and how to start one.

use anyhow::Result;
use dev_testkit::{Cluster, Kargo, Kubeconfig, UpOptions};
use tempfile::TempDir;

use crate::table::{Engine, Settings};

/// The controller looks after a shard that no row has objects of: it would verify and promote what rows set up.
const ASIDE: [(&str, &str); 2] = [("SHARD_NAME", "aside"), ("IS_DEFAULT_CONTROLLER", "false")];

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
        let cluster = match engine {
            Engine::Embedded => None,
            Engine::Cluster => Some(Cluster::up(directory.path()).await?),
        };
        let kargo = up(&directory, cluster.as_ref(), &Settings::new()).await?;
        Ok(Self { kargo, cluster, directory })
    }

    /// Stops our part of it and starts it again with these settings.
    pub(crate) async fn restart(self, settings: &Settings) -> Result<Self> {
        let Self { kargo, cluster, directory } = self;
        kargo.stop().await?;
        let kargo = up(&directory, cluster.as_ref(), settings).await?;
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

async fn up(directory: &TempDir, cluster: Option<&Cluster>, settings: &Settings) -> Result<Kargo> {
    let given = settings.iter().map(|(name, value)| (name.clone(), value.clone()));
    let aside = ASIDE.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let environment = aside.into_iter().chain(given).collect();
    let mut options = UpOptions { environment, ..UpOptions::default() };
    if let Some(cluster) = cluster {
        return Kargo::up_on(&cluster.kubeconfig().path, &options).await;
    }
    options.arguments.push("--in-memory".into());
    Kargo::up(directory.path(), &options).await
}
