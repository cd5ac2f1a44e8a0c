//! What a search is busy with, for those who wait for it.

use io_git::Repository;
use parking_lot::Mutex;

/// Filled by a search while it runs.
#[derive(Default)]
pub struct Progress {
    repository: Mutex<Option<Repository>>,
}

impl Progress {
    /// Such as "fetching for 3m, 40 MB received"; `None` when there is nothing to tell.
    pub fn describe(&self) -> Option<String> {
        let repository = self.repository.lock().clone();
        repository?.activity().map(|activity| activity.to_string())
    }

    pub(crate) fn follow(&self, repository: &Repository) {
        *self.repository.lock() = Some(repository.clone());
    }
}
