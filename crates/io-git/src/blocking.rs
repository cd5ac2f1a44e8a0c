//! Work that waits for the disk.

/// Runs `work` on a thread that may block; `None` when it panicked or the runtime is ending.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where this crate leaves the async threads: packs are mapped files, read by page faults"
)]
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
