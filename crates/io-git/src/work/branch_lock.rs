//! One push at a time to a branch, among all steps of the process: a race with ourselves would cost a rebase.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The branches that somebody pushes to or waits for.
#[derive(Default)]
pub(crate) struct BranchLocks {
    held: Mutex<HashMap<Branch, Weak<AsyncMutex<()>>>>,
}

/// Normalised URL and name.
type Branch = (String, String);

/// Nobody else of this process pushes to the branch while this lives.
pub struct BranchLock {
    _guard: OwnedMutexGuard<()>,
}

impl BranchLocks {
    pub(crate) async fn lock(&self, url: &str, branch: &str) -> BranchLock {
        let lock = {
            let mut held = self.held.lock();
            held.retain(|_, lock| lock.strong_count() > 0);
            let key = (core_pattern::normalize_git(url), branch.to_owned());
            let known = held.get(&key).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let lock = Arc::default();
                held.insert(key, Arc::downgrade(&lock));
                lock
            })
        };
        BranchLock { _guard: lock.lock_owned().await }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_branch_is_locked_under_all_its_names_and_forgotten_afterwards() {
        let locks = BranchLocks::default();
        let first = locks.lock("https://me:x@Example.com/a.git", "main").await;
        let _other_branch = locks.lock("https://example.com/a", "next").await;
        let second = locks.lock("https://example.com/a", "main");
        tokio::pin!(second);
        assert!(futures_poll_once(&mut second).await.is_none());
        drop(first);
        second.await;
        let _another = locks.lock("https://example.com/b", "main").await;
        assert_eq!(locks.held.lock().len(), 2);
    }

    async fn futures_poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        std::future::poll_fn(|cx| match std::pin::Pin::new(&mut *future).poll(cx) {
            std::task::Poll::Ready(value) => std::task::Poll::Ready(Some(value)),
            std::task::Poll::Pending => std::task::Poll::Ready(None),
        })
        .await
    }
}
