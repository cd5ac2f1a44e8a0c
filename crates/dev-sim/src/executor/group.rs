//! A group of tasks with one life: what a process is in the real world.

use std::sync::Arc;

use core_clock::{BoxTask, Tasks};

use super::{Shared, signal::Signal};

/// The tasks of one process. Clones are the same group.
#[derive(Clone)]
pub(crate) struct Group {
    pub(super) id: u64,
    shared: Arc<Shared>,
    stopping: Signal,
    ended: Signal,
}

impl Group {
    pub(super) fn new(id: u64, shared: Arc<Shared>) -> Self {
        Self { id, shared, stopping: Signal::new(), ended: Signal::new() }
    }

    /// Ends every task where it stands, as `kill -9` does. A task that is running ends at its next wait.
    pub(crate) fn kill(&self) {
        self.shared.remove_group(self.id);
        self.ended.fire();
    }

    /// Asks the tasks to end by themselves.
    pub(crate) fn stop(&self) {
        self.stopping.fire();
    }

    /// Lets no task of the group run, as a process that is swapped out, until [`Group::resume`].
    pub(crate) fn pause(&self) {
        self.shared.set_paused(self.id, true);
    }

    /// Ends a pause.
    pub(crate) fn resume(&self) {
        self.shared.set_paused(self.id, false);
    }

    /// Completes when the group was killed.
    pub(crate) fn ended(&self) -> BoxTask {
        self.ended.wait()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_fired()
    }
}

impl Tasks for Group {
    fn spawn(&self, name: &'static str, task: BoxTask) {
        self.shared.spawn(self.id, name, task);
    }

    fn stopping(&self) -> BoxTask {
        self.stopping.wait()
    }
}
