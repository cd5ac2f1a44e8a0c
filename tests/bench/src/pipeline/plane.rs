//! A whole control plane on either engine, with nothing else on the machine.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result};
use dev_testkit::{Client, Kargo, UpOptions};

use crate::{engine::Engine, process};

/// `kargo up` with its engine.
pub(super) struct Plane {
    kargo: Kargo,
    /// `None`: the engine is within `kargo up`.
    cluster: Option<Engine>,
    client: Client,
}

impl Plane {
    /// With no cluster, on a data directory.
    pub(super) async fn embedded(directory: &Path) -> Result<Self> {
        let kargo = Kargo::up(directory, &UpOptions::default()).await?;
        let client = kargo.client()?;
        Ok(Self { kargo, cluster: None, client })
    }

    /// On kube-apiserver and etcd.
    pub(super) async fn cluster() -> Result<Self> {
        let cluster = Engine::cluster().await?;
        let kargo = Kargo::up_on(cluster.kubeconfig_file(), &UpOptions::default()).await?;
        let client = cluster.client()?;
        Ok(Self { kargo, cluster: Some(cluster), client })
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Resident memory of `kargo up` in bytes.
    pub(super) fn resident(&self) -> Result<u64> {
        process::resident(self.pid()?)
    }

    /// Processor time of everything.
    pub(super) fn processor_time(&self) -> Result<Duration> {
        Ok(process::processor_time(&[self.pid()?])? + self.engine_time()?)
    }

    /// Processor time of what answers requests and stores objects, where it is a process of its own.
    pub(super) fn engine_time(&self) -> Result<Duration> {
        process::processor_time(self.cluster.as_ref().map_or(&[][..], Engine::pids))
    }

    pub(super) async fn stop(self) -> Result<()> {
        self.kargo.stop().await?;
        match self.cluster {
            Some(cluster) => cluster.stop().await,
            None => Ok(()),
        }
    }

    fn pid(&self) -> Result<u32> {
        self.kargo.pid().context("kargo up has ended")
    }
}
