//! When to stop.

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::oneshot,
};

/// Completes on SIGTERM or SIGINT, with the signal's name. A second signal ends the process at once: whoever sends it does
/// not want to wait for the rest to stop in order.
///
/// The handlers are installed when the function is called, so a signal during start-up is not lost.
#[expect(clippy::disallowed_methods, reason = "it must outlive every task group")]
pub fn stop_signal() -> std::io::Result<impl Future<Output = &'static str>> {
    let mut signals = Signals {
        terminate: signal(SignalKind::terminate())?,
        interrupt: signal(SignalKind::interrupt())?,
    };
    let (first, stopped) = oneshot::channel();
    tokio::spawn(async move {
        // Nobody may be waiting any more; the second one counts all the same.
        let _ = first.send(signals.next().await);
        end_at_once(signals.next().await);
    });
    Ok(async move {
        match stopped.await {
            Ok(signal) => signal,
            // The runtime is going away, and with it whoever waits here.
            Err(_) => std::future::pending().await,
        }
    })
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[expect(clippy::exit, clippy::disallowed_methods, reason = "asked for, by a second signal")]
fn end_at_once(signal: &str) {
    tracing::warn!(signal, "second signal, ending at once");
    std::process::exit(1);
}
