//! `kargo management-controller`: Projects, namespaces, configurations and the permissions of the others.

use std::time::Duration;

use core_rules::access::Component;
use io_kube::Family;
use io_runtime::SystemEnvironment;
use svc_management::{Monitor, Replicas, Settings};

use crate::{
    component::{self, Probe, Process},
    exit::{Exit, Failure},
};

/// Twice as long as a pass may take at most: by then the oldest key must have had its turn.
const STALL_LIMIT: Duration = Duration::from_mins(10);

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
        let waited = self.stalled(STALL_LIMIT)?;
        Some(format!("a key waits for {} s without progress", waited.as_secs()))
    }

    fn metrics(&self) -> Vec<Family> {
        Self::metrics(self)
    }
}
