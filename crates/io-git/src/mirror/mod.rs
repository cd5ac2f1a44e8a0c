//! A bare copy of one repository, kept up to date and shared by everybody who reads it.
//!
//! Everything that changes a mirror happens in its journeys, one at a time; reading needs no lock, because packs are only
//! added while somebody reads or borrows objects. Refs live in a namespace of our own, one flat name per ref of the server.

mod borrowers;
mod check;
mod contents;
mod fetch;
mod gift;
mod held;
mod place;
mod progress;
mod upkeep;

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use core_clock::Time;
use gix_hash::ObjectId;
use parking_lot::Mutex;

pub use self::progress::Activity;
use self::progress::Progress;
pub(crate) use self::{
    borrowers::register,
    contents::has_all,
    fetch::{FetchRequest, Vanished},
    held::Held,
    place::{Place, discard},
};
use crate::{convoy::Convoy, error::Error};

/// One mirror of a store.
pub(crate) struct Mirror {
    pub(crate) place: Place,
    pub(crate) journeys: Convoy<FetchRequest, Result<Arc<Vanished>, Error>>,
    progress: Progress,
    pins: AtomicUsize,
    closed: AtomicBool,
    retired: AtomicBool,
    damaged: AtomicBool,
    /// How many packs have an index in common.
    indexed: AtomicUsize,
    numbers: Mutex<Numbers>,
    bytes: AtomicU64,
}

/// What metrics show of a mirror.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) fetches: u64,
    pub(crate) hits: u64,
    pub(crate) rebuilds: u64,
    pub(crate) last_fetch: Option<Time>,
    pub(crate) last_used: Time,
}

/// A ref that somebody wants at the state a listing showed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Want {
    pub(crate) name: String,
    pub(crate) id: ObjectId,
}

impl Mirror {
    pub(crate) fn new(place: Place, bytes: u64, last_used: Time) -> Self {
        Self {
            place,
            journeys: Convoy::default(),
            progress: Progress::default(),
            pins: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            retired: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
            indexed: AtomicUsize::new(0),
            numbers: Mutex::new(Numbers { last_used, ..Numbers::default() }),
            bytes: AtomicU64::new(bytes),
        }
    }

    pub(crate) fn git_dir(&self) -> PathBuf {
        self.place.git_dir()
    }

    /// The repository's address, for messages.
    pub(crate) fn repository(&self) -> String {
        self.place.address().to_owned()
    }

    /// Keeps the mirror as it is while the pin lives; `None` while it is being repacked.
    pub(crate) fn pin(self: &Arc<Self>) -> Option<Pin> {
        // The pin comes before the look at the door, as the door is closed before the look at the pins: one of the two
        // sees the other.
        self.pins.fetch_add(1, Ordering::SeqCst);
        let pin = Pin(self.clone());
        let open = !self.closed.load(Ordering::SeqCst) && !self.is_retired();
        open.then_some(pin)
    }

    /// Keeps readers out while the guard lives; `None` when some are in, or work trees borrow objects.
    fn close(self: &Arc<Self>) -> Option<Closed> {
        self.closed.store(true, Ordering::SeqCst);
        let closed = Closed(self.clone());
        (!self.is_in_use()).then_some(closed)
    }

    fn is_in_use(&self) -> bool {
        // In this order: whoever is about to borrow holds a pin.
        self.pins.load(Ordering::SeqCst) > 0 || borrowers::any(self.place.directory())
    }

    /// Takes the mirror out of use, unless somebody reads it or something is on its way. Who still knows it afterwards
    /// finds it closed and asks the store for another.
    pub(crate) fn retire(&self) -> bool {
        self.retired.store(true, Ordering::SeqCst);
        let idle = self.journeys.is_idle() && !self.is_in_use();
        if !idle {
            self.retired.store(false, Ordering::SeqCst);
        }
        idle
    }

    fn is_retired(&self) -> bool {
        self.retired.load(Ordering::SeqCst)
    }

    /// The next fetch builds it again.
    pub(crate) fn mark_damaged(&self) {
        self.damaged.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::SeqCst)
    }

    pub(crate) fn used(&self, now: Time) {
        self.numbers.lock().last_used = now;
        self.place.touch();
    }

    pub(crate) fn hit(&self) {
        self.numbers.lock().hits += 1;
    }

    pub(crate) fn numbers(&self) -> Numbers {
        *self.numbers.lock()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// What is under way, with the clock's monotonic time.
    pub(crate) fn activity(&self, monotonic: std::time::Duration) -> Option<Activity> {
        self.progress.activity(monotonic)
    }
}

/// Held by everybody who reads a mirror.
pub(crate) struct Pin(Arc<Mirror>);

impl Drop for Pin {
    fn drop(&mut self) {
        self.0.pins.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Held by the one who changes files that readers rely on.
struct Closed(Arc<Mirror>);

impl Drop for Closed {
    fn drop(&mut self) {
        self.0.closed.store(false, Ordering::SeqCst);
    }
}
