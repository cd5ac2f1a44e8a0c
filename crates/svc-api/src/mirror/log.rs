//! The last changes of a namespace, for all who watch it.

use std::{collections::VecDeque, sync::Arc};

use super::Object;

/// Changes that are kept.
const MAX_CHANGES: usize = 1_000;
/// And their size.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The history that was asked for is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("watch resource version expired: the history from there is gone; list again")]
pub(crate) struct Expired;

/// What happened to one object.
pub(crate) struct Change {
    /// Its place in the log.
    pub(super) sequence: u64,
    pub(super) version: u64,
    /// The object before, where there was one.
    pub(crate) old: Option<Arc<Object>>,
    /// The object after; when it was deleted, as it was last.
    pub(crate) new: Arc<Object>,
    pub(crate) is_deleted: bool,
    /// Whether everything up to this version has come with it, so that one can go on from there.
    pub(crate) is_complete: bool,
}

impl Change {
    /// The version to go on from.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }
}

/// Changes in order, of which the oldest are forgotten.
#[derive(Default)]
pub(super) struct Log {
    changes: VecDeque<Arc<Change>>,
    bytes: usize,
    /// The version before the first change that is kept.
    floor: u64,
    /// The place of the next change.
    next: u64,
}

impl Log {
    /// A log in which nothing before `floor` is known.
    pub(super) fn new(floor: u64) -> Self {
        Self { floor, ..Self::default() }
    }

    /// The place of the next change.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// The place of the first change after `version`.
    pub(super) fn after(&self, version: u64) -> Result<u64, Expired> {
        if version < self.floor {
            return Err(Expired);
        }
        let first = self.changes.iter().find(|change| change.version > version);
        Ok(first.map_or(self.next, |change| change.sequence))
    }

    pub(super) fn push(&mut self, mut change: Change) {
        change.sequence = self.next;
        self.next += 1;
        self.bytes += change.new.json.len();
        self.changes.push_back(Arc::new(change));
        while self.changes.len() > MAX_CHANGES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.changes.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(oldest.new.json.len());
            self.floor = self.floor.max(oldest.version);
        }
    }

    /// From here on nobody can go on from a version before `floor`.
    pub(super) fn raise(&mut self, floor: u64) {
        self.floor = self.floor.max(floor);
    }

    /// Forgets the changes, because nobody follows and nothing is left.
    pub(super) fn clear(&mut self, floor: u64) {
        self.changes.clear();
        self.bytes = 0;
        self.raise(floor);
    }

    /// The changes from a place on; they are gone when the place is.
    pub(super) fn from(&self, sequence: u64) -> Result<Vec<Arc<Change>>, Expired> {
        let kept = u64::try_from(self.changes.len()).unwrap_or(u64::MAX);
        let first = self.next.saturating_sub(kept);
        let skipped = sequence.checked_sub(first).ok_or(Expired)?;
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        Ok(self.changes.iter().skip(skipped).cloned().collect())
    }
}
