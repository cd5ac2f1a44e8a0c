//! What clients asked and saw, with the moments at which they asked and were answered.

use std::{collections::BTreeMap, time::Instant};

use parking_lot::Mutex;

/// One exchange.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) asked: Instant,
    pub(crate) answered: Instant,
    pub(crate) what: What,
}

/// A value and the revision that wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) revision: u64,
    pub(crate) value: u64,
}

/// The content of an exchange. Values are never written twice.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A write that was confirmed; `after` is the revision that it had to replace.
    Wrote { object: usize, version: Version, after: Option<u64> },
    /// A write that may have happened.
    Tried { object: usize, value: u64 },
    /// A read of one object.
    Read { object: usize, version: Version },
    /// A read of all objects.
    Listed { revision: u64, versions: BTreeMap<usize, Version> },
}

/// All exchanges.
#[derive(Default)]
pub(crate) struct Record(Mutex<Vec<Seen>>);

impl Record {
    pub(crate) fn add(&self, asked: Instant, what: What) {
        self.0.lock().push(Seen { asked, answered: Instant::now(), what });
    }

    pub(crate) fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut self.0.lock())
    }
}
