//! The recent events of one resource, shared by all of its watchers.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::Event;

/// What an event costs beside the bodies: itself, its entry and its place in the ring.
const EVENT_OVERHEAD: usize = 400;

/// Events in revision order. Everything above `floor` is here; what is older comes from the log.
pub(crate) struct Ring {
    events: VecDeque<Arc<Event>>,
    floor: u64,
}

/// How much a ring keeps at least.
#[derive(Clone, Copy)]
pub(crate) struct Keep {
    pub(crate) entries: usize,
    pub(crate) age: Duration,
}

impl Ring {
    pub(crate) fn new(floor: u64) -> Self {
        Self { events: VecDeque::new(), floor }
    }

    pub(crate) fn floor(&self) -> u64 {
        self.floor
    }

    /// Adds the newest event and lets go of old ones; returns by how many bytes the ring grew and shrank.
    pub(crate) fn push(&mut self, event: Arc<Event>, keep: Keep) -> (usize, usize) {
        let now = event.entry.written_at;
        let grown = cost(&event);
        self.events.push_back(event);
        let mut freed = 0;
        while self.events.len() > keep.entries
            && self.events.front().is_some_and(|old| now.since(old.entry.written_at) >= keep.age)
        {
            freed += self.pop();
        }
        (grown, freed)
    }

    /// Lets go of the oldest event; returns the bytes that this freed.
    pub(crate) fn pop(&mut self) -> usize {
        let Some(event) = self.events.pop_front() else { return 0 };
        self.floor = event.revision;
        cost(&event)
    }

    /// Lets go of events at `revision` and before; returns the bytes that this freed.
    pub(crate) fn forget(&mut self, revision: u64) -> usize {
        let mut freed = 0;
        while self.first().is_some_and(|first| first <= revision) {
            freed += self.pop();
        }
        freed
    }

    /// The revision of the oldest event here.
    pub(crate) fn first(&self) -> Option<u64> {
        self.events.front().map(|event| event.revision)
    }

    /// How many events are above `revision`.
    pub(crate) fn newer(&self, revision: u64) -> usize {
        self.events.len() - self.events.partition_point(|event| event.revision <= revision)
    }

    /// The events above `revision`, oldest first.
    pub(crate) fn after(&self, revision: u64) -> impl Iterator<Item = &Arc<Event>> {
        let start = self.events.partition_point(|event| event.revision <= revision);
        self.events.range(start..)
    }
}

/// Bytes that only the history holds: the state that the event replaced, and the state after it once more, as watchers are
/// sent it. What of that is not there yet may come any time.
fn cost(event: &Event) -> usize {
    let replaced = event.previous.as_ref().map_or(0, |previous| previous.body.len());
    EVENT_OVERHEAD + replaced + event.entry.body.len()
}
