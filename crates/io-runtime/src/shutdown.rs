//! When to stop.

use tokio::signal::unix::{SignalKind, signal};

/// Completes on SIGTERM or SIGINT, with the signal's name.
///
/// The handlers are installed when the function is called, so a signal during start-up is not lost.
pub fn stop_signal() -> std::io::Result<impl Future<Output = &'static str>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        }
    })
}
