//! What the parts of one run share beside the API: the world outside, who leads, and where work directories are.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use dev_sim::ProcessCx;
use parking_lot::Mutex;

use super::{layout::WAREHOUSES, outside::Outside};

/// The ground that one run stands on.
#[derive(Default)]
pub(super) struct Ground {
    /// What steps did outside.
    pub(super) outside: Mutex<Outside>,
    /// Where the replicas of the controller keep work directories, by name.
    pub(super) directories: Mutex<BTreeMap<String, PathBuf>>,
    lives: AtomicU64,
    searches: AtomicU64,
    leader: AtomicU64,
    is_laid: AtomicBool,
}

impl Ground {
    /// Numbers a process that begins.
    pub(super) fn begin_life(&self) -> u64 {
        self.lives.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts a search for artifacts.
    pub(super) fn search(&self) {
        self.searches.fetch_add(1, Ordering::Relaxed);
    }

    /// Each process searches the repository of each Warehouse once at most: nothing changes in it.
    pub(super) fn searched_in_vain(&self) -> Result<(), String> {
        let lives = self.lives.load(Ordering::Relaxed);
        let searches = self.searches.load(Ordering::Relaxed);
        if searches <= WAREHOUSES * lives {
            return Ok(());
        }
        Err(format!("{searches} searches in {lives} lives"))
    }

    /// The process of this number leads now.
    pub(super) fn lead(&self, life: u64) {
        self.leader.store(life, Ordering::Relaxed);
    }

    /// Whether no other process has led since this one began to.
    pub(super) fn is_leader(&self, life: u64) -> bool {
        self.leader.load(Ordering::Relaxed) == life
    }

    /// The pipeline is there: people may begin.
    pub(super) fn lay(&self) {
        self.is_laid.store(true, Ordering::Relaxed);
    }

    /// Completes when the pipeline is there.
    pub(super) async fn laid(&self, cx: &ProcessCx) {
        while !self.is_laid.load(Ordering::Relaxed) {
            cx.clock().sleep(Duration::from_secs(1)).await;
        }
    }
}
