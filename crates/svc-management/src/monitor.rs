//! What the process tells about the management controller while it runs.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::future::join_all;
use io_kube::{Cache, Family, FamilyKind, Object, Sample, Workers};
use kube::ResourceExt;
use parking_lot::RwLock;

use crate::context::Cx;

/// A view into a running management controller. Clones share it.
#[derive(Clone, Default)]
pub struct Monitor {
    state: Arc<RwLock<State>>,
}

/// How far it is.
#[derive(Default)]
pub(crate) enum State {
    #[default]
    Starting,
    /// Another may lead.
    Candidate { knows_leader: Box<dyn Fn() -> bool + Send + Sync> },
    /// It leads, and its caches fill.
    Syncing,
    /// It leads and reconciles.
    Working { workers: Vec<Workers>, cx: Cx },
}

impl Monitor {
    /// Whether it leads and its caches are filled.
    pub fn is_working(&self) -> bool {
        matches!(*self.state.read(), State::Working { .. })
    }

    /// Why it could not take over or go on with its work. A replica that waits for another one is ready.
    pub fn unready(&self) -> Option<&'static str> {
        match &*self.state.read() {
            State::Starting => Some("not started"),
            State::Candidate { knows_leader } if !knows_leader() => Some("the Lease is not known"),
            State::Syncing => Some("caches are not filled"),
            State::Candidate { .. } | State::Working { .. } => None,
        }
    }

    /// How long the oldest ready key has waited without progress, when longer than `limit`.
    pub fn stalled(&self, limit: Duration) -> Option<Duration> {
        self.workers().iter().filter_map(|workers| workers.stalled(limit)).max()
    }

    /// The metrics of all controllers, and how many objects there are; only while it works.
    pub fn metrics(&self) -> Vec<Family> {
        match &*self.state.read() {
            State::Working { workers, cx } => {
                let counted = [
                    total("kargo_projects", "Projects.", cx.caches.projects.len()),
                    by_project("kargo_stages", "Stages.", &cx.caches.stages),
                    by_project("kargo_warehouses", "Warehouses.", &cx.caches.warehouses),
                ];
                workers.iter().flat_map(Workers::metrics).chain(counted).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Completes when every worker has ended.
    pub(crate) async fn stopped(&self) {
        join_all(self.workers().iter().map(Workers::stopped)).await;
    }

    pub(crate) fn enter(&self, state: State) {
        *self.state.write() = state;
    }

    fn workers(&self) -> Vec<Workers> {
        match &*self.state.read() {
            State::Working { workers, .. } => workers.clone(),
            _ => Vec::new(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
fn total(name: &'static str, help: &'static str, count: usize) -> Family {
    gauge(name, help, vec![Sample { suffix: "", labels: vec![], value: count as f64 }])
}

fn by_project<K: Object>(name: &'static str, help: &'static str, cache: &Cache<K>) -> Family {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for object in cache.list() {
        *counts.entry(object.namespace().unwrap_or_default()).or_default() += 1.0;
    }
    let samples = counts.into_iter().map(|(project, value)| Sample {
        suffix: "",
        labels: vec![("project", project)],
        value,
    });
    gauge(name, help, samples.collect())
}

fn gauge(name: &'static str, help: &'static str, samples: Vec<Sample>) -> Family {
    Family { name, help, kind: FamilyKind::Gauge, samples }
}
