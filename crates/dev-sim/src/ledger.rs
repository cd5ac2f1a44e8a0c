//! What was committed and not yet looked at, and when something last changed that counts.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, ManualClock};
use emb_meta::GroupResource;
use emb_store::{Event, Hook};
use parking_lot::Mutex;

/// Notes every commit of every server of the run. Clones are the same ledger.
#[derive(Clone)]
pub(crate) struct Ledger {
    clock: ManualClock,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    unseen: Vec<Arc<Event>>,
    /// Whether the state may differ from what was last looked at.
    dirty: bool,
    last_change: Duration,
}

impl Ledger {
    pub(crate) fn new(clock: ManualClock) -> Self {
        Self { clock, state: Arc::default() }
    }

    /// What a store calls with its commits.
    pub(crate) fn hook(&self) -> Hook {
        let ledger = self.clone();
        Arc::new(move |events: &[Arc<Event>]| ledger.note(events))
    }

    /// The state may have changed without an event: a server came back with what was durable.
    pub(crate) fn look_again(&self) {
        self.state.lock().dirty = true;
    }

    /// The commits since the last look; `None` when nothing changed.
    pub(crate) fn take_unseen(&self) -> Option<Vec<Arc<Event>>> {
        let mut state = self.state.lock();
        std::mem::take(&mut state.dirty).then(|| std::mem::take(&mut state.unseen))
    }

    /// For how long nothing has changed.
    pub(crate) fn at_rest_for(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.state.lock().last_change)
    }

    fn note(&self, events: &[Arc<Event>]) {
        let mut state = self.state.lock();
        if events.iter().any(|event| counts(&event.key.resource)) {
            state.last_change = self.clock.monotonic();
        }
        state.dirty = true;
        state.unseen.extend_from_slice(events);
    }
}

/// Leases are renewed and Events grow old for ever; neither means that work goes on.
fn counts(resource: &GroupResource) -> bool {
    !matches!(&*resource.resource, "leases" | "events")
}
