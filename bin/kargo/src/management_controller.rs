//! `kargo management-controller`: Projects, namespaces, configurations and the permissions of the others.

use core_rules::access::Component;
use io_kube::Family;
use io_runtime::SystemEnvironment;
use svc_management::{Monitor, Replicas, Settings};

use crate::{
    component::{self, Probe, Process, stuck_workers},
    exit::{Exit, Failure},
};

pub(crate) fn run() -> Result<(), Failure> {
    let settings = Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    component::run(Component::ManagementController, |process| manage(process, settings))
}

async fn manage(process: Process, settings: Settings) -> Result<(), Failure> {
    let client = process.client().await?;
    let monitor = Monitor::default();
    process.ready_with(monitor.clone());
    let replicas = Replicas::Many(process.identity());
    svc_management::run(client, process.ports(), settings, replicas, monitor)
        .await
        .map_err(|error| Failure::new(Exit::Error, error))
}

impl Probe for Monitor {
    fn name(&self) -> &'static str {
        Component::ManagementController.label()
    }

    fn unready(&self) -> Option<String> {
        Self::unready(self).map(str::to_owned)
    }

    fn stuck(&self) -> Option<String> {
        stuck_workers(|limit| self.stalled(limit))
    }

    fn metrics(&self) -> Vec<Family> {
        Self::metrics(self)
    }
}
