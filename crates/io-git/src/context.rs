//! What every operation on a repository needs: settings, the ways out, time and tasks.

use std::{net::IpAddr, path::PathBuf, sync::Arc, time::Duration};

use core_clock::{Clock, Environment, Tasks};
use io_exec::{Command, Exec};
use io_http::outbound::{self, Outbound};

use crate::{error::Error, settings::Settings};

/// Our own variables that `git` and `ssh` may see: where programs are, how to get out, whom to trust.
const INHERITED: [&str; 9] = [
    "PATH",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// How long a name server may take.
const LOOKUP_DEADLINE: Duration = Duration::from_secs(30);

/// Shared by all repositories of a store.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) outbound: Outbound,
    pub(crate) exec: Exec,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: Arc<dyn Tasks>,
    inherited: Vec<(&'static str, String)>,
}

impl Context {
    pub(crate) fn new(
        settings: Settings,
        outbound: Outbound,
        clock: Arc<dyn Clock>,
        tasks: Arc<dyn Tasks>,
        environment: &dyn Environment,
    ) -> Self {
        let inherited =
            INHERITED.iter().filter_map(|name| Some((*name, environment.var(name)?))).collect();
        let exec = Exec::new(clock.clone(), tasks.clone());
        Self { settings, outbound, exec, clock, tasks, inherited }
    }

    /// A command that sees our proxies and trust, in plain English.
    pub(crate) fn command(&self, name: &'static str, program: &str) -> Command {
        let command = Command::new(name, program).env("LC_ALL", "C");
        self.inherited.iter().fold(command, |command, (name, value)| command.env(name, value))
    }

    pub(crate) fn inherited(&self, name: &str) -> Option<&str> {
        self.inherited.iter().find(|(each, _)| *each == name).map(|(_, value)| value.as_str())
    }

    /// Private directories of single operations.
    pub(crate) fn work(&self) -> PathBuf {
        self.settings.root.join("work")
    }

    /// The addresses of `host` that may be dialled. Programs are pinned to these, so that a name server which answers
    /// differently a moment later changes nothing.
    pub(crate) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<IpAddr>, Error> {
        let host = host.trim_matches(['[', ']']);
        let unknown = || outbound::Error::Name { host: host.to_owned() };
        let found = tokio::select! {
            found = tokio::net::lookup_host((host, port)) => found.map_err(|_| unknown())?,
            () = self.clock.sleep(LOOKUP_DEADLINE) => return Err(unknown().into()),
        };
        let policy = &self.outbound.settings().policy;
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in found.map(|found| found.ip()) {
            match policy.check(address) {
                Ok(()) => allowed.push(address),
                Err(refusal) => refused = Some((address, refusal)),
            }
        }
        match (allowed.is_empty(), refused) {
            (true, Some((address, refusal))) => {
                Err(outbound::Error::Refused { host: host.to_owned(), address, refusal }.into())
            }
            (true, None) => Err(unknown().into()),
            _ => Ok(allowed),
        }
    }
}
