//! Work that keeps a thread busy: with the disk, or with computing.

use tokio::task::JoinError;

/// The outcome of `work`, which runs on a thread where it may block; an error when it panicked or the runtime is ending.
///
/// Cancel safety: work that has begun goes on when this is dropped.
#[expect(clippy::disallowed_methods, reason = "the one way off the async threads")]
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    tokio::task::spawn_blocking(work).await
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn work_has_another_thread_and_its_panic_is_an_error() {
        let here = thread::current().id();
        assert_ne!(blocking(|| thread::current().id()).await.unwrap(), here);
        let panicked = blocking(|| -> u8 { panic!("expected in this test") }).await;
        assert!(panicked.unwrap_err().is_panic());
    }
}
