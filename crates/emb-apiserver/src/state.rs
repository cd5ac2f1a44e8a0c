//! What every request and controller shares.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, Entropy, Tasks, Time};
use emb_auth::{Rbac, StaticToken, TokenKeys};
use emb_meta::{Cause, Details, GroupResource, Reason, Status};
use emb_store::{Change, CommitError, Entry, Event, Key, Op, Store};
use futures::future::{self, Either};
use parking_lot::RwLock;
use serde_json::Value;

use crate::{
    admission::{Chain, Stage},
    audit::AuditSink,
    limits::{InFlight, Limits},
    metrics::Metrics,
    registry::{DEFINITIONS, Registry},
};

/// How long a read waits for a revision that is not there yet.
const REVISION_WAIT: Duration = Duration::from_secs(3);

/// What the embedding program adds to the report of the engine: under which name, and what it is at the moment.
pub(crate) type Telling = (&'static str, Box<dyn Fn() -> Value + Send + Sync>);

/// The state behind the service.
pub(crate) struct State {
    pub(crate) store: Arc<Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) tasks: Arc<dyn Tasks>,
    pub(crate) registry: Registry,
    pub(crate) rbac: RwLock<Rbac>,
    pub(crate) admission: Chain,
    pub(crate) deletion_order: Vec<GroupResource>,
    pub(crate) tokens: TokenKeys,
    pub(crate) static_tokens: Vec<StaticToken>,
    pub(crate) ca_bundle: String,
    pub(crate) limits: Limits,
    pub(crate) in_flight: InFlight,
    pub(crate) metrics: Metrics,
    pub(crate) audit: Option<Arc<dyn AuditSink>>,
    pub(crate) version: String,
    pub(crate) address: String,
    pub(crate) tellings: RwLock<Vec<Telling>>,
    /// When the server started.
    pub(crate) started: Time,
    /// Clients that see these ids leave their own rate limiter off.
    pub(crate) flow_schema: String,
    pub(crate) priority_level: String,
}

impl State {
    /// Takes over a committed change in everything that is derived from objects.
    pub(crate) fn observe(&self, event: &Event) {
        let key = &event.key;
        let object = || (event.change != Change::Deleted).then(|| event.entry.value());
        match &*key.resource.group {
            "rbac.authorization.k8s.io" => {
                let mut rbac = self.rbac.write();
                rbac.apply(&key.resource, &key.namespace, &key.name, object().as_ref());
            }
            "apiextensions.k8s.io" if key.resource == *DEFINITIONS => {
                let object = object();
                let present = object.as_ref().map(|object| (object, event.revision));
                self.registry.apply_definition(&key.name, present);
            }
            group => {
                if let Some(stage) = Stage::of(group, &key.resource.resource) {
                    self.admission.hooks.apply(stage, &key.name, object().as_ref());
                }
            }
        }
    }

    /// Commits and measures how long that takes.
    pub(crate) async fn commit(&self, ops: Vec<Op>) -> Result<Vec<Arc<Event>>, CommitError> {
        let started = self.clock.monotonic();
        let result = self.store.commit(ops).await;
        self.metrics.commit(self.clock.monotonic().saturating_sub(started));
        result
    }

    /// Waits until the store has reached a revision, but not for long: 504.
    pub(crate) async fn reach(&self, revision: u64) -> Result<(), Status> {
        let current = self.store.revision();
        if revision <= current {
            return Ok(());
        }
        let reached = std::pin::pin!(self.store.wait_for(revision));
        match future::select(reached, self.clock.sleep(REVISION_WAIT)).await {
            Either::Left(_) => Ok(()),
            Either::Right(_) => Err(too_large_version(revision, current)),
        }
    }

    /// A namespace as last sequenced.
    pub(crate) fn namespace(&self, name: &str) -> Option<Arc<Entry>> {
        self.store.head(&namespace_key(name))
    }

    /// A namespace as an object with its type.
    pub(crate) fn full_namespace(&self, entry: &Entry) -> Value {
        let snapshot = self.registry.snapshot();
        let served = snapshot.find("", "v1", "namespaces");
        served.map_or_else(|| entry.value(), |served| served.value(entry))
    }
}

/// Where a namespace is stored.
pub(crate) fn namespace_key(name: &str) -> Key {
    Key::new(&GroupResource::new("", "namespaces"), "", name)
}

fn too_large_version(revision: u64, current: u64) -> Status {
    let cause = Cause {
        reason: "ResourceVersionTooLarge".into(),
        message: "Too large resource version".into(),
        ..Cause::default()
    };
    Status::new(
        Reason::Timeout,
        format!("Timeout: Too large resource version: {revision}, current: {current}"),
    )
    .with_details(Details {
        causes: vec![cause],
        retry_after_seconds: 1,
        ..Details::default()
    })
}
