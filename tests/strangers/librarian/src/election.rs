//! Who of several replicas works: whoever holds the Lease.

use std::time::{Duration, Instant};

use anyhow::{Error, anyhow};
use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::{SignedDuration, Timestamp},
};
use kube::{Api, Client, api::PostParams};

const NAME: &str = "librarian";
const PAUSE: Duration = Duration::from_secs(2);

/// A replica in the election.
pub(crate) struct Election {
    leases: Api<Lease>,
    identity: String,
    /// How long a Lease lasts without being renewed, in seconds.
    life: u32,
}

impl Election {
    pub(crate) fn new(client: Client, namespace: &str, identity: &str, life: u32) -> Self {
        Self { leases: Api::namespaced(client, namespace), identity: identity.to_owned(), life }
    }

    /// Returns when this replica leads.
    pub(crate) async fn win(&self) {
        // A server that is away is asked again.
        while !self.attempt().await.unwrap_or(false) {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns when it no longer leads, and why.
    pub(crate) async fn lose(&self) -> Error {
        // Its holder gives it up before others take it, because clocks differ.
        let deadline = Duration::from_secs(self.life.into()) * 4 / 5;
        let mut renewed = Instant::now();
        loop {
            tokio::time::sleep(PAUSE).await;
            match self.attempt().await {
                Ok(true) => renewed = Instant::now(),
                Ok(false) => return anyhow!("another replica leads"),
                Err(error) if renewed.elapsed() > deadline => return error.into(),
                Err(_) => {}
            }
        }
    }

    /// Takes or renews the Lease; false when it is another's.
    async fn attempt(&self) -> kube::Result<bool> {
        let now = Timestamp::now();
        let params = PostParams::default();
        let Some(mut lease) = self.leases.get_opt(NAME).await? else {
            let mut lease = Lease::default();
            lease.metadata.name = Some(NAME.to_owned());
            lease.spec = Some(self.taken(LeaseSpec::default(), now));
            return won(self.leases.create(&params, &lease).await);
        };
        let spec = lease.spec.unwrap_or_default();
        let is_mine = spec.holder_identity.as_ref() == Some(&self.identity);
        let life = SignedDuration::from_secs(self.life.into());
        let is_alive = spec.renew_time.as_ref().is_some_and(|at| now.duration_since(at.0) < life);
        if is_alive && !is_mine {
            return Ok(false);
        }
        lease.spec = Some(if is_mine {
            LeaseSpec { renew_time: Some(MicroTime(now)), ..spec }
        } else {
            self.taken(spec, now)
        });
        won(self.leases.replace(NAME, &params, &lease).await)
    }

    fn taken(&self, spec: LeaseSpec, now: Timestamp) -> LeaseSpec {
        LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            acquire_time: Some(MicroTime(now)),
            renew_time: Some(MicroTime(now)),
            lease_duration_seconds: i32::try_from(self.life).ok(),
            lease_transitions: Some(spec.lease_transitions.map_or(0, |count| count + 1)),
            ..spec
        }
    }
}

/// Whoever wrote first has won.
fn won(written: kube::Result<Lease>) -> kube::Result<bool> {
    match written {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
        Err(error) => Err(error),
    }
}
