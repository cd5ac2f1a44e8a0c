//! Work that waits for the disk: packs are mapped files, read by page faults.

/// Runs `work` on a thread that may block; `None` when it panicked or the runtime is ending.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    io_runtime::blocking(work).await.ok()
}
