//! Tasks on the async runtime, with one life.

use std::{panic::AssertUnwindSafe, time::Duration};

use core_clock::{BoxTask, Tasks};
use futures::FutureExt;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// A group of tasks: all are asked to stop together, and the owner waits for them.
#[derive(Clone, Debug, Default)]
pub struct TaskGroup {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl TaskGroup {
    /// An empty group.
    pub fn new() -> Self {
        Self::default()
    }

    /// A group that stops when this one does, and can stop before it.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { tracker: TaskTracker::new(), stop: self.stop.child_token() }
    }

    /// Asks every task to stop and waits for them; returns whether all ended within `grace`.
    pub async fn shutdown(&self, grace: Duration) -> bool {
        self.stop.cancel();
        self.tracker.close();
        tokio::time::timeout(grace, self.tracker.wait()).await.is_ok()
    }
}

impl Tasks for TaskGroup {
    fn spawn(&self, name: &'static str, task: BoxTask) {
        self.tracker.spawn(async move {
            if AssertUnwindSafe(task).catch_unwind().await.is_err() {
                // The panic hook has printed where; the process lives on without this task.
                tracing::error!(task = name, "task panicked");
            }
        });
    }

    fn stopping(&self) -> BoxTask {
        let stop = self.stop.clone();
        Box::pin(async move { stop.cancelled().await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn shutdown_waits_for_tasks_that_heed_it_and_reports_those_that_do_not() {
        let group = TaskGroup::new();
        let stopping = group.stopping();
        group.spawn("heeds", Box::pin(stopping));
        assert!(group.shutdown(Duration::from_secs(5)).await);
        let stubborn = TaskGroup::new();
        stubborn.spawn("stubborn", Box::pin(std::future::pending()));
        assert!(!stubborn.shutdown(Duration::from_millis(10)).await);
    }

    #[tokio::test]
    async fn a_panicking_task_leaves_the_others_alone() {
        let group = TaskGroup::new();
        group.spawn("panics", Box::pin(async { panic!("expected in this test") }));
        assert!(group.shutdown(Duration::from_secs(5)).await);
    }
}
