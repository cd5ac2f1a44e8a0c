//! What the work of a component is given.

use std::sync::Arc;

use core_clock::{Clock, Entropy, Environment, Tasks};
use core_rules::access::Component;
use io_kube::{Ports, RequestCounter};
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup};
use kube::Client;

use super::{Settings, Vitals, reach::Reach, vitals::Probe};
use crate::{cluster, exit::Failure};

/// A component as a process: its ports to the world, its client, and what it tells about itself.
pub(crate) struct Process {
    component: Component,
    settings: Settings,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    tasks: TaskGroup,
    vitals: Vitals,
    /// Outlives the other tasks.
    vital_tasks: TaskGroup,
}

impl Process {
    /// Opens the doors for probes; nothing works yet.
    pub(super) async fn start(component: Component, settings: Settings) -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let vitals = Vitals::of_process(component.label(), settings.shard.as_deref(), &*clock);
        let vital_tasks = TaskGroup::new();
        let tasks: Arc<dyn Tasks> = Arc::new(vital_tasks.clone());
        vitals.serve(settings.doors, &clock, &tasks).await?;
        Ok(Self {
            component,
            settings,
            clock,
            entropy: Arc::new(SystemEntropy),
            tasks: TaskGroup::new(),
            vitals,
            vital_tasks,
        })
    }

    /// Its tasks, what it tells about itself, and the tasks of that.
    pub(super) fn life(&self) -> (TaskGroup, Vitals, TaskGroup) {
        (self.tasks.clone(), self.vitals.clone(), self.vital_tasks.clone())
    }

    /// The ports to the world.
    pub(crate) fn ports(&self) -> Ports {
        Ports {
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
            tasks: Arc::new(self.tasks.clone()),
        }
    }

    /// Its tasks, for those who end some of them before the others.
    pub(crate) fn tasks(&self) -> TaskGroup {
        self.tasks.clone()
    }

    /// A client for the cluster, whose requests are counted and held to the promised rate. Without an answer from there
    /// the process is not ready.
    pub(crate) async fn client(&self) -> Result<Client, Failure> {
        let config = cluster::config(&self.settings.cluster).await?;
        let counter = RequestCounter::for_host(cluster::host(&config));
        let (settings, agent) = (&self.settings.cluster, cluster::agent(self.component));
        let client =
            cluster::client(config, settings, &agent, counter.clone(), self.clock.clone())?;
        self.vitals.add(counter);
        self.vitals.add(Reach::watch(client.clone(), &self.ports()));
        Ok(client)
    }

    /// The process is ready when `probe` is.
    pub(crate) fn ready_with(&self, probe: impl Probe + 'static) {
        self.vitals.add(probe);
        self.vitals.complete();
    }

    /// A name that no other replica has.
    pub(crate) fn identity(&self) -> String {
        let host = SystemEnvironment.var("HOSTNAME");
        let host = host.unwrap_or_else(|| self.component.service_account().to_owned());
        format!("{host}_{}", self.entropy.uuid())
    }
}
