//! What a fetch hands out: the mirror as it was then, pinned for as long as somebody reads it.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use gix_hash::ObjectId;

use super::{known_changes::KnownChanges, reader::Reader};
use crate::{
    blocking::blocking,
    error::Error,
    mirror::{Mirror, Pin},
};

/// The fetched refs and their history. The mirror is neither removed nor repacked while one lives.
#[derive(Clone)]
pub struct Snapshot {
    mirror: Arc<Mirror>,
    tips: Arc<BTreeMap<String, ObjectId>>,
    changes: Arc<KnownChanges>,
    // Held, not used.
    _pin: Arc<Pin>,
}

impl Snapshot {
    pub(crate) fn new(
        mirror: Arc<Mirror>,
        tips: BTreeMap<String, ObjectId>,
        changes: Arc<KnownChanges>,
        pin: Pin,
    ) -> Self {
        Self { mirror, tips: Arc::new(tips), changes, _pin: Arc::new(pin) }
    }

    /// The refs that were fetched, by full name.
    pub fn tips(&self) -> &BTreeMap<String, ObjectId> {
        &self.tips
    }

    /// The bare repository that holds the objects, for worktrees that borrow them.
    pub fn git_dir(&self) -> PathBuf {
        self.mirror.git_dir()
    }

    pub(crate) fn mirror(&self) -> &Arc<Mirror> {
        &self.mirror
    }

    /// Opens the mirror for reading on the current thread, which will wait for the disk.
    pub fn reader(&self) -> Result<Reader, Error> {
        Reader::open(&self.mirror, self.tips.clone(), self.changes.clone())
    }

    /// Reads on a thread that may wait for the disk. Cancel safety: an abandoned read goes on to its end.
    pub async fn read<T, E, F>(&self, read: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: FnOnce(&Reader) -> Result<T, E> + Send + 'static,
    {
        let snapshot = self.clone();
        let repository = self.mirror.repository();
        let done = blocking(move || read(&snapshot.reader()?)).await;
        done.unwrap_or_else(|| Err(Error::Interrupted { repository }.into()))
    }
}
