//! The disk under the store: durable, slow, and cut off in the middle of a write when the server dies.

use std::{path::Path, sync::Arc, time::Duration};

use core_clock::{Clock, ManualClock, Tasks, Time};
use emb_meta::GroupResource;
use emb_store::{
    BackupError, CommitLog, Done, Event, Identity, Loaded, LogError, MemoryLog, OpenError, Past,
    Record,
};
use futures::FutureExt;

use crate::{
    dice::Dice,
    executor::Group,
    faults::{Fault, Faults},
};

/// The longest a write takes.
const WRITE_TIME: Duration = Duration::from_millis(5);

/// A log whose writes take time, in the process of one server. What it has written is in `durable`, which outlives it.
pub(crate) struct Disk {
    pub(crate) durable: MemoryLog,
    pub(crate) process: Group,
    pub(crate) clock: ManualClock,
    pub(crate) faults: Faults,
    pub(crate) dice: Dice,
}

impl CommitLog for Disk {
    fn load(
        &self,
        fresh: Identity,
        accept: &mut dyn FnMut(Record) -> Result<(), String>,
    ) -> Result<Loaded, OpenError> {
        self.durable.load(fresh, accept)
    }

    /// A crash while the write is under way leaves the batch behind or loses it, as it goes with disks: the seed decides
    /// whether it becomes durable at the beginning of the wait or at its end.
    fn append(&self, batch: Vec<Arc<Event>>, done: Done<(), LogError>) {
        if self.faults.strikes(Fault::DiskError, &self.dice) {
            return done(Err(LogError::Io("simulated".into())));
        }
        let (durable, wait) =
            (self.durable.clone(), self.clock.sleep(self.dice.duration(WRITE_TIME)));
        if self.dice.chance(500) {
            durable.append(batch, Box::new(|_| ()));
            self.process.spawn("disk write", wait.map(|()| done(Ok(()))).boxed());
        } else {
            self.process
                .spawn("disk write", wait.map(move |()| durable.append(batch, done)).boxed());
        }
    }

    fn probe(&self, done: Done<(), LogError>) {
        self.durable.probe(done);
    }

    fn history(
        &self,
        resource: Option<&GroupResource>,
        after: u64,
        upto: u64,
        limit: usize,
    ) -> Result<Vec<Past>, LogError> {
        self.durable.history(resource, after, upto, limit)
    }

    fn boundary(&self, time: Time) -> Result<u64, LogError> {
        self.durable.boundary(time)
    }

    fn compact(&self, upto: u64) {
        self.durable.compact(upto);
    }

    fn backup(&self, to: &Path, done: Done<(), BackupError>) {
        self.durable.backup(to, done);
    }

    fn close(&self) {
        self.durable.close();
    }
}
