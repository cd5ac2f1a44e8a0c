//! A control plane with one Project, for what is measured up to Freight.

use anyhow::{Result, ensure};
use dev_testkit::{
    Kargo, UpOptions,
    warehouse::{self, Project},
};
use tempfile::TempDir;

/// A `kargo up` on a disk.
pub(super) struct Control {
    pub(super) project: Project,
    kargo: Kargo,
    _directory: TempDir,
}

impl Control {
    pub(super) async fn up() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let options = UpOptions { environment: warehouse::environment(), ..UpOptions::default() };
        let kargo = Kargo::up(directory.path(), &options).await?;
        let project = Project::create(&kargo.client()?, "bench").await?;
        Ok(Self { project, kargo, _directory: directory })
    }

    pub(super) async fn stop(self) -> Result<()> {
        let code = self.kargo.stop().await?;
        ensure!(code == Some(0), "kargo up ended with {code:?}");
        Ok(())
    }
}
