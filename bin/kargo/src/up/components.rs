//! The components that `up` runs in this process, each under its own identity and nothing more.

use std::{path::Path, sync::Arc, time::Duration};

use core_clock::{BoxTask, Tasks};
use core_rules::access::Component;
use io_runtime::SystemEnvironment;
use kube::Client;
use svc_analysis::Error;
use svc_management::{Monitor, Replicas};

use super::{World, installation::Installation};
use crate::{
    analysis_controller::Executor,
    controller::{self, Candidate, Replica, Vital, Work},
    exit::Failure,
    garbage_collector::Counts,
};

/// How long the passes of a management controller that no longer leads may take to end.
const HANDOVER: Duration = Duration::from_secs(3);

/// Where a component gets its client: whatever engine is behind it, it may do what its ServiceAccount may.
pub(super) trait Clients {
    /// A client with the identity of the component.
    fn client(&self, component: Component) -> Client;
}

/// The settings of admission.
pub(super) fn admission_settings(
    installation: &Installation,
) -> Result<svc_admission::Settings, Failure> {
    let environment = installation.environment(&SystemEnvironment);
    svc_admission::Settings::from_environment(&environment).map_err(Failure::usage)
}

/// Starts everything that works in the background. Mirrors, caches and work directories are in `directory`.
pub(super) async fn start(
    clients: &dyn Clients,
    installation: &Installation,
    replicas: Replicas,
    directory: &Path,
    world: &World,
) -> Result<(), Failure> {
    start_controller(clients, installation, &replicas, directory, world).await?;
    start_analysis(clients, installation, &replicas, world)?;
    start_management(clients, installation, replicas, world)?;
    start_garbage_collector(clients, installation, world)?;
    world.vitals.complete();
    Ok(())
}

/// Starts the controller, which serves what belongs to no shard.
async fn start_controller(
    clients: &dyn Clients,
    installation: &Installation,
    replicas: &Replicas,
    directory: &Path,
    world: &World,
) -> Result<(), Failure> {
    let environment = installation.environment(&SystemEnvironment);
    let settings = controller::Settings::from_environment(&environment, directory)?;
    let candidate = Candidate::from_environment(&environment).map_err(Failure::usage)?;
    let (client, ports) = (clients.client(Component::Controller), world.ports());
    let around = installation.has_argocd().then(|| client.clone());
    let argocd = settings.argocd.connect(around, &ports).await?;
    let workshop = settings.open(client.into(), argocd, &ports).await?;
    let vital = Vital::new(workshop.mirrors().clone());
    world.vitals.add(vital.clone());
    let work = Work { workshop: Arc::new(workshop), vital, ports, tasks: world.tasks.clone() };
    let task: BoxTask = match replicas {
        Replicas::One => Box::pin(async move { work.alone().await }),
        Replicas::Many(_) => {
            let replica = Replica::of_directory(directory, &*world.entropy)?;
            Box::pin(control(work, candidate, replica))
        }
    };
    world.tasks.spawn("controller", task);
    Ok(())
}

/// Runs the controller while it leads; whatever happens, it becomes a candidate again.
async fn control(work: Work, candidate: Candidate, replica: Replica) {
    while let Err(failure) = work.as_candidate(&candidate, &replica).await {
        tracing::error!(%failure, "controller starts over");
    }
}

/// Starts the executor of AnalysisRuns, where there are any.
fn start_analysis(
    clients: &dyn Clients,
    installation: &Installation,
    replicas: &Replicas,
    world: &World,
) -> Result<(), Failure> {
    if !installation.options.rollouts {
        return Ok(());
    }
    let environment = installation.environment(&SystemEnvironment);
    let identity = match replicas {
        Replicas::One => None,
        Replicas::Many(identity) => Some(identity.clone()),
    };
    // Where nobody else shares the work, people who write templates are those of this machine.
    let executor = Executor::from_environment(&environment, identity.is_none())?;
    let client = clients.client(Component::AnalysisController);
    world.vitals.add(executor.monitor());
    let work = analyse(executor, client, identity, world.clone());
    world.tasks.spawn("analysis controller", Box::pin(work));
    Ok(())
}

/// Carries AnalysisRuns out; whoever loses the lead becomes a candidate again. Where it must not work at all, others do.
async fn analyse(executor: Executor, client: Client, identity: Option<String>, world: World) {
    loop {
        let life = world.with_tasks(world.tasks.child());
        let ended = executor.work(client.clone(), life.ports(), identity.clone()).await;
        life.tasks.shutdown(HANDOVER).await;
        match ended {
            Ok(()) => return,
            Err(error @ (Error::Kinds | Error::Rollouts)) => {
                tracing::info!(%error, "AnalysisRuns are not carried out here");
                return;
            }
            Err(error) => tracing::warn!(%error, "analysis controller starts over"),
        }
        tokio::select! {
            () = world.tasks.stopping() => return,
            () = world.clock.sleep(HANDOVER) => {}
        }
    }
}

fn start_management(
    clients: &dyn Clients,
    installation: &Installation,
    replicas: Replicas,
    world: &World,
) -> Result<(), Failure> {
    let environment = installation.environment(&SystemEnvironment);
    let settings =
        svc_management::Settings::from_environment(&environment).map_err(Failure::usage)?;
    let client = clients.client(Component::ManagementController);
    let monitor = Monitor::default();
    world.vitals.add(monitor.clone());
    let work = manage(client, settings, replicas, monitor, world.clone());
    world.tasks.spawn("management controller", Box::pin(work));
    Ok(())
}

/// Runs the management controller. When it has to stop because another leads, or because the API server was away for
/// too long, it becomes a candidate again.
async fn manage(
    client: Client,
    settings: svc_management::Settings,
    replicas: Replicas,
    monitor: Monitor,
    world: World,
) {
    loop {
        let life = world.with_tasks(world.tasks.child());
        let (client, ports, settings) = (client.clone(), life.ports(), settings.clone());
        let ended =
            svc_management::run(client, ports, settings, replicas.clone(), monitor.clone()).await;
        life.tasks.shutdown(HANDOVER).await;
        match ended {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "management controller starts over"),
        }
    }
}

/// Starts the garbage collector, which runs every hour.
fn start_garbage_collector(
    clients: &dyn Clients,
    installation: &Installation,
    world: &World,
) -> Result<(), Failure> {
    let environment = installation.environment(&SystemEnvironment);
    let settings = svc_gc::Settings::from_environment(&environment).map_err(Failure::usage)?;
    let client = clients.client(Component::GarbageCollector);
    let metrics = Arc::new(svc_gc::Metrics::default());
    world.vitals.add(Counts(metrics.clone()));
    let work = svc_gc::run_scheduled(client, world.ports(), settings, metrics);
    world.tasks.spawn("garbage collector", Box::pin(work));
    Ok(())
}
