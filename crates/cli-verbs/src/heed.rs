//! Passes on what a server warns of, such as a command line that is too old or too new for it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use cli_client::{BoxFuture, Request, Response, Transport, TransportError};

use crate::ports::Streams;

/// Where a server puts its warning.
const HEADER: &str = "x-kargo-warning";
/// Longer ones are cut off.
const MAX_CHARS: usize = 500;

/// A way to a server that tells its first warning.
pub(crate) struct Heedful {
    pub(crate) way: Arc<dyn Transport>,
    pub(crate) streams: Arc<dyn Streams>,
    pub(crate) has_warned: Arc<AtomicBool>,
}

impl Transport for Heedful {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            let response = self.way.send(request).await?;
            if let Some(warning) = response.header(HEADER)
                && !self.has_warned.swap(true, Ordering::Relaxed)
            {
                let shown = warning.chars().filter(|one| !one.is_control()).take(MAX_CHARS);
                let shown: String = shown.collect();
                // Nobody has to hear it.
                let _ = self.streams.err(&format!("Warning: {shown}\n"));
            }
            Ok(response)
        })
    }
}
