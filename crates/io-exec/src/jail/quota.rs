//! How large all files together may get.

use std::{
    os::fd::OwnedFd,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{Descend, FileKind, Jail, JailError, Result};

/// A limit, and how much of it is used as far as we know.
#[derive(Debug)]
pub(super) struct Quota {
    root: Arc<OwnedFd>,
    limit: u64,
    used: AtomicU64,
}

impl Quota {
    pub(super) fn new(root: Arc<OwnedFd>, limit: u64, used: u64) -> Self {
        Self { root, limit, used: AtomicU64::new(used) }
    }

    fn is_exceeded_by(&self, used: u64) -> bool {
        used > self.limit
    }
}

impl Jail {
    /// The size of all files together.
    pub fn usage(&self) -> Result<u64> {
        let mut total = 0_u64;
        self.walk("", |entry| {
            if entry.metadata.kind == FileKind::File {
                total = total.saturating_add(entry.metadata.size);
            }
            Ok::<_, JailError>(Descend::Into)
        })?;
        Ok(total)
    }

    /// Counts the files again and refuses to go on when they are too large: for after programs wrote.
    pub fn check_quota(&self) -> Result<()> {
        self.recount(0)
    }

    /// Takes room for bytes that are about to be written.
    pub(super) fn reserve(&self, bytes: u64) -> Result<()> {
        let Some(quota) = &self.quota else { return Ok(()) };
        let used = quota.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        // What was removed or replaced since is not known: only a count can tell.
        if quota.is_exceeded_by(used) { self.recount(bytes) } else { Ok(()) }
    }

    fn recount(&self, more: u64) -> Result<()> {
        let Some(quota) = &self.quota else { return Ok(()) };
        let whole = Self { root: quota.root.clone(), ..self.clone() };
        let used = whole.usage()?.saturating_add(more);
        quota.used.store(used, Ordering::Relaxed);
        if quota.is_exceeded_by(used) {
            return Err(JailError::Quota { limit: quota.limit });
        }
        Ok(())
    }
}
