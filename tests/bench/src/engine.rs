//! The two engines, each alone on the machine while it is measured.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kargo, Kubeconfig, UpOptions, repository};
use tempfile::TempDir;
use tokio::process::Command;

/// A running control plane.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    kubeconfig: Kubeconfig,
    pids: Vec<u32>,
    /// `None`: the real cluster, whose processes belong to its script.
    kargo: Option<Kargo>,
    directory: TempDir,
}

impl Engine {
    /// `kargo up` on a disk.
    pub(crate) async fn embedded() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let kargo = Kargo::up(directory.path(), &UpOptions::default()).await?;
        Ok(Self {
            name: "embedded",
            kubeconfig: kargo.kubeconfig().clone(),
            pids: kargo.pid().into_iter().collect(),
            kargo: Some(kargo),
            directory,
        })
    }

    /// kube-apiserver and etcd, with fsync and production intervals.
    pub(crate) async fn cluster() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let state = directory.path().join("cluster");
        let intervals = ["--event-ttl", "1h", "--compaction-interval", "5m"];
        cluster(&["up"], &state, &intervals).await?;
        Ok(Self {
            name: "kube-apiserver + etcd",
            kubeconfig: Kubeconfig::read(&state.join("admin.kubeconfig"))?,
            pids: pids_below(&state)?,
            kargo: None,
            directory,
        })
    }

    /// A client with a connection of its own.
    pub(crate) fn client(&self) -> Result<Client> {
        Client::new(&self.kubeconfig)
    }

    /// A client with the identity of the controller. Only the embedded engine has one.
    pub(crate) fn controller(&self) -> Result<Client> {
        let file = self.directory.path().join("kubeconfigs/kargo-controller.kubeconfig");
        Client::new(&Kubeconfig::read(&file)?)
    }

    /// The file with the administrator's credentials.
    pub(crate) fn kubeconfig_file(&self) -> &Path {
        &self.kubeconfig.path
    }

    /// The processes that answer requests and store objects.
    pub(crate) fn pids(&self) -> &[u32] {
        &self.pids
    }

    pub(crate) async fn stop(self) -> Result<()> {
        match self.kargo {
            Some(kargo) => kargo.stop().await.map(drop),
            None => cluster(&["down"], &self.directory.path().join("cluster"), &[]).await,
        }
    }
}

async fn cluster(command: &[&str], state: &Path, flags: &[&str]) -> Result<()> {
    let script: PathBuf = repository().join("tools/cluster");
    let status = Command::new(script)
        .args(command)
        .arg(state)
        .args(flags)
        .status()
        .await
        .context("tools/cluster")?;
    ensure!(status.success(), "tools/cluster {command:?} failed");
    Ok(())
}

/// kube-apiserver and etcd; the controller manager does not answer requests.
fn pids_below(state: &Path) -> Result<Vec<u32>> {
    let mut pids = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(command) = std::fs::read_to_string(format!("/proc/{pid}/cmdline")) else { continue };
        let program = command.split('\0').next().unwrap_or_default();
        let ours = command.contains(&state.display().to_string());
        if ours && (program.ends_with("kube-apiserver") || program.ends_with("/etcd")) {
            pids.push(pid);
        }
    }
    ensure!(
        pids.len() == 2,
        "expected kube-apiserver and etcd below {}, found {pids:?}",
        state.display()
    );
    Ok(pids)
}
