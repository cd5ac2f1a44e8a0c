//! `kargo analysis-controller`: carries out AnalysisRuns where no Argo Rollouts does.

use core_clock::Environment;
use core_rules::access::Component;
use io_exec::Exec;
use io_http::outbound::{self, Outbound};
use io_kube::{Family, Ports};
use io_runtime::SystemEnvironment;
use kube::Client;
use svc_analysis::{Error, Monitor, Parts, Settings};

use crate::{
    component::{self, Probe, Process, stuck_workers},
    exit::{Exit, Failure},
};

pub(crate) fn run() -> Result<(), Failure> {
    // A cluster belongs to many: programs are run only when its operator says so.
    let executor = Executor::from_environment(&SystemEnvironment, false)?;
    component::run(Component::AnalysisController, |process| analyse(process, executor))
}

async fn analyse(process: Process, executor: Executor) -> Result<(), Failure> {
    let client = process.client().await?;
    process.ready_with(executor.monitor());
    let identity = Some(process.identity());
    executor.work(client, process.ports(), identity).await.map_err(|error| match error {
        Error::Rollouts => Failure::usage(error),
        error => Failure::new(Exit::Error, error),
    })
}

/// An executor of AnalysisRuns, as the environment wants it.
pub(crate) struct Executor {
    settings: Settings,
    outbound: Outbound,
    monitor: Monitor,
}

impl Executor {
    /// `commands`: whether metrics may run programs where the environment does not say.
    pub(crate) fn from_environment(
        environment: &dyn Environment,
        commands: bool,
    ) -> Result<Self, Failure> {
        let settings = Settings::from_environment(environment, commands).map_err(Failure::usage)?;
        let outbound = outbound::Settings::from_environment(environment).map_err(Failure::usage)?;
        let outbound = Outbound::new(outbound);
        Ok(Self { settings, outbound, monitor: Monitor::default() })
    }

    /// What it tells about itself.
    pub(crate) fn monitor(&self) -> Monitor {
        self.monitor.clone()
    }

    /// Works until the tasks of `ports` stop, or until it must not go on; `identity` tells it from its replicas.
    pub(crate) async fn work(
        &self,
        client: Client,
        ports: Ports,
        identity: Option<String>,
    ) -> Result<(), Error> {
        svc_analysis::run(Parts {
            client,
            settings: self.settings.clone(),
            outbound: self.outbound.clone(),
            exec: Exec::new(ports.clock.clone(), ports.tasks.clone()),
            ports,
            identity,
            monitor: self.monitor.clone(),
        })
        .await
    }
}

impl Probe for Monitor {
    fn name(&self) -> &'static str {
        Component::AnalysisController.label()
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
