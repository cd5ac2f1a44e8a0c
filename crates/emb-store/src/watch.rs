//! Following the changes of a resource. A watcher is a place in the shared history, not a queue: a slow one costs nothing,
//! and one that fell behind what is kept is told so.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use thiserror::Error;

use crate::{Event, Expired, store::Inner, table::Table};

/// Why a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WatchEnd {
    /// It fell behind the history; list and watch anew.
    #[error(transparent)]
    Expired(#[from] Expired),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

/// A cursor into the changes of one resource.
pub struct Watcher {
    inner: Arc<Inner>,
    table: Arc<Table>,
    /// Everything up to here was delivered.
    cursor: u64,
    /// The same, for those who watch over the watchers.
    shown: Arc<AtomicU64>,
}

/// What a look at the history found.
enum Found {
    Events(Vec<Arc<Event>>),
    /// Events up to this revision are only in the log.
    Older(u64),
    Nothing,
}

impl Watcher {
    pub(crate) fn new(inner: Arc<Inner>, table: Arc<Table>, after: u64) -> Self {
        let shown = table.register(after);
        Self { inner, table, cursor: after, shown }
    }

    /// The next events in revision order, at least one; waits for it. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Vec<Arc<Event>>, WatchEnd> {
        let table = self.table.clone();
        loop {
            let mut changed = pin!(table.changed.notified());
            // Registered before looking, so that no change in between is missed.
            changed.as_mut().enable();
            match self.look() {
                Found::Events(events) => return Ok(self.delivered(events)),
                Found::Older(floor) => {
                    let events = self.inner.older(&table, &mut self.cursor, floor)?;
                    if !events.is_empty() {
                        return Ok(self.delivered(events));
                    }
                }
                Found::Nothing if self.inner.is_closed() => return Err(WatchEnd::Closed),
                Found::Nothing => changed.await,
            }
        }
    }

    /// Everything up to this revision was delivered, whether this resource had a part in it or not.
    pub fn revision(&self) -> u64 {
        let contents = self.table.contents.read();
        let behind = self.cursor < contents.ring.floor()
            || contents.ring.after(self.cursor).next().is_some();
        if behind { self.cursor } else { self.cursor.max(self.inner.revision_of(&contents)) }
    }

    fn delivered(&self, events: Vec<Arc<Event>>) -> Vec<Arc<Event>> {
        self.shown.store(self.cursor, Ordering::Relaxed);
        events
    }

    fn look(&mut self) -> Found {
        let contents = self.table.contents.read();
        if self.cursor < contents.ring.floor() {
            return Found::Older(contents.ring.floor());
        }
        let limit = self.inner.options.watch_batch;
        let events: Vec<_> = contents.ring.after(self.cursor).take(limit).cloned().collect();
        match events.last() {
            Some(last) => {
                self.cursor = last.revision;
                Found::Events(events)
            }
            None => Found::Nothing,
        }
    }
}
