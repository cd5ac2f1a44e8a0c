//! What happened in a run: short lines for people, and the audit log of the API server, which two runs of one seed must
//! share byte for byte.

use std::{fmt::Display, sync::Arc};

use core_clock::{Clock, ManualClock};
use emb_apiserver::AuditSink;
use parking_lot::Mutex;

/// The records of a run. Clones write to the same ones.
#[derive(Clone)]
pub(crate) struct Story {
    clock: ManualClock,
    records: Arc<Mutex<Records>>,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    /// One line for each request, fault and change of fortune.
    pub(crate) lines: Vec<String>,
    /// The audit log.
    pub(crate) audit: String,
}

impl Story {
    pub(crate) fn new(clock: ManualClock) -> Self {
        Self { clock, records: Arc::default() }
    }

    /// Adds a line: who, and what happened to them.
    pub(crate) fn tell(&self, who: &str, what: impl Display) {
        let seconds = self.clock.monotonic().as_secs_f64();
        self.records.lock().lines.push(format!("{seconds:10.3}s {who}: {what}"));
    }

    /// Everything so far.
    pub(crate) fn records(&self) -> Records {
        self.records.lock().clone()
    }
}

impl AuditSink for Story {
    fn record(&self, line: &str) {
        let mut records = self.records.lock();
        records.audit.push_str(line);
        records.audit.push('\n');
    }
}
