//! The process group of a child: signalled as a whole, never left behind.

use std::{process::ExitStatus, sync::Arc, time::Duration};

use core_clock::Clock;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

/// A live group; what still lives when this is dropped is killed at once.
pub(crate) struct Group {
    leader: Option<Pid>,
}

impl Group {
    /// The group that `child` leads.
    pub(crate) fn of(child: &Child) -> Self {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self { leader }
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // The group may be gone already, which is what was wanted.
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Asks the group to end, insists after `grace`, and reaps the leader.
    pub(crate) async fn terminate(
        &self,
        child: &mut Child,
        clock: &Arc<dyn Clock>,
        grace: Duration,
    ) -> std::io::Result<ExitStatus> {
        self.signal(Signal::TERM);
        tokio::select! {
            status = child.wait() => return status,
            () = clock.sleep(grace) => self.signal(Signal::KILL),
        }
        child.wait().await
    }

    /// Kills members that outlived the leader. Only for a group that is known to have some: its number cannot have been
    /// given to anybody else then.
    pub(crate) fn kill_survivors(&self) {
        self.signal(Signal::KILL);
    }

    /// The leader was reaped: its number may be reused, so the group is not touched any more.
    pub(crate) fn release(&mut self) {
        self.leader = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}
