//! What a person reads when the control plane is ready.

use std::{
    io::{self, Write},
    net::SocketAddr,
    time::Duration,
};

use emb_store::{OpenReport, Store};
use io_runtime::SystemEnvironment;

use super::{
    commands::{self, Commands},
    open::Sealing,
};
use crate::{directory::Directory, replica::Replica, up::api, version};

/// Says what runs, where, and what to type next.
pub(crate) struct Banner<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) directory: &'a Directory,
    pub(crate) in_memory: bool,
    pub(crate) store: &'a Store,
    pub(crate) report: &'a OpenReport,
    pub(crate) sealing: Option<Sealing>,
    pub(crate) replica: Option<&'a Replica>,
    pub(crate) api: Option<&'a api::Running>,
    /// Where the demo is served, if there is one.
    pub(crate) demo: Option<SocketAddr>,
    pub(crate) started: Duration,
}

impl Banner<'_> {
    /// Prints to stdout; the last lines are commands to copy.
    pub(crate) fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Self { address, report, store, .. } = self;
        let objects: usize = store.resources().iter().map(|resource| store.count(resource)).sum();
        let directory = self.directory.path().display();
        let kept = if self.in_memory { "in memory, gone when this stops" } else { "kept on disk" };
        writeln!(
            out,
            "kargo {} is ready after {:.2} s",
            version::number(),
            self.started.as_secs_f64()
        )?;
        writeln!(out)?;
        writeln!(out, "  Kubernetes API  https://{address} (embedded: no cluster needed)")?;
        if let Some(api) = self.api {
            api.print(&mut out)?;
        }
        writeln!(out, "  objects         {objects} {kept}, revision {}", store.revision())?;
        writeln!(out, "  data directory  {directory}")?;
        if let Some(demo) = self.demo {
            writeln!(
                out,
                "  demo            Project demo; Git repository, registry and application on http://{demo}"
            )?;
        }
        if let Some(Sealing { key, left }) = &self.sealing {
            write!(out, "  encryption      Secrets are encrypted with key {key}")?;
            match left {
                0 => writeln!(out)?,
                left => writeln!(out, "; {left} old states of them are being rewritten with it")?,
            }
        }
        if let Some(replica) = self.replica {
            writeln!(out, "  replica         {replica}, at most a second behind")?;
        }
        if report.unclean {
            writeln!(
                out,
                "  note            the last run did not stop cleanly; every acknowledged write is here"
            )?;
        }
        for row in &report.quarantined {
            writeln!(
                out,
                "  damaged         {} at revision {} was set aside: {}",
                row.key, row.revision, row.reason
            )?;
        }
        writeln!(out)?;
        let commands = Commands {
            directory: self.directory.path(),
            has_api: self.api.is_some(),
            has_demo: self.demo.is_some(),
            program: commands::program(&SystemEnvironment),
        };
        commands.print(&mut out)?;
        writeln!(out)?;
        writeln!(out, "Stop with Ctrl-C.")?;
        out.flush()
    }
}
