//! Everything a verb may touch.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use cli_client::Transport;
use core_clock::{Clock, Entropy, Environment, Time};
use serde_json::Value;

use crate::{
    exit::CliResult,
    output::Table,
    ports::{Browser, CallbackServer, ClusterLogin, Engine, Keyring, LocalRun, Streams, Terminal},
};

/// Which build this is.
#[derive(Clone, Debug)]
pub struct Build {
    /// Its number.
    pub version: String,
    /// All that is known of it.
    pub document: Value,
}

/// The world of a verb.
pub struct Env {
    /// Input and output.
    pub streams: Arc<dyn Streams>,
    /// The person before the screen.
    pub terminal: Arc<dyn Terminal>,
    /// Variables.
    pub environment: Arc<dyn Environment>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness that is fit for secrets.
    pub entropy: Arc<dyn Entropy>,
    /// The way to servers.
    pub transport: Arc<dyn Transport>,
    /// Pages.
    pub browser: Arc<dyn Browser>,
    /// The way back from a login.
    pub callbacks: Arc<dyn CallbackServer>,
    /// The user's cluster.
    pub cluster: Arc<dyn ClusterLogin>,
    /// Where the system keeps secrets, if it does.
    pub keyring: Option<Arc<dyn Keyring>>,
    /// Promotions on this machine.
    pub local_run: Arc<dyn LocalRun>,
    /// The control plane on this machine.
    pub engine: Arc<dyn Engine>,
    /// Which build this is.
    pub build: Build,
    /// Whether a warning of the server was told: one is enough.
    pub has_warned: Arc<AtomicBool>,
}

impl Env {
    /// The time.
    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }

    /// Writes data.
    pub(crate) fn out(&self, text: &str) -> CliResult {
        quietly(self.streams.out(text))
    }

    /// Writes a line of data.
    pub(crate) fn out_line(&self, line: &str) -> CliResult {
        self.out(&format!("{line}\n"))
    }

    /// A table, in colours where somebody reads it who did not refuse them.
    pub(crate) fn table(&self) -> Table {
        let is_dumb = self.variable("TERM").as_deref() == Some("dumb");
        let wants_none = is_dumb || self.variable("NO_COLOR").is_some();
        Table::new(self.terminal.is_read() && !wants_none)
    }

    /// Says something that is not data.
    pub(crate) fn say(&self, line: &str) -> CliResult {
        quietly(self.streams.err(&format!("{line}\n")))
    }

    /// A result, or nothing when it takes longer than it is given.
    pub(crate) async fn within<T>(
        &self,
        limit: Option<Duration>,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let Some(limit) = limit else { return Some(work.await) };
        let end = self.clock.sleep(limit);
        match futures::future::select(Box::pin(work), end).await {
            futures::future::Either::Left((result, _)) => Some(result),
            futures::future::Either::Right(((), _)) => None,
        }
    }
}

/// Who reads only the head of the output has what was wanted.
fn quietly(written: io::Result<()>) -> CliResult {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}
