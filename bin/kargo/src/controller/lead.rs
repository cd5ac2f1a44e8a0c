//! Of several replicas of a shard's controller one leads and works; the others wait, ready to take over.
//!
//! What a leader starts lives in a task group of that time. When the Lease is lost, the group stops: running Promotions
//! are suspended, writes are held back by the fence, and the replica becomes a candidate again.

use std::{sync::Arc, time::Duration};

use core_clock::{Environment, SettingError, Variables};
use core_rules::access::Component;
use io_kube::{Elector, ElectorSettings, Fence, Heartbeat, Leadership, Ports};
use io_runtime::TaskGroup;

use super::{Replica, Vital, Workshop, host};
use crate::{
    exit::{Exit, Failure},
    version,
};

/// How long the work of a leader that lost its Lease may take to end: others wait 5 s longer than we do.
const HANDOVER: Duration = Duration::from_secs(3);
/// How long work that is told to stop may take to end.
const STOP_GRACE: Duration = Duration::from_secs(15);
/// After how long without a sign a controller counts as dead.
const HEARTBEAT_TTL_SECONDS: u64 = 120;

/// What an election is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Where Leases are (`KARGO_NAMESPACE`).
    namespace: String,
    /// After how long without a heartbeat the controller counts as dead (`HEARTBEAT_TTL_SECONDS`).
    heartbeat_ttl: Duration,
}

impl Candidate {
    pub(crate) fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let seconds = variables.count(
            "HEARTBEAT_TTL_SECONDS",
            1..=i32::MAX.unsigned_abs().into(),
            HEARTBEAT_TTL_SECONDS,
        )?;
        Ok(Self {
            namespace: variables.text_or("KARGO_NAMESPACE", "kargo"),
            heartbeat_ttl: Duration::from_secs(seconds),
        })
    }

    fn lease(&self, shard: &str, replica: &Replica) -> ElectorSettings {
        let name = format!("{}-leader", controller_name(shard));
        ElectorSettings::new(&self.namespace, name, replica.name())
    }

    /// The sign of life of a shard, with what is worth knowing about who serves it.
    fn heartbeat(&self, shard: &str, workshop: &Workshop) -> Heartbeat {
        let heartbeat =
            Heartbeat::of_controller(&self.namespace, shard, &host(), self.heartbeat_ttl);
        let facts = [
            ("version", version::number()),
            ("argocd-integration", workshop.argocd.is_some().to_string()),
            ("rollouts-integration", workshop.controller.verification.rollouts_enabled.to_string()),
        ];
        let annotations =
            facts.map(|(fact, value)| (format!("kargo.akuity.io/controller-{fact}"), value));
        Heartbeat { annotations: annotations.into(), ..heartbeat }
    }
}

/// The name that the Leases of a shard's controller begin with.
fn controller_name(shard: &str) -> String {
    let shard = if shard.is_empty() { "unnamed" } else { shard };
    format!("{}-{shard}", Component::Controller.service_account())
}

/// The work of a controller, and who is told about it.
pub(crate) struct Work {
    pub(crate) workshop: Arc<Workshop>,
    pub(crate) vital: Vital,
    /// Of the process.
    pub(crate) ports: Ports,
    pub(crate) tasks: TaskGroup,
}

impl Work {
    /// Works until the tasks stop; nobody else can do this work.
    pub(crate) async fn alone(&self) {
        self.work(None, &self.ports).await;
    }

    /// Works while it leads and waits while another does, until the tasks stop. Fails when work goes on that must not.
    pub(crate) async fn as_candidate(
        &self,
        candidate: &Candidate,
        replica: &Replica,
    ) -> Result<(), Failure> {
        let shard = self.workshop.controller.shard.name().to_owned();
        loop {
            let lease = candidate.lease(&shard, replica);
            let elector = Elector::new(self.workshop.client.clone(), lease, &self.ports);
            self.vital.wait(elector.knows_leader());
            let Some(leadership) = elector.acquire().await else { return Ok(()) };
            let heartbeat = candidate.heartbeat(&shard, &self.workshop);
            let Some(lost) = self.lead(leadership, heartbeat).await else { return Ok(()) };
            if lost == Ended::Late {
                let told =
                    "the Lease of the controller is lost, and work goes on that should have ended";
                return Err(Failure::new(Exit::Error, told));
            }
            tracing::warn!("controller no longer leads; waiting to lead again");
        }
    }

    /// One time as the leader; `None` when the tasks stopped, else whether all work ended when the Lease was lost.
    async fn lead(&self, leadership: Leadership, heartbeat: Heartbeat) -> Option<Ended> {
        let tasks = self.tasks.child();
        let ports = Ports { tasks: Arc::new(tasks.clone()), ..self.ports.clone() };
        heartbeat.start(self.workshop.client.clone(), &ports);
        let is_lost = tokio::select! {
            biased;
            () = self.work(Some(leadership.fence()), &ports) => false,
            () = leadership.lost() => true,
        };
        if is_lost {
            let ended = tasks.shutdown(HANDOVER).await;
            return Some(if ended { Ended::InTime } else { Ended::Late });
        }
        tasks.shutdown(STOP_GRACE).await;
        leadership.release().await;
        None
    }

    async fn work(&self, fence: Option<&Fence>, ports: &Ports) {
        let monitor = self.vital.lead();
        svc_controller::run(self.workshop.parts(fence, ports, monitor)).await;
    }
}

/// Whether all work has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    InTime,
    Late,
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    #[test]
    fn a_shard_has_a_lease_of_its_own() {
        assert_eq!(controller_name(""), "kargo-controller-unnamed");
        assert_eq!(controller_name("eu"), "kargo-controller-eu");
    }

    #[test]
    fn a_life_without_heartbeats_is_refused() {
        let read = |seconds| {
            let environment: FixedEnvironment =
                [("HEARTBEAT_TTL_SECONDS", seconds)].into_iter().collect();
            Candidate::from_environment(&environment)
        };
        assert_eq!(read("").unwrap().heartbeat_ttl, Duration::from_mins(2));
        insta::assert_snapshot!(read("0").unwrap_err(), @r#"HEARTBEAT_TTL_SECONDS: "0" is not a number from 1 to 2147483647"#);
    }
}
