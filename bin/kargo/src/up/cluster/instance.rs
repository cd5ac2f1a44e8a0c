//! One `kargo up` per cluster: two would take the webhooks from each other.
//!
//! The one that works holds a Lease. After a kill, one that is started on the same machine goes on at once: the Lease knows
//! it by its name. Another waits until the Lease has run out, and gives up as soon as it sees it renewed.

use std::time::Duration;

use io_kube::{Elector, ElectorSettings, Leadership};
use io_runtime::TaskGroup;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::{Api, Client};

use crate::{
    controller::{Replica, host},
    exit::{Exit, Failure},
    up::World,
};

const LEASE: &str = "kargo-up";
/// How often the holder of the Lease is looked at.
const PAUSE: Duration = Duration::from_millis(500);

/// This process among those that could work on the cluster.
pub(super) struct Instance {
    client: Client,
    namespace: String,
    identity: String,
    /// With a life of its own: the Lease is given back when everything else has stopped.
    world: World,
}

impl Instance {
    /// The process that is known as `replica`, or as nobody before.
    pub(super) fn new(
        client: Client,
        namespace: &str,
        replica: Option<Replica>,
        world: &World,
    ) -> Self {
        let known = replica.map(|replica| replica.name().to_owned());
        Self {
            client,
            namespace: namespace.to_owned(),
            identity: known.unwrap_or_else(|| identity(world)),
            world: world.with_tasks(TaskGroup::new()),
        }
    }

    /// A name that no other process has.
    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    /// Takes the Lease. Fails when another process is seen to hold it.
    pub(super) async fn claim(&self) -> Result<Leadership, Failure> {
        let settings = ElectorSettings::new(&self.namespace, LEASE, &self.identity);
        let elector = Elector::new(self.client.clone(), settings, &self.world.ports());
        let claimed = tokio::select! {
            claimed = elector.acquire() => claimed,
            holder = self.see_another() => return Err(taken(&holder)),
        };
        claimed.ok_or_else(|| Failure::new(Exit::Error, "stopped while waiting for the Lease"))
    }

    /// Whether another process has the Lease by now. Who cannot tell takes it for their own.
    pub(super) async fn is_replaced(&self) -> bool {
        self.read().await.is_some_and(|spec| self.is_anothers(&spec))
    }

    /// Completes when another process renews the Lease, with its name.
    async fn see_another(&self) -> String {
        let mut first: Option<LeaseSpec> = None;
        loop {
            // What cannot be read is for the elector to complain about.
            let spec = self.read().await.filter(|spec| self.is_anothers(spec));
            match (&first, spec) {
                (Some(first), Some(now)) if first.holder_identity == now.holder_identity => {
                    if first.renew_time != now.renew_time {
                        return now.holder_identity.unwrap_or_default();
                    }
                }
                (_, Some(now)) => {
                    let holder = now.holder_identity.as_deref().unwrap_or_default();
                    tracing::info!(
                        holder,
                        "waiting: another kargo up has the Lease of this cluster"
                    );
                    first = Some(now);
                }
                (_, None) => {}
            }
            self.world.clock.sleep(PAUSE).await;
        }
    }

    async fn read(&self) -> Option<LeaseSpec> {
        let leases: Api<Lease> = Api::namespaced(self.client.clone(), &self.namespace);
        leases.get_opt(LEASE).await.ok().flatten()?.spec
    }

    fn is_anothers(&self, spec: &LeaseSpec) -> bool {
        let holder = spec.holder_identity.as_deref().unwrap_or_default();
        !holder.is_empty() && holder != self.identity
    }
}

fn taken(holder: &str) -> Failure {
    let told = format!("another kargo up works on this cluster: {holder}");
    Failure::new(Exit::ClusterTaken, told).hint(
        "stop that process first; components that should share work are installed with the chart",
    )
}

/// Host, process and something random, because a process may live in a container that has neither of its own.
fn identity(world: &World) -> String {
    format!("{}_{}_{:08x}", host(), std::process::id(), world.entropy.below(1 << 32))
}
