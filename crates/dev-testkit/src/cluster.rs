//! A real control plane of one's own, as `tools/cluster` starts it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use crate::Kubeconfig;

/// kube-apiserver on etcd. Its processes are daemons, so they are also stopped when this is dropped.
pub struct Cluster {
    kubeconfig: Kubeconfig,
    running: bool,
}

impl Cluster {
    /// Starts it on `directory`, which keeps its data, and waits until it is ready.
    pub async fn up(directory: &Path) -> Result<Self> {
        Self::up_with(directory, &[]).await
    }

    /// The same with further options of `tools/cluster up`.
    pub async fn up_with(directory: &Path, options: &[&str]) -> Result<Self> {
        let output = script("up", directory).arg("--fast").args(options).output().await;
        let output = output.context("tools/cluster")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "tools/cluster up failed: {errors}");
        let kubeconfig = Kubeconfig::read(&directory.join("admin.kubeconfig"))?;
        Ok(Self { kubeconfig, running: true })
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> &Kubeconfig {
        &self.kubeconfig
    }

    /// Stops it; the data stays.
    pub async fn down(mut self) -> Result<()> {
        self.running = false;
        let status = script("down", self.directory()).output().await?.status;
        ensure!(status.success(), "tools/cluster down failed");
        Ok(())
    }

    fn directory(&self) -> &Path {
        self.kubeconfig.path.parent().unwrap_or(Path::new("."))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.running {
            let _ = script("down", self.directory()).into_std().output();
        }
    }
}

fn script(verb: &str, directory: &Path) -> Command {
    let mut command = Command::new(crate::repository().join("tools/cluster"));
    command.arg(verb).arg(directory);
    command
}
