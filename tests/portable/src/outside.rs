//! The outside world of the pipeline: the servers of the demo, which stay while the control plane moves.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use io_http::Listener;
use io_kube::Ports;
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use local_demo::{Demo, Parts};

/// A Git repository, a registry and an application, beside a control plane.
pub(crate) struct Outside {
    pub(crate) demo: Demo,
    tasks: TaskGroup,
}

impl Outside {
    /// Serves what is kept in the directory at a port, which is a free one at first.
    pub(crate) async fn start(directory: &Path, port: u16, kubeconfig: &Path) -> Result<Self> {
        let tasks = TaskGroup::new();
        let ports = Ports {
            clock: Arc::new(SystemClock::new()),
            entropy: Arc::new(SystemEntropy),
            tasks: Arc::new(tasks.clone()),
        };
        let listener = Listener::bind(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port)).await;
        let parts = Parts {
            directory: directory.to_owned(),
            listener: listener.context("the port of the demo")?,
            client: client(kubeconfig).await?,
            ports,
            environment: Arc::new(SystemEnvironment),
        };
        Ok(Self { demo: Demo::start(parts).await?, tasks })
    }

    /// The port that it is served at.
    pub(crate) fn port(&self) -> u16 {
        self.demo.address().port()
    }

    /// Lets go of the port.
    pub(crate) async fn stop(self) -> Result<()> {
        ensure!(self.tasks.shutdown(Duration::from_secs(5)).await, "the demo does not stop");
        Ok(())
    }
}

async fn client(kubeconfig: &Path) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}
