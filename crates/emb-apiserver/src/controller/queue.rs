//! Work that waits for a controller, each item once.

use std::{collections::BTreeSet, future::poll_fn, task::Poll};

use futures::task::AtomicWaker;
use parking_lot::Mutex;

/// A set of pending items with one consumer. Items come out in their order, so that runs are reproducible.
pub(super) struct Queue<T> {
    pending: Mutex<BTreeSet<T>>,
    waker: AtomicWaker,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { pending: Mutex::new(BTreeSet::new()), waker: AtomicWaker::new() }
    }
}

impl<T: Ord> Queue<T> {
    /// Adds an item, unless it waits already.
    pub(super) fn push(&self, item: T) {
        self.pending.lock().insert(item);
        self.waker.wake();
    }

    /// Adds several items.
    pub(super) fn extend(&self, items: impl IntoIterator<Item = T>) {
        items.into_iter().for_each(|item| self.push(item));
    }

    /// Takes the first item; waits for one. Dropping the future loses nothing.
    pub(super) async fn pop(&self) -> T {
        poll_fn(|cx| {
            self.waker.register(cx.waker());
            self.pending.lock().pop_first().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn an_item_waits_once_and_comes_out_in_order() {
        let queue = Queue::default();
        assert!(queue.pop().now_or_never().is_none());
        for item in [2, 1, 2] {
            queue.push(item);
        }
        assert_eq!(queue.pop().now_or_never(), Some(1));
        assert_eq!(queue.pop().now_or_never(), Some(2));
        assert!(queue.pop().now_or_never().is_none());
    }
}
