//! Which paths commits changed, remembered for the next who asks.
//!
//! Many Warehouses watch directories of one repository, and each asks the same of the same commits: comparing trees is what
//! a walk costs most. A commit's id stands for its whole history, so what was once found stays true in every mirror.

use std::{collections::HashMap, sync::Arc};

use gix_hash::ObjectId;
use parking_lot::Mutex;

/// What one generation may take, in bytes; there are two.
const GENERATION: usize = 8 << 20;
/// A commit that changes more than this is not remembered, in bytes.
const LARGEST: usize = 64 << 10;
/// What an entry and a path take beside their text, about.
const OVERHEAD: usize = 64;

/// Shared by all readers of a store.
#[derive(Default)]
pub(crate) struct KnownChanges {
    generations: Mutex<Generations>,
}

/// What nobody asked for in the time of a whole generation is forgotten.
#[derive(Default)]
struct Generations {
    young: HashMap<ObjectId, Arc<[String]>>,
    young_bytes: usize,
    old: HashMap<ObjectId, Arc<[String]>>,
}

impl KnownChanges {
    /// The paths that `commit` changed, if they are known.
    pub(crate) fn get(&self, commit: &ObjectId) -> Option<Arc<[String]>> {
        let mut generations = self.generations.lock();
        if let Some(paths) = generations.young.get(commit) {
            return Some(paths.clone());
        }
        let paths = generations.old.remove(commit)?;
        generations.put(*commit, paths.clone());
        Some(paths)
    }

    /// Remembers the paths that `commit` changed, unless they are too many.
    pub(crate) fn remember(&self, commit: ObjectId, paths: &[String]) {
        if bytes(paths) <= LARGEST {
            self.generations.lock().put(commit, paths.into());
        }
    }
}

impl Generations {
    fn put(&mut self, commit: ObjectId, paths: Arc<[String]>) {
        let bytes = bytes(&paths);
        if self.young_bytes + bytes > GENERATION {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(commit, paths).is_none() {
            self.young_bytes += bytes;
        }
    }
}

fn bytes(paths: &[String]) -> usize {
    OVERHEAD + paths.iter().map(|path| OVERHEAD + path.len()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(number: u32) -> ObjectId {
        let mut id = [0; 20];
        id[..4].copy_from_slice(&number.to_be_bytes());
        ObjectId::Sha1(id)
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_makes_room() {
        let known = KnownChanges::default();
        let paths = ["a".repeat(1 << 10)];
        for number in 0..40_000 {
            known.remember(commit(number), &paths);
            assert_eq!(known.get(&commit(0)).as_deref(), Some(&paths[..]));
        }
        assert_eq!(known.get(&commit(1)), None);
        let generations = known.generations.lock();
        let held = generations.young.len() + generations.old.len();
        assert!(held * bytes(&paths) <= 2 * GENERATION, "{held} entries");
        assert!(held * bytes(&paths) > GENERATION / 2, "{held} entries");
    }

    #[test]
    fn a_commit_that_changes_everything_is_not_remembered() {
        let known = KnownChanges::default();
        known.remember(commit(1), &vec!["path".to_owned(); 10_000]);
        assert_eq!(known.get(&commit(1)), None);
        known.remember(commit(2), &[]);
        assert_eq!(known.get(&commit(2)).as_deref(), Some(&[][..]));
    }
}
