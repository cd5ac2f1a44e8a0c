//! A real control plane of one's own, as `tools/cluster` starts it.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use crate::{Kubeconfig, Patience, eventually};

/// How long a process that was killed may take to be gone.
const DEATH: Patience =
    Patience::of(Duration::from_secs(10)).looking_every(Duration::from_millis(20));

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
        start(directory, options).await?;
        let kubeconfig = Kubeconfig::read(&directory.join("admin.kubeconfig"))?;
        Ok(Self { kubeconfig, running: true })
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> &Kubeconfig {
        &self.kubeconfig
    }

    /// Kills the API server, and starts it again on the same data and port.
    pub async fn kill_and_start(&self) -> Result<()> {
        let file = self.directory().join("run/kube-apiserver.pid");
        let pid = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let process = format!("/proc/{}", pid.trim());
        let killed = Command::new("kill").args(["-KILL", pid.trim()]).status().await?;
        ensure!(killed.success(), "kube-apiserver cannot be killed");
        let is_gone = async || Ok(!Path::new(&process).exists());
        eventually(DEATH, "kube-apiserver is gone", is_gone).await?;
        start(self.directory(), &[]).await
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

/// Starts what does not run, and waits until it is ready.
async fn start(directory: &Path, options: &[&str]) -> Result<()> {
    let output = script("up", directory).arg("--fast").args(options).output().await;
    let output = output.context("tools/cluster")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "tools/cluster up failed: {errors}");
    Ok(())
}

fn script(verb: &str, directory: &Path) -> Command {
    let mut command = Command::new(crate::repository().join("tools/cluster"));
    command.arg(verb).arg(directory);
    command
}
