//! Long work on files, beside the threads that wait for many things at once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::{Jail, JailError, Result};

/// Whether somebody still waits for the work.
#[derive(Clone, Debug, Default)]
pub(super) struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Refuses to go on when nobody waits any more.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(JailError::Cancelled) } else { Ok(()) }
    }
}

struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

impl Jail {
    /// Does work on a thread that may block.
    ///
    /// Cancel safety: when the future is dropped, the jail that the work was given refuses every further
    /// operation, so that the work ends soon.
    pub async fn blocking<T, E>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<JailError> + Send + 'static,
    {
        let cancellation = Cancellation::default();
        let jail = Self { cancellation: cancellation.clone(), ..self.clone() };
        let _cancel = CancelOnDrop(cancellation);
        match io_runtime::blocking(move || work(&jail)).await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(JailError::Cancelled.into()),
        }
    }
}
