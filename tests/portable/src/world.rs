//! Directories, clusters, and what one scenario leaves for the next.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dev_testkit::{Cluster, Kargo, Kubeconfig, UpOptions};
use tempfile::TempDir;
use tokio::sync::Mutex;

use crate::{census::Census, outside::Outside};

/// What the scenarios share.
pub(crate) struct World {
    pub(crate) kills: u32,
    directory: TempDir,
    /// Where the pipeline moves.
    cluster: Cluster,
    story: Mutex<Story>,
}

/// What one scenario leaves for the next.
#[derive(Default)]
pub(crate) struct Story {
    /// The port of the outside world.
    pub(crate) port: u16,
    /// What the control plane held when it was last stopped.
    pub(crate) census: Census,
    /// What it held when it was saved.
    pub(crate) saved: Census,
}

impl World {
    pub(crate) async fn start(kills: u32) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("portable-").tempdir()?;
        let cluster = Cluster::up(&directory.path().join("cluster")).await?;
        Ok(Self { kills, directory, cluster, story: Mutex::default() })
    }

    pub(crate) async fn stop(self) -> Result<()> {
        self.cluster.down().await
    }

    /// A file or directory of this name.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The cluster that the pipeline moves to.
    pub(crate) fn cluster(&self) -> &Kubeconfig {
        self.cluster.kubeconfig()
    }

    pub(crate) async fn story(&self) -> tokio::sync::MutexGuard<'_, Story> {
        self.story.lock().await
    }

    /// A control plane on the embedded engine.
    pub(crate) async fn up(&self, directory: &Path) -> Result<Kargo> {
        Kargo::up(directory, &self.options()).await.context("kargo up")
    }

    /// A control plane on a cluster.
    pub(crate) async fn up_on(&self, kubeconfig: &Kubeconfig) -> Result<Kargo> {
        Kargo::up_on(&kubeconfig.path, &self.options()).await.context("kargo up on the cluster")
    }

    /// The outside world, beside a control plane.
    pub(crate) async fn outside(&self, kubeconfig: &Kubeconfig) -> Result<Outside> {
        let port = self.story().await.port;
        Outside::start(&self.path("outside"), port, &kubeconfig.path).await
    }

    fn options(&self) -> UpOptions {
        let cache = self.path("cache").display().to_string();
        UpOptions {
            environment: vec![("XDG_CACHE_HOME".to_owned(), cache)],
            ..UpOptions::default()
        }
    }
}
