//! The history of a branch, up to the state that an earlier search began at.
//!
//! From there on only what that search selected is handed out: the rest was rejected then and would be rejected again. A
//! push to a long history costs as much as it brings.

use std::{cell::Cell, vec};

use api_kinds::warehouse::GitDiscoveryResult;
use core_rules::subscription::CommitRecord;
use io_git::{Commit, Error, FirstParents, ObjectId, Reader};

use super::commit_record;

/// What an earlier search found.
pub(super) struct Known {
    /// Where it began.
    tip: ObjectId,
    /// What it selected, the newest first.
    selected: Vec<ObjectId>,
}

/// The commit that was looked at last. What it changes is asked for right after it was handed out, and it need not be read
/// again for that.
#[derive(Default)]
pub(super) struct Seen(Cell<Option<Commit>>);

/// Commits, the newest first along first parents.
pub(super) struct Walk<'a> {
    /// What nobody has looked at yet; nothing any more once the known part is reached.
    ahead: Option<FirstParents<'a>>,
    /// Where the known part begins.
    tip: Option<ObjectId>,
    selected: vec::IntoIter<Commit>,
    seen: &'a Seen,
}

impl Known {
    /// `None` when the result does not say where its search began.
    pub(super) fn of(earlier: &GitDiscoveryResult) -> Option<Self> {
        let tip = earlier.observed_refs.as_ref()?.branch_head.parse().ok()?;
        let selected: Result<_, _> =
            earlier.commits.iter().map(|commit| commit.id.parse()).collect();
        Some(Self { tip, selected: selected.ok()? })
    }

    /// What was selected; `None` when the mirror does not hold all of it any more.
    fn read(&self, reader: &Reader) -> Result<Option<Vec<Commit>>, Error> {
        self.selected.iter().map(|id| reader.commit_at(*id)).collect()
    }
}

impl Seen {
    pub(super) fn put(&self, commit: Commit) {
        self.0.set(Some(commit));
    }

    /// The commit of this id, if it is the one.
    pub(super) fn take(&self, id: ObjectId) -> Option<Commit> {
        self.0.take().filter(|commit| commit.id == id)
    }
}

impl<'a> Walk<'a> {
    pub(super) fn from(
        reader: &'a Reader,
        tip: ObjectId,
        known: Option<&Known>,
        seen: &'a Seen,
    ) -> Result<Self, Error> {
        let ahead = Some(reader.first_parents(tip));
        let selected = known.map(|known| known.read(reader)).transpose()?.flatten();
        let tip = known.filter(|_| selected.is_some()).map(|known| known.tip);
        Ok(Self { ahead, tip, selected: selected.unwrap_or_default().into_iter(), seen })
    }

    fn advance(&mut self) -> Option<Result<Commit, Error>> {
        if let Some(ahead) = &mut self.ahead {
            let commit = ahead.next()?;
            if !commit.as_ref().is_ok_and(|commit| Some(commit.id) == self.tip) {
                return Some(commit);
            }
            self.ahead = None;
        }
        self.selected.next().map(Ok)
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<CommitRecord, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let commit = self.advance()?;
        Some(commit.map(|commit| {
            let record = commit_record(&commit);
            self.seen.put(commit);
            record
        }))
    }
}
