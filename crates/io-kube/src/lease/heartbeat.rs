//! Heartbeats: a Lease per controller that says it is alive.

use std::{collections::BTreeMap, time::Duration};

use api_kinds::labels;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::{
    Api, Client,
    api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams, Preconditions},
};
use serde_json::json;

use super::micro_time;
use crate::{
    Ports,
    object::{is_already_exists, is_not_found},
};

/// How long taking the Lease away at the end may take.
const GOODBYE: Duration = Duration::from_secs(5);

/// The Lease of a controller, renewed three times within its life. Several replicas of a controller share it: the one
/// that wrote last is its holder, and only the holder takes it away.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    /// The namespace of the Lease.
    pub namespace: String,
    /// The name of the Lease.
    pub name: String,
    /// The labels by which readers find it.
    pub labels: BTreeMap<String, String>,
    /// Facts about the controller, such as its version.
    pub annotations: BTreeMap<String, String>,
    /// Who writes: the host name.
    pub identity: String,
    /// After how long without renewal the controller counts as dead.
    pub ttl: Duration,
}

impl Heartbeat {
    /// The heartbeat of the controller of a shard; an empty name is the unnamed controller.
    pub fn of_controller(namespace: &str, shard: &str, identity: &str, ttl: Duration) -> Self {
        let suffix = if shard.is_empty() { "unnamed" } else { shard };
        Self {
            namespace: namespace.to_owned(),
            name: format!("kargo-controller-{suffix}"),
            labels: BTreeMap::from([(labels::CONTROLLER.to_owned(), shard.to_owned())]),
            annotations: BTreeMap::new(),
            identity: identity.to_owned(),
            ttl,
        }
    }

    /// Beats until the tasks stop, and then takes the Lease away.
    pub fn start(self, client: Client, ports: &Ports) {
        let leases: Api<Lease> = Api::namespaced(client, &self.namespace);
        ports.tasks.spawn("heartbeat", Box::pin(self.run(leases, ports.clone())));
    }

    async fn run(self, leases: Api<Lease>, ports: Ports) {
        let mut stopping = ports.tasks.stopping();
        let interval = self.ttl / 3;
        loop {
            match ports.within(interval, self.beat(&leases, &ports)).await {
                Some(Ok(())) => {}
                Some(Err(error)) => {
                    tracing::warn!(lease = self.name, %error, "no heartbeat written");
                }
                None => tracing::warn!(lease = self.name, "no heartbeat written: no reply"),
            }
            tokio::select! {
                biased;
                () = &mut stopping => break,
                () = ports.clock.sleep(interval) => {}
            }
        }
        if let Some(Err(error)) = ports.within(GOODBYE, self.end(&leases)).await {
            tracing::warn!(lease = self.name, %error, "heartbeat Lease not taken away");
        }
    }

    async fn beat(&self, leases: &Api<Lease>, ports: &Ports) -> Result<(), kube::Error> {
        let now = micro_time(ports.clock.now());
        let patch = json!({
            "metadata": {"labels": self.labels, "annotations": self.annotations},
            "spec": {
                "holderIdentity": self.identity,
                "leaseDurationSeconds": self.seconds(),
                "renewTime": now,
            },
        });
        match leases.patch(&self.name, &PatchParams::default(), &Patch::Merge(patch)).await {
            Ok(_) => return Ok(()),
            Err(error) if is_not_found(&error) => {}
            Err(error) => return Err(error),
        }
        let lease = Lease {
            metadata: ObjectMeta {
                name: Some(self.name.clone()),
                labels: Some(self.labels.clone()),
                annotations: Some(self.annotations.clone()),
                ..ObjectMeta::default()
            },
            spec: Some(LeaseSpec {
                holder_identity: Some(self.identity.clone()),
                lease_duration_seconds: Some(self.seconds()),
                acquire_time: Some(now.clone()),
                renew_time: Some(now),
                ..LeaseSpec::default()
            }),
        };
        match leases.create(&PostParams::default(), &lease).await {
            // Another replica was faster; the next beat renews.
            Err(error) if !is_already_exists(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes the Lease away if we are still its holder: a successor's stays.
    async fn end(&self, leases: &Api<Lease>) -> Result<(), kube::Error> {
        let Some(lease) = leases.get_opt(&self.name).await? else { return Ok(()) };
        let holder = lease.spec.as_ref().and_then(|spec| spec.holder_identity.as_deref());
        if holder != Some(self.identity.as_str()) {
            return Ok(());
        }
        let preconditions = Preconditions {
            resource_version: lease.metadata.resource_version,
            uid: lease.metadata.uid,
        };
        let params = DeleteParams::default().preconditions(preconditions);
        match leases.delete(&self.name, &params).await {
            Err(error) if !is_not_found(&error) => Err(error),
            _ => Ok(()),
        }
    }

    fn seconds(&self) -> i32 {
        i32::try_from(self.ttl.as_secs()).unwrap_or(i32::MAX)
    }
}
