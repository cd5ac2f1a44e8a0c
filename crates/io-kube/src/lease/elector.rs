//! Leader election: of several replicas one holds a Lease and works, the others wait for it.
//!
//! Whether another's Lease has run out is judged by how long it has not changed on our own monotonic clock, so that
//! clocks of different machines need not agree. Every request ends well before the Lease could be lost.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use tokio::sync::{oneshot, watch};

use super::{fence::Fence, micro_time};
use crate::{
    Ports,
    object::{is_already_exists, is_conflict, is_not_found},
};

/// How long giving a Lease back may take.
const RELEASE: Duration = Duration::from_secs(5);

/// The Lease and how it is held.
#[derive(Clone, Debug)]
pub struct ElectorSettings {
    /// The namespace of the Lease.
    pub namespace: String,
    /// The name of the Lease.
    pub name: String,
    /// Who we are; no other replica has the same.
    pub identity: String,
    /// How long others wait after our last renewal.
    pub lease: Duration,
    /// We stop leading when we could not renew for this long; shorter than `lease`.
    pub renew_deadline: Duration,
    /// How often we renew, and look whether we can take over.
    pub retry: Duration,
}

impl ElectorSettings {
    /// The usual times: 15 s, 10 s and 2 s.
    pub fn new(
        namespace: impl Into<String>,
        name: impl Into<String>,
        identity: impl Into<String>,
    ) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
            identity: identity.into(),
            lease: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry: Duration::from_secs(2),
        }
    }

    /// Two tries fit before the leadership is lost.
    fn request(&self) -> Duration {
        self.renew_deadline / 2
    }
}

/// A candidate.
pub struct Elector {
    leases: Api<Lease>,
    settings: ElectorSettings,
    ports: Ports,
    /// What we last saw of another holder's Lease, and since when it is like that.
    observed: Option<(LeaseSpec, Duration)>,
    /// Whether the last try told us who leads.
    informed: Arc<AtomicBool>,
}

/// That we lead. Given back when dropped; [`Leadership::release`] also waits for that.
pub struct Leadership {
    lost: watch::Receiver<bool>,
    done: watch::Receiver<bool>,
    held: oneshot::Sender<()>,
    fence: Fence,
}

/// What a try brought.
enum Held {
    Ours(Box<Lease>),
    Others,
}

impl Elector {
    /// A candidate for the Lease of these settings.
    pub fn new(client: Client, settings: ElectorSettings, ports: &Ports) -> Self {
        let leases = Api::namespaced(client, &settings.namespace);
        Self { leases, settings, ports: ports.clone(), observed: None, informed: Arc::default() }
    }

    /// Tells at any later time whether the candidate knows who leads; it does not while the Lease cannot be read.
    pub fn knows_leader(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let informed = self.informed.clone();
        move || informed.load(Ordering::Relaxed)
    }

    /// Waits until we lead, and keeps renewing from then on. `None` when the tasks stop before.
    pub async fn acquire(mut self) -> Option<Leadership> {
        let mut stopping = self.ports.tasks.stopping();
        let (lease, since) = loop {
            let started = self.ports.clock.monotonic();
            let tried = self.attempt().await;
            self.informed.store(tried.is_ok(), Ordering::Relaxed);
            match tried {
                Ok(Held::Ours(lease)) => break (lease, started),
                Ok(Held::Others) => {}
                Err(error) => self.complain(&error),
            }
            // Spread, so that candidates who wait for the same holder do not all come at once.
            let spread = u64::try_from(self.settings.retry.as_millis() / 5).unwrap_or(0);
            let spread = Duration::from_millis(self.ports.entropy.below(spread.saturating_add(1)));
            tokio::select! {
                biased;
                () = &mut stopping => return None,
                () = self.ports.clock.sleep(self.settings.retry + spread) => {}
            }
        };
        tracing::info!(lease = self.settings.name, identity = self.settings.identity, "leading");
        Some(self.keep(*lease, since))
    }

    fn keep(self, lease: Lease, since: Duration) -> Leadership {
        let fence = Fence::closed(self.ports.clock.clone());
        fence.open_until(since + self.settings.renew_deadline);
        let (lost_sender, lost) = watch::channel(false);
        let (done_sender, done) = watch::channel(false);
        let (held, released) = oneshot::channel();
        let tasks = self.ports.tasks.clone();
        let renewed_fence = fence.clone();
        let renewal = async move {
            self.renew(lease, released, &renewed_fence, &lost_sender).await;
            done_sender.send_replace(true);
        };
        tasks.spawn("lease", Box::pin(renewal));
        Leadership { lost, done, held, fence }
    }

    /// Renews until the leadership is given back or lost.
    async fn renew(
        self,
        mut lease: Lease,
        mut released: oneshot::Receiver<()>,
        fence: &Fence,
        lost: &watch::Sender<bool>,
    ) {
        let mut renewed = self.ports.clock.monotonic();
        loop {
            tokio::select! {
                biased;
                _ = &mut released => break,
                () = self.ports.clock.sleep(self.settings.retry) => {}
            }
            let started = self.ports.clock.monotonic();
            match self.write(&lease, self.renewed(&lease)).await {
                Ok(Held::Ours(written)) => {
                    (lease, renewed) = (*written, started);
                    fence.open_until(renewed + self.settings.renew_deadline);
                }
                Ok(Held::Others) => match self.read().await {
                    // A write of ours arrived whose reply did not, or somebody put an annotation on it.
                    Ok(Some(ours)) if self.holds(&ours) => lease = ours,
                    Ok(_) => {
                        tracing::error!(lease = self.settings.name, "another took the Lease");
                        fence.close();
                        lost.send_replace(true);
                        return;
                    }
                    Err(error) => self.complain(&error),
                },
                Err(error) => self.complain(&error),
            }
            let age = self.ports.clock.monotonic().saturating_sub(renewed);
            if age >= self.settings.renew_deadline {
                tracing::error!(
                    lease = self.settings.name,
                    "not renewed in time: no longer leading"
                );
                lost.send_replace(true);
                return;
            }
        }
        fence.close();
        self.release(lease).await;
    }

    async fn release(&self, lease: Lease) {
        let spec = LeaseSpec {
            holder_identity: Some(String::new()),
            lease_duration_seconds: Some(1),
            ..self.renewed(&lease)
        };
        let outcome = self.ports.within(RELEASE, self.write(&lease, spec)).await;
        if !matches!(outcome, Some(Ok(_))) {
            tracing::warn!(lease = self.settings.name, "not given back; others wait for its end");
        }
    }

    /// Takes the Lease when nobody holds it.
    async fn attempt(&mut self) -> Result<Held, String> {
        let Some(lease) = self.read().await? else { return self.create().await };
        let spec = lease.spec.clone().unwrap_or_default();
        if !self.is_free(&spec) {
            return Ok(Held::Others);
        }
        let transitions = spec.lease_transitions.unwrap_or(0).saturating_add(1);
        self.write(&lease, LeaseSpec { lease_transitions: Some(transitions), ..self.fresh() }).await
    }

    async fn read(&self) -> Result<Option<Lease>, String> {
        let read = self.leases.get_opt(&self.settings.name);
        self.request(read).await?.map_err(|error| error.to_string())
    }

    fn holds(&self, lease: &Lease) -> bool {
        let holder = lease.spec.as_ref().and_then(|spec| spec.holder_identity.as_deref());
        holder == Some(self.settings.identity.as_str())
    }

    fn complain(&self, error: &str) {
        tracing::warn!(lease = self.settings.name, error, "cannot get or renew the Lease");
    }

    /// Whether nobody, we ourselves or somebody who has stopped renewing holds the Lease.
    fn is_free(&mut self, spec: &LeaseSpec) -> bool {
        let holder = spec.holder_identity.as_deref().unwrap_or_default();
        if holder.is_empty() || holder == self.settings.identity {
            return true;
        }
        let now = self.ports.clock.monotonic();
        match &self.observed {
            Some((seen, since)) if seen == spec => {
                let seconds =
                    spec.lease_duration_seconds.and_then(|seconds| seconds.try_into().ok());
                let lease = seconds.map_or(self.settings.lease, Duration::from_secs);
                now.saturating_sub(*since) >= lease
            }
            _ => {
                self.observed = Some((spec.clone(), now));
                false
            }
        }
    }

    async fn create(&self) -> Result<Held, String> {
        let lease = Lease {
            metadata: ObjectMeta {
                name: Some(self.settings.name.clone()),
                namespace: Some(self.settings.namespace.clone()),
                ..ObjectMeta::default()
            },
            spec: Some(LeaseSpec { lease_transitions: Some(0), ..self.fresh() }),
        };
        let params = PostParams::default();
        match self.request(self.leases.create(&params, &lease)).await? {
            Ok(lease) => Ok(Held::Ours(Box::new(lease))),
            Err(error) if is_already_exists(&error) => Ok(Held::Others),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes over exactly the state that we know.
    async fn write(&self, lease: &Lease, spec: LeaseSpec) -> Result<Held, String> {
        let lease = Lease { metadata: lease.metadata.clone(), spec: Some(spec) };
        let params = PostParams::default();
        match self.request(self.leases.replace(&self.settings.name, &params, &lease)).await? {
            Ok(lease) => Ok(Held::Ours(Box::new(lease))),
            Err(error) if is_conflict(&error) || is_not_found(&error) => Ok(Held::Others),
            Err(error) => Err(error.to_string()),
        }
    }

    async fn request<T>(&self, request: impl Future<Output = T>) -> Result<T, String> {
        let limit = self.settings.request();
        let reply = self.ports.within(limit, request).await;
        reply.ok_or_else(|| format!("no reply within {} s", limit.as_secs_f32()))
    }

    fn fresh(&self) -> LeaseSpec {
        let now = micro_time(self.ports.clock.now());
        LeaseSpec {
            holder_identity: Some(self.settings.identity.clone()),
            lease_duration_seconds: i32::try_from(self.settings.lease.as_secs()).ok(),
            acquire_time: Some(now.clone()),
            renew_time: Some(now),
            ..LeaseSpec::default()
        }
    }

    fn renewed(&self, lease: &Lease) -> LeaseSpec {
        let held = lease.spec.clone().unwrap_or_default();
        LeaseSpec { renew_time: self.fresh().renew_time, ..held }
    }
}

impl Leadership {
    /// Completes when we no longer lead without having given it back. All work must end then.
    pub async fn lost(&self) {
        let mut lost = self.lost.clone();
        // An error says that the renewal died while we still counted on it.
        let _ = lost.wait_for(|lost| *lost).await;
    }

    /// What keeps a leader from writing that does not know whether it still leads.
    pub fn fence(&self) -> &Fence {
        &self.fence
    }

    /// Gives the Lease back, after all work has ended, and waits until the others can see it.
    pub async fn release(self) {
        let Self { mut done, held, .. } = self;
        drop(held);
        // An error says that the renewal has ended in another way.
        let _ = done.wait_for(|done| *done).await;
    }
}
