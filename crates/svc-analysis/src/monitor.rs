//! What the process tells about the executor while it runs.

use std::{sync::Arc, time::Duration};

use io_kube::{Family, Workers};
use parking_lot::RwLock;

/// A view into a running executor. Clones share it.
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
    /// It works.
    Working(Workers),
    /// Others carry runs out, or nobody can.
    Absent,
}

impl Monitor {
    /// Why it could not take over or go on with its work. A replica that waits for another is
    /// ready, and so is one that is to keep out of the way.
    pub fn unready(&self) -> Option<&'static str> {
        match &*self.state.read() {
            State::Starting => Some("not started"),
            State::Candidate { knows_leader } if !knows_leader() => Some("the Lease is not known"),
            State::Syncing => Some("caches are not filled"),
            State::Candidate { .. } | State::Working(_) | State::Absent => None,
        }
    }

    /// How long the oldest ready key has waited without progress, when longer than `limit`.
    pub fn stalled(&self, limit: Duration) -> Option<Duration> {
        match &*self.state.read() {
            State::Working(workers) => workers.stalled(limit),
            _ => None,
        }
    }

    /// The metrics of the workers; only while it works.
    pub fn metrics(&self) -> Vec<Family> {
        match &*self.state.read() {
            State::Working(workers) => workers.metrics(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn enter(&self, state: State) {
        *self.state.write() = state;
    }
}
