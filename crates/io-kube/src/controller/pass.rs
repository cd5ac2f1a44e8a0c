//! What a pass tells the workers beside its outcome.

use std::{future::Future, sync::Arc};

use futures::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;

use crate::{Cache, object::Object};

/// One pass over a key. Notes its writes, so that the next pass sees them.
#[derive(Clone, Default)]
pub struct Pass {
    writes: Arc<Mutex<Vec<BoxFuture<'static, ()>>>>,
}

impl Pass {
    /// This pass wrote `written`, which `cache` watches: the key is not planned again before the cache shows it.
    pub fn wrote<K: Object>(&self, cache: &Cache<K>, written: &K) {
        if let Some(version) = &written.meta().resource_version {
            self.writes.lock().push(cache.passed(version).boxed());
        }
    }

    /// The key is not planned again before `done`, such as a write that somebody else carries out.
    pub fn awaits(&self, done: impl Future<Output = ()> + Send + 'static) {
        self.writes.lock().push(done.boxed());
    }

    /// The writes that caches have not seen yet; `None` when they have seen all.
    pub(crate) fn unseen(&self) -> Option<BoxFuture<'static, ()>> {
        let mut writes = std::mem::take(&mut *self.writes.lock());
        writes.retain_mut(|seen| seen.now_or_never().is_none());
        if writes.is_empty() {
            return None;
        }
        Some(futures::future::join_all(writes).map(|_| ()).boxed())
    }
}
