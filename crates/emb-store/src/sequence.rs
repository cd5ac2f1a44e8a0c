//! Where commits get their order: expectations are checked against the head, revisions are given out, bodies are finished.
//!
//! The head is the durable state plus the overlay of what was sequenced but is not durable yet. All of it happens under one
//! short lock without I/O, so that writers of different objects never wait for each other's disk.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    sync::Arc,
    time::Duration,
};

use core_clock::Time;
use tokio::sync::oneshot;

use crate::{
    Change, CommitError, Entry, Event, Expect, Key, Writes, entry::Prepared, tables::Tables,
};

pub(crate) type CommitResult = Result<Vec<Arc<Event>>, CommitError>;

/// An operation made ready outside of the lock.
pub(crate) enum Step {
    Put { key: Key, prepared: Prepared, expect: Expect },
    Delete { key: Key, expect: Expect },
    Check { key: Key, expect: Expect },
}

/// A commit that waits for the disk.
pub(crate) struct Pending {
    pub(crate) events: Vec<Arc<Event>>,
    /// Already decided as a conflict with a state that is not durable yet: the answer waits until that state can be read.
    pub(crate) conflict: Option<CommitError>,
    pub(crate) reply: oneshot::Sender<CommitResult>,
}

impl Pending {
    pub(crate) fn succeed(self) {
        let result = self.conflict.map_or(Ok(self.events), Err);
        // The caller may have gone; what is written stays written.
        let _ = self.reply.send(result);
    }

    pub(crate) fn fail(self, error: &CommitError) {
        let _ = self.reply.send(Err(error.clone()));
    }
}

/// What is known of an object whose last change is not durable yet.
struct Ahead {
    revision: u64,
    entry: Option<Arc<Entry>>,
}

/// The state behind the lock.
pub(crate) struct Sequencer {
    last_revision: u64,
    overlay: BTreeMap<Key, Ahead>,
    pending: VecDeque<Pending>,
    /// A batch is in the log.
    pub(crate) in_log: bool,
    /// A thread is handing batches to the log; it looks again before it stops.
    pub(crate) pumping: bool,
    pub(crate) writes: Writes,
    /// When the log may be tried again (monotonic), while writes are paused.
    pub(crate) probe_at: Duration,
    pub(crate) probing: bool,
    pub(crate) closed: bool,
}

impl Sequencer {
    pub(crate) fn new(last_revision: u64) -> Self {
        Self {
            last_revision,
            overlay: BTreeMap::new(),
            pending: VecDeque::new(),
            in_log: false,
            pumping: false,
            writes: Writes::Accepted,
            probe_at: Duration::ZERO,
            probing: false,
            closed: false,
        }
    }

    /// Whether nothing is on its way to the disk.
    pub(crate) fn is_idle(&self) -> bool {
        !self.in_log && !self.pumping && self.pending.is_empty()
    }

    /// The last sequenced state of an object, durable or not.
    pub(crate) fn head(&self, tables: &Tables, key: &Key) -> Option<Arc<Entry>> {
        match self.overlay.get(key) {
            Some(ahead) => ahead.entry.clone(),
            None => tables.get(key),
        }
    }

    /// Sequences a commit. Its answer is sent at once when it does not depend on anything that is still to become durable.
    pub(crate) fn enqueue(
        &mut self,
        tables: &Tables,
        steps: Vec<Step>,
        now: Time,
        reply: oneshot::Sender<CommitResult>,
    ) {
        let mut staging = Staging::new(self, tables, now);
        let conflict = staging.stage(steps).err();
        let waits = staging.waits;
        let (events, changes) = match conflict {
            None => staging.finish(),
            Some(_) => Default::default(),
        };
        let pending = Pending { events, conflict, reply };
        if pending.events.is_empty() && !waits {
            pending.succeed();
            return;
        }
        self.last_revision = pending.events.last().map_or(self.last_revision, |e| e.revision);
        self.overlay.extend(changes);
        self.pending.push_back(pending);
    }

    /// The next commits for the log: whole ones, up to `limit` operations, but at least one commit.
    pub(crate) fn take_batch(&mut self, limit: usize) -> Vec<Pending> {
        let mut operations = 0;
        let mut taken = 0;
        for pending in &self.pending {
            operations += pending.events.len();
            if taken > 0 && operations > limit {
                break;
            }
            taken += 1;
        }
        self.pending.drain(..taken).collect()
    }

    /// Forgets the overlay of what is now durable and published.
    pub(crate) fn settle(&mut self, events: &[Arc<Event>]) {
        for event in events {
            let last = self.overlay.get(&event.key).is_some_and(|a| a.revision == event.revision);
            if last {
                self.overlay.remove(&event.key);
            }
        }
    }

    /// Gives up everything that was sequenced but is not durable. Its revisions are not used again: a caller may have seen
    /// them through the head and must not match another state by them.
    pub(crate) fn abandon(&mut self) -> VecDeque<Pending> {
        self.overlay.clear();
        mem::take(&mut self.pending)
    }
}

/// One commit in the making; touches the sequencer only when the whole commit fits.
struct Staging<'a> {
    sequencer: &'a Sequencer,
    tables: &'a Tables,
    now: Time,
    revision: u64,
    changes: BTreeMap<Key, Ahead>,
    events: Vec<Arc<Event>>,
    /// Whether the outcome rests on a state that is not durable yet.
    waits: bool,
}

impl<'a> Staging<'a> {
    fn new(sequencer: &'a Sequencer, tables: &'a Tables, now: Time) -> Self {
        Self {
            sequencer,
            tables,
            now,
            revision: sequencer.last_revision,
            changes: BTreeMap::new(),
            events: Vec::new(),
            waits: false,
        }
    }

    fn finish(self) -> (Vec<Arc<Event>>, BTreeMap<Key, Ahead>) {
        (self.events, self.changes)
    }

    fn stage(&mut self, steps: Vec<Step>) -> Result<(), CommitError> {
        for (at, step) in steps.into_iter().enumerate() {
            match step {
                Step::Put { key, prepared, expect } => {
                    let previous = self.check(at, &key, expect)?;
                    self.put(key, prepared, previous);
                }
                Step::Delete { key, expect } => match self.check(at, &key, expect)? {
                    Some(last) => self.delete(&last),
                    None => return Err(CommitError::Conflict { at, current: None }),
                },
                Step::Check { key, expect } => {
                    self.check(at, &key, expect)?;
                }
            }
        }
        Ok(())
    }

    fn check(
        &mut self,
        at: usize,
        key: &Key,
        expect: Expect,
    ) -> Result<Option<Arc<Entry>>, CommitError> {
        let current = self.current(key);
        let holds = match expect {
            Expect::Any => true,
            Expect::Absent => current.is_none(),
            Expect::Revision(revision) => {
                current.as_ref().is_some_and(|entry| entry.revision == revision)
            }
        };
        if holds { Ok(current) } else { Err(CommitError::Conflict { at, current }) }
    }

    fn current(&mut self, key: &Key) -> Option<Arc<Entry>> {
        if let Some(ahead) = self.changes.get(key) {
            return ahead.entry.clone();
        }
        self.waits |= self.sequencer.overlay.contains_key(key);
        self.sequencer.head(self.tables, key)
    }

    fn put(&mut self, key: Key, prepared: Prepared, previous: Option<Arc<Entry>>) {
        self.revision += 1;
        let change = if previous.is_some() { Change::Updated } else { Change::Created };
        let entry = Arc::new(Entry::new(key, self.revision, prepared, self.now));
        self.record(change, entry.clone(), Some(entry), previous);
    }

    fn delete(&mut self, last: &Arc<Entry>) {
        self.revision += 1;
        let entry = Arc::new(last.deleted_at(self.revision, self.now));
        self.record(Change::Deleted, entry, None, Some(last.clone()));
    }

    fn record(
        &mut self,
        change: Change,
        entry: Arc<Entry>,
        head: Option<Arc<Entry>>,
        previous: Option<Arc<Entry>>,
    ) {
        let ahead = Ahead { revision: entry.revision, entry: head };
        self.changes.insert(entry.key.clone(), ahead);
        self.events.push(Arc::new(Event::new(change, entry, previous)));
    }
}
