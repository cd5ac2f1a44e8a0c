//! Something that happens once and that any number of tasks may wait for.

use std::sync::Arc;

use core_clock::BoxTask;
use futures::{
    FutureExt,
    channel::oneshot,
    future::{BoxFuture, Shared},
};
use parking_lot::Mutex;

/// A one-time event. Clones are the same event.
#[derive(Clone)]
pub(crate) struct Signal {
    trigger: Arc<Mutex<Option<oneshot::Sender<()>>>>,
    fired: Shared<BoxFuture<'static, ()>>,
}

impl Signal {
    pub(crate) fn new() -> Self {
        let (trigger, fired) = oneshot::channel();
        let fired = fired.map(|_| ()).boxed().shared();
        Self { trigger: Arc::new(Mutex::new(Some(trigger))), fired }
    }

    /// Makes it happen; again has no effect.
    pub(crate) fn fire(&self) {
        // Taken first: dropping the sender wakes tasks, which must find the lock free.
        let trigger = self.trigger.lock().take();
        drop(trigger);
    }

    /// Whether it has happened.
    pub(crate) fn is_fired(&self) -> bool {
        self.trigger.lock().is_none()
    }

    /// Completes when it happens.
    pub(crate) fn wait(&self) -> BoxTask {
        self.fired.clone().boxed()
    }
}
