//! The task port: nothing runs in the background that its owner does not know of.

use std::{future::Future, pin::Pin};

/// Work to run in the background.
pub type BoxTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A group of tasks with one life: the owner waits for all of them, or ends them. Passed as `Arc<dyn Tasks>`.
pub trait Tasks: Send + Sync {
    /// Runs `task` beside the caller. `name` shows in logs when it panics or does not stop.
    fn spawn(&self, name: &'static str, task: BoxTask);
    /// Completes when the group was asked to stop; a task selects on it at its waits.
    fn stopping(&self) -> BoxTask;
}
