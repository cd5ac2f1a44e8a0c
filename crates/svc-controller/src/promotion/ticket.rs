//! What others may tell a Promotion that runs here.

use std::sync::atomic::{AtomicBool, Ordering};

use core_rules::{argo_cd::Awaited, promotion::Abort};
use io_kube::ObjectKey;
use parking_lot::Mutex;
use tokio::sync::Notify;
use work_steps::driver::{Stop, StopHandle, StopSignal, stopping};

/// One for each Promotion that runs here.
pub(super) struct Ticket {
    pub(super) key: ObjectKey,
    /// Which object it is: another one may get the same name.
    pub(super) uid: String,
    pub(super) stage: ObjectKey,
    stop: StopHandle,
    wake: Notify,
    /// The refresh request that was acted on last.
    refresh: Mutex<String>,
    /// Who aborted it.
    abort: Mutex<Option<Abort>>,
    is_forgotten: AtomicBool,
    /// Whether no step of it runs any more.
    is_over: AtomicBool,
    /// The Applications that its current step looks at.
    awaited: Mutex<Awaited>,
}

impl Ticket {
    pub(super) fn new(
        key: ObjectKey,
        uid: String,
        stage: &str,
        refresh: String,
    ) -> (Self, StopSignal) {
        let (stop, signal) = stopping();
        let ticket = Self {
            stage: ObjectKey::new(&key.namespace, stage),
            key,
            uid,
            stop,
            wake: Notify::new(),
            refresh: Mutex::new(refresh),
            abort: Mutex::default(),
            is_forgotten: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            awaited: Mutex::default(),
        };
        (ticket, signal)
    }

    /// A step that waits is looked at now.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Wakes it, once for each request.
    pub(super) fn refresh(&self, token: String) {
        let mut handled = self.refresh.lock();
        if *handled != token {
            *handled = token;
            self.wake();
        }
    }

    /// The refresh request that was acted on last.
    pub(super) fn handled_refresh(&self) -> String {
        self.refresh.lock().clone()
    }

    pub(super) fn abort(&self, abort: Abort) {
        self.stop.stop(Stop::Abort(abort.message.clone()));
        self.abort.lock().get_or_insert(abort);
    }

    pub(super) fn aborted_by(&self) -> Option<Abort> {
        self.abort.lock().clone()
    }

    /// Leaves it as it is, for a later process.
    pub(super) fn suspend(&self) {
        self.stop.stop(Stop::Suspend);
    }

    /// Drops it, and what it left here: there is no such Promotion any more.
    pub(super) fn forget(&self) {
        self.is_forgotten.store(true, Ordering::Release);
        self.suspend();
    }

    pub(super) fn is_forgotten(&self) -> bool {
        self.is_forgotten.load(Ordering::Acquire)
    }

    /// No step of it runs any more.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Completes when somebody wakes it, also if that was before.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    pub(super) fn await_applications(&self, awaited: Awaited) {
        *self.awaited.lock() = awaited;
    }

    /// Wakes it if its step looks at the Application that changed.
    pub(super) fn notice(&self, is_woken: impl FnOnce(&Awaited) -> bool) {
        let is_woken = is_woken(&self.awaited.lock());
        if is_woken {
            self.wake();
        }
    }
}
