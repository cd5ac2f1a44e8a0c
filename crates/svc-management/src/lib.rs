//! The management controller: it holds the broad permissions so that the other components need not.
//!
//! It makes and adopts the namespaces of Projects, grants what components and people may do in
//! them, takes grants back as Projects and controllers go, tells where webhook receivers are
//! reached, and copies shared Secrets and ConfigMaps. What to do is decided in
//! `core_rules::management`; here it is observed and carried out. See `queue` for what wakes what.

mod account;
mod cache;
mod config;
mod context;
mod monitor;
mod namespace;
mod project;
mod queue;
mod replicate;
mod settings;
mod summary;
mod write;

use std::{future::Future, sync::Arc, time::Duration};

use io_kube::{
    Controller, Elector, ElectorSettings, Failure, Leadership, Next, Pass, Ports, Queue, Workers,
};
use kube::Client;

pub use monitor::Monitor;
pub use settings::{Concurrency, ControllerGrants, Settings};

use context::{Context, Cx};
use monitor::State;

/// The name of the Lease that replicas compete for.
const LEASE: &str = "kargo-management-controller";
/// How many shared resources of a kind are copied at once.
const REPLICATION_WORKERS: usize = 4;

/// When to look again whether a Lease that was not renewed in time is renewed after all.
const LATE_RENEWAL: Duration = Duration::from_secs(1);

/// Why the management controller ended although nobody stopped it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another replica leads now. The process must end its tasks.
    #[error("lost the Lease {LEASE}: another replica leads, or the API server did not answer")]
    LostLeadership,
}

/// Who else does this work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replicas {
    /// Nobody can: something else, such as the lock of a data directory, sees to that.
    One,
    /// Others wait for us to stop; this name is ours alone.
    Many(String),
}

/// Runs the management controller until the tasks of `ports` stop, or until it must not go on.
pub async fn run(
    client: Client,
    ports: Ports,
    settings: Settings,
    replicas: Replicas,
    monitor: Monitor,
) -> Result<(), Error> {
    let Ok(leadership) = lead(&client, &ports, &settings, replicas, &monitor).await else {
        return Ok(());
    };
    monitor.enter(State::Syncing);
    let fence = leadership.as_ref().map(|leadership| leadership.fence().clone());
    let cx = Context::start(client, ports.clone(), settings, fence);
    tokio::select! {
        biased;
        () = ports.tasks.stopping() => {}
        () = lost(leadership.as_ref()) => return Err(Error::LostLeadership),
        () = cx.caches.synced() => {
            cx.queues.connect(&cx.caches, &cx.settings);
            let workers = start_controllers(&cx);
            monitor.enter(State::Working { workers, cx: cx.clone() });
            tracing::info!(projects = cx.caches.projects.len(), "management controller working");
            work(&cx, &monitor, leadership.as_ref()).await?;
        }
    }
    monitor.enter(State::Starting);
    if let Some(leadership) = leadership {
        leadership.release().await;
    }
    Ok(())
}

/// The tasks stopped before we led.
struct Stopped;

async fn lead(
    client: &Client,
    ports: &Ports,
    settings: &Settings,
    replicas: Replicas,
    monitor: &Monitor,
) -> Result<Option<Leadership>, Stopped> {
    let Replicas::Many(identity) = replicas else { return Ok(None) };
    let lease = ElectorSettings::new(&settings.kargo_namespace, LEASE, identity);
    let elector = Elector::new(client.clone(), lease, ports);
    monitor.enter(State::Candidate { knows_leader: Box::new(elector.knows_leader()) });
    elector.acquire().await.map(Some).ok_or(Stopped)
}

async fn lost(leadership: Option<&Leadership>) {
    match leadership {
        Some(leadership) => leadership.lost().await,
        None => std::future::pending().await,
    }
}

/// Waits for the end, and for the passes that are under way then.
async fn work(
    cx: &Context,
    monitor: &Monitor,
    leadership: Option<&Leadership>,
) -> Result<(), Error> {
    let is_lost = tokio::select! {
        biased;
        () = cx.ports.tasks.stopping() => false,
        () = lost(leadership) => true,
    };
    if is_lost {
        monitor.enter(State::Starting);
        return Err(Error::LostLeadership);
    }
    monitor.stopped().await;
    Ok(())
}

fn start_controllers(cx: &Cx) -> Vec<Workers> {
    let (queues, limits) = (&cx.queues, &cx.settings.concurrency);
    let mut workers = vec![
        start(cx, "Project", &queues.projects, limits.projects, project::reconcile),
        start(cx, "Namespace", &queues.namespaces, limits.namespaces, namespace::reconcile),
        start(
            cx,
            "ProjectConfig",
            &queues.project_configs,
            limits.project_configs,
            config::reconcile_project,
        ),
        start(cx, "ClusterConfig", &queues.cluster_configs, 1, config::reconcile_cluster),
        start(cx, "Secret", &queues.secrets, REPLICATION_WORKERS, replicate_secret),
        start(cx, "ConfigMap", &queues.config_maps, REPLICATION_WORKERS, replicate_config_map),
    ];
    if cx.settings.controller_grants != ControllerGrants::Unmanaged {
        let accounts = start(
            cx,
            "ServiceAccount",
            &queues.accounts,
            limits.service_accounts,
            account::reconcile,
        );
        workers.push(accounts);
    }
    workers
}

async fn replicate_secret(cx: Cx, name: String, pass: Pass) -> Result<Next, Failure> {
    replicate::reconcile(&cx, &cx.caches.secrets, &name, &pass).await
}

async fn replicate_config_map(cx: Cx, name: String, pass: Pass) -> Result<Next, Failure> {
    replicate::reconcile(&cx, &cx.caches.config_maps, &name, &pass).await
}

fn start<K, F, R>(cx: &Cx, kind: &str, queue: &Queue<K>, workers: usize, reconcile: F) -> Workers
where
    K: Ord + Clone + std::fmt::Debug + Send + Sync + 'static,
    F: Fn(Cx, K, Pass) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Next, Failure>> + Send + 'static,
{
    tracing::info!(maxConcurrentReconciles = workers, "Initialized {kind} reconciler");
    let (shared, reconcile) = (cx.clone(), Arc::new(reconcile));
    Controller::new(queue.clone(), workers).start(&cx.ports, move |key, pass| {
        let (cx, reconcile) = (shared.clone(), reconcile.clone());
        async move {
            if cx.is_leading() {
                reconcile(cx, key, pass).await
            } else {
                // A late renewal may still save the Lease, and then the key must not be forgotten.
                Ok(Next::After(LATE_RENEWAL))
            }
        }
    })
}
