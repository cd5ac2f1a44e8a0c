//! Reading now and reading the past: lists, lists at a revision, and the events that the rings no longer hold.

use std::sync::{Arc, atomic::Ordering};

use core_clock::Time;
use emb_meta::GroupResource;

use super::Inner;
use crate::{
    Change, Entry, Event, Expired, Key, Listing, Past, Range, Record,
    intern::Interner,
    listing::Undo,
    table::{Contents, Table},
};

/// How many events are read from the log at once.
const CHUNK: usize = 256;

impl Inner {
    pub(super) fn list(&self, resource: &GroupResource, range: Range<'_>) -> Listing {
        let Some(table) = self.tables.find(resource) else {
            return Listing { revision: self.revision(), entries: Vec::new(), remaining: 0 };
        };
        let contents = table.read_for(&range);
        contents.list(&range, self.revision_of(&contents))
    }

    pub(super) fn list_at(
        &self,
        resource: &GroupResource,
        range: Range<'_>,
        revision: u64,
    ) -> Result<Listing, Expired> {
        self.check_retained(revision)?;
        let table = self.tables.find_or_create(resource);
        let contents = table.read_for(&range);
        let revision = revision.min(self.revision_of(&contents));
        let recent: Vec<Arc<Event>> = contents.ring.after(revision).cloned().collect();
        let floor = contents.ring.floor();
        if recent.is_empty() && revision >= floor {
            return Ok(contents.list(&range, revision));
        }
        let later = contents.select(&range).cloned().collect();
        // The past does not change: the rest needs no lock.
        drop(contents);
        let mut undo = Undo::default();
        let mut cursor = revision;
        while cursor < floor {
            undo.add(&self.older(&table, &mut cursor, floor)?);
        }
        undo.add(&recent);
        Ok(undo.apply(&range, later, revision))
    }

    /// The next events above `cursor` and up to `floor` from the log; moves the cursor behind them.
    pub(crate) fn older(
        &self,
        table: &Table,
        cursor: &mut u64,
        floor: u64,
    ) -> Result<Vec<Arc<Event>>, Expired> {
        let after = *cursor;
        let past = self.log.history(Some(&table.resource), after, floor, CHUNK);
        // Checked after reading: what was compacted meanwhile may be missing from what was read.
        self.check_retained(after)?;
        // A log that cannot be read is as good as none: the reader starts over from the current state.
        let past = past.map_err(|error| {
            tracing::warn!(%error, "history cannot be read");
            self.expired(after)
        })?;
        *cursor = match past.last() {
            Some(last) if past.len() == CHUNK => last.record.revision,
            _ => floor,
        };
        let events = past.into_iter().map(|item| past_event(item, &|_, _| None, &self.interner));
        let events: Option<Vec<_>> = events.map(|event| event.map(Arc::new)).collect();
        events.ok_or_else(|| self.expired(after))
    }

    /// The revision that the contents of a table stand for. While a batch is being published the table may be ahead of the
    /// store; it is never behind, because the store's revision moves only after every table has its events.
    pub(crate) fn revision_of(&self, contents: &Contents) -> u64 {
        self.revision().max(contents.last_event)
    }

    pub(super) fn check_retained(&self, revision: u64) -> Result<(), Expired> {
        if revision < self.compacted() { Err(self.expired(revision)) } else { Ok(()) }
    }

    pub(crate) fn expired(&self, requested: u64) -> Expired {
        Expired { requested, oldest: self.compacted() }
    }

    pub(super) fn compact(&self, now: Time) {
        let Some(target) = self.compaction_target(now) else { return };
        if target > self.compacted() {
            // Readers are turned away before anything is gone.
            self.compacted.store(target, Ordering::Release);
            self.tables.forget(target);
            self.log.compact(target);
        }
        self.interner.prune();
    }

    /// Everything older than the retention; more if there is too much of it, but never the minimum.
    fn compaction_target(&self, now: Time) -> Option<u64> {
        let last = self.revision();
        let boundary = |time| {
            let found = self.log.boundary(time);
            found.inspect_err(|error| tracing::warn!(%error, "compaction is put off")).ok()
        };
        let by_age = boundary(now - self.options.retention)?;
        let may_go = boundary(now - self.options.min_retention)?;
        let by_count = last.saturating_sub(self.options.max_history).min(may_go);
        Some(by_age.max(by_count).min(last))
    }
}

/// An event rebuilt from the log. `find` names states that are in memory already, to be shared. `None` when the rows are
/// damaged.
pub(super) fn past_event(
    past: Past,
    find: &dyn Fn(&Key, u64) -> Option<Arc<Entry>>,
    interner: &Interner,
) -> Option<Event> {
    let Past { record, previous } = past;
    let state = |record: Record| match find(&record.key, record.revision) {
        Some(known) => Some(known),
        None => restored(record, interner).map(Arc::new),
    };
    let had_previous = record.previous != 0;
    let previous = match previous {
        Some(previous) => Some(state(previous)?),
        None if had_previous => return None,
        None => None,
    };
    let change = record.change;
    let entry = match change {
        Change::Deleted => {
            Arc::new(previous.as_ref()?.deleted_at(record.revision, record.written_at))
        }
        Change::Created | Change::Updated => state(record)?,
    };
    Some(Event::new(change, entry, previous))
}

fn restored(record: Record, interner: &Interner) -> Option<Entry> {
    Entry::restore(record.key, record.revision, record.body, record.written_at, interner)
}
