//! The whole control plane on a cluster: all components in this process, each as its own ServiceAccount.
//!
//! The order matters. Nothing is changed before the kubeconfig's user is known to have the permissions; nothing of an
//! installation that works is touched before its Lease is ours; and once webhooks are registered, every way out of here
//! takes them out again, because the cluster refuses writes of our kinds while nobody answers.

mod address;
mod apply;
mod args;
mod banner;
mod connect;
mod failure;
mod install;
mod instance;
mod merge;
mod permission;
mod place;
mod probe;
mod token;
mod webhooks;

pub(crate) use self::args::ClusterArgs;

use std::{
    io::Write,
    path::Path,
    pin::{Pin, pin},
    time::Duration,
};

use core_clock::Tasks;
use core_rules::access::{Component, SystemRole};
use io_kube::Leadership;
use io_runtime::{SystemEnvironment, TaskGroup, stop_signal};
use kube::Client;
use svc_admission::{Certificate, Trust};
use svc_management::Replicas;

use self::{
    address::Door,
    banner::Banner,
    connect::{ByToken, Cluster},
    failure::request_failure,
    install::Summary,
    instance::Instance,
    place::Place,
    webhooks::Webhooks,
};
use super::{
    STOP_GRACE, World, api,
    components::{self, Clients},
    installation::Installation,
};
use crate::{
    cluster,
    exit::{Exit, Failure},
};

/// How often the registration is looked after.
const UPKEEP: Duration = Duration::from_secs(30);
/// How long the cluster may take to let go of the webhooks when we stop.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long an API server may still ask us after that.
const ECHO: Duration = Duration::from_millis(300);
/// How long new roles may take to be seen everywhere.
const SETTLING: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(100);

/// A signal that ends us.
type Stop<'a> = Pin<&'a mut dyn Future<Output = &'static str>>;

pub(super) async fn serve(
    args: &ClusterArgs,
    api: &api::ApiArgs,
    kubeconfig: &Path,
) -> Result<(), Failure> {
    let mut stop: Stop<'_> = pin!(stop_signal()?);
    let world = World::new();
    world.open_doors().await?;
    let run = tokio::select! {
        prepared = Run::prepare(args, api, kubeconfig, &world) => prepared?,
        _ = &mut stop => return Ok(()),
    };
    match run {
        Some((run, doors)) => run.work(doors, kubeconfig, stop).await,
        None => Ok(()),
    }
}

/// Only takes out what a killed process has left.
async fn uninstall(cluster: &Cluster) -> Result<(), Failure> {
    let told = if webhooks::unregister(&cluster.installer).await? {
        "the webhooks of kargo up are out of the cluster"
    } else {
        "the cluster has no webhooks of a kargo up"
    };
    writeln!(std::io::stdout(), "{told}")?;
    Ok(())
}

/// Where others reach this process.
struct Doors<'a> {
    webhooks: Door,
    api: api::Bound,
    api_args: &'a api::ApiArgs,
}

/// One run on a cluster.
struct Run {
    cluster: Cluster,
    installation: Installation,
    instance: Instance,
    place: Place,
    world: World,
    /// What looks after the registration; it ends before the registration does.
    upkeep: TaskGroup,
    /// The namespaces.
    installed: Summary,
}

impl Run {
    /// Everything that can be found out before another process' work is touched; `None` when there is nothing to run.
    async fn prepare<'a>(
        args: &ClusterArgs,
        api: &'a api::ApiArgs,
        kubeconfig: &Path,
        world: &World,
    ) -> Result<Option<(Self, Doors<'a>)>, Failure> {
        let cluster = Cluster::connect(args, kubeconfig, world).await?;
        if args.uninstall_webhooks {
            return uninstall(&cluster).await.map(|()| None);
        }
        let webhooks = Door::open(args, &cluster.url).await?;
        let doors = Doors { webhooks, api: api.listen(api::PORT, world).await?, api_args: api };
        let installer = &cluster.installer;
        permission::check(installer).await?;
        webhooks::check_owner(installer).await?;
        let installation = Installation::new(&SystemEnvironment, cluster.neighbours().await?);
        let installed = install::namespaces(installer, &installation).await?;
        let place = Place::open(&SystemEnvironment, &cluster.url.to_string())?;
        let replica = place.replica(&*world.entropy)?;
        let instance = Instance::new(installer.clone(), installation.namespace(), replica, world);
        let (world, upkeep) = (world.clone(), TaskGroup::new());
        Ok(Some((Self { cluster, installation, instance, place, world, upkeep, installed }, doors)))
    }

    /// Works from the Lease to the signal, and cleans up whatever happens between.
    async fn work(
        self,
        doors: Doors<'_>,
        kubeconfig: &Path,
        mut stop: Stop<'_>,
    ) -> Result<(), Failure> {
        let mut leadership = tokio::select! {
            claimed = self.instance.claim() => Some(claimed?),
            _ = &mut stop => return Ok(()),
        };
        let worked = tokio::select! {
            failed = self.start_and_keep(doors, kubeconfig, &mut leadership) => failed,
            signal = &mut stop => {
                tracing::info!(signal, "stopping");
                Ok(())
            }
        };
        let ended = self.end(leadership).await;
        if let (Err(_), Err(failure)) = (&worked, &ended) {
            tracing::error!(%failure, "not ended cleanly");
        }
        worked.and(ended)
    }

    /// Never returns while all is well.
    async fn start_and_keep(
        &self,
        doors: Doors<'_>,
        kubeconfig: &Path,
        leadership: &mut Option<Leadership>,
    ) -> Result<(), Failure> {
        let installer = &self.cluster.installer;
        let objects = install::objects(installer, &self.installation, &*self.world.clock).await?;
        let clients = ByToken { cluster: &self.cluster, installation: &self.installation };
        let webhooks = self.serve_webhooks(doors.webhooks, &clients).await?;
        let replicas = Replicas::Many(self.instance.identity().to_owned());
        let directory = self.place.path();
        components::start(&clients, &self.installation, replicas, directory, &self.world).await?;
        let Doors { api, api_args, .. } = doors;
        let place = api::Place {
            clients: &clients,
            installation: &self.installation,
            directory,
            project: None,
            world: &self.world,
        };
        let api = api::start(api_args, api, place).await?;
        self.look_after(webhooks.clone());
        Banner {
            cluster: &self.cluster.url,
            kubeconfig,
            namespace: self.installation.namespace(),
            webhooks: &webhooks.url,
            api: &api,
            installed: self.installed.plus(objects),
            started: self.world.clock.monotonic(),
        }
        .print()?;
        self.hold(leadership).await
    }

    /// Serves the webhooks, registers them and makes sure that the cluster reaches them.
    async fn serve_webhooks(&self, door: Door, clients: &ByToken<'_>) -> Result<Webhooks, Failure> {
        let client = clients.client(Component::KubernetesWebhooksServer);
        let settings = svc_admission::Settings {
            certificate: Certificate::Own,
            hosts: vec![door.host.clone()],
            ..components::admission_settings(&self.installation)?
        };
        self.await_trust(&client).await?;
        let url = door.url();
        let serving =
            svc_admission::start_on(door.listener, settings, client, self.world.ports()).await;
        let serving = serving.map_err(admission_failure)?;
        self.world.vitals.add(serving.monitor);
        let namespace = self.installation.namespace().to_owned();
        let webhooks = Webhooks { url, authority: serving.authority, namespace };
        webhooks.register(&self.cluster.installer).await?;
        let (namespace, admin) = (self.installation.namespace(), SystemRole::Admin.name());
        let person = self.cluster.client_as(namespace, admin, &cluster::command_agent());
        probe::probe(&person, &webhooks.url, &self.world).await?;
        Ok(webhooks)
    }

    /// Waits until the server may keep its authority: its role is new to the API server.
    async fn await_trust(&self, client: &Client) -> Result<(), Failure> {
        let clock = &self.world.clock;
        let deadline = clock.monotonic() + SETTLING;
        loop {
            let namespace = self.installation.namespace();
            match Trust::open(client.clone(), namespace, &[], clock.now()).await {
                Ok(_) => return Ok(()),
                Err(error) if clock.monotonic() >= deadline => {
                    return Err(admission_failure(error));
                }
                Err(_) => clock.sleep(PAUSE).await,
            }
        }
    }

    /// Puts the registration back when somebody removes it, and follows what it depends on.
    fn look_after(&self, webhooks: Webhooks) {
        let (client, clock) = (self.cluster.installer.clone(), self.world.clock.clone());
        let mut stopping = self.upkeep.stopping();
        let upkeep = async move {
            loop {
                clock.sleep(UPKEEP).await;
                tokio::select! {
                    registered = webhooks.register(&client) => {
                        if let Err(failure) = registered {
                            tracing::warn!(%failure, "webhooks not looked after");
                        }
                    }
                    // On a dead connection it would never end.
                    () = clock.sleep(UPKEEP) => tracing::warn!("webhooks not looked after in time"),
                }
            }
        };
        let task = async move {
            tokio::select! {
                () = &mut stopping => {}
                () = upkeep => {}
            }
        };
        self.upkeep.spawn("look after webhooks", Box::pin(task));
    }

    /// Holds the Lease. When it was lost, because the cluster was away or this machine asleep, it is taken again unless
    /// another process has it by now.
    async fn hold(&self, leadership: &mut Option<Leadership>) -> Result<(), Failure> {
        loop {
            if let Some(held) = leadership.as_ref() {
                held.lost().await;
            }
            *leadership = None;
            *leadership = Some(self.instance.claim().await?);
        }
    }

    /// Takes the webhooks out, stops everything and gives the Lease back.
    async fn end(&self, leadership: Option<Leadership>) -> Result<(), Failure> {
        self.upkeep.shutdown(STOP_GRACE).await;
        let farewell = self.take_out().await;
        let stopped = self.world.tasks.shutdown(STOP_GRACE).await;
        if let Some(leadership) = leadership {
            leadership.release().await;
        }
        tracing::info!(drained = stopped, "stopped");
        farewell
    }

    /// Takes the webhooks out, unless another process has registered its own since we lost the Lease.
    async fn take_out(&self) -> Result<(), Failure> {
        let remove = async {
            if self.instance.is_replaced().await {
                return Ok(());
            }
            webhooks::unregister(&self.cluster.installer).await?;
            self.world.clock.sleep(ECHO).await;
            Ok(())
        };
        let removed = tokio::select! {
            removed = remove => removed,
            () = self.world.clock.sleep(FAREWELL) => {
                Err(Failure::new(Exit::ClusterUnreachable, "the cluster did not answer in time"))
            }
        };
        removed.map_err(|failure: Failure| {
            failure
                .context("webhooks may still be registered, so that writes of Kargo kinds are refused")
                .hint("start kargo up again, or run it with --uninstall-webhooks when the cluster answers")
        })
    }
}

fn admission_failure(error: svc_admission::Error) -> Failure {
    match error {
        svc_admission::Error::Api { what, source } => request_failure(what, &source),
        error => Failure::new(Exit::Error, error),
    }
}
