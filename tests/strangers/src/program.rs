//! A program of somebody else: started with a log of its own, and killed when dropped.

use std::{
    fs::File,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, Result, ensure};
use dev_testkit::repository;
use tokio::process::{Child, Command};

/// How many lines of a log help a person.
const LINES: usize = 20;

/// A running program.
pub(crate) struct Program {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Program {
    /// Starts it; what it says goes to a file in `directory`.
    pub(crate) fn start(name: &str, mut command: Command, directory: &Path) -> Result<Self> {
        let path = directory.join(format!("{name}.log"));
        let log = File::options().create(true).append(true).open(&path)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("start {name}"))?;
        Ok(Self { name: name.to_owned(), child, log: path })
    }

    /// Fails when it has ended by itself, with what it said last.
    pub(crate) fn is_alive(&mut self) -> Result<()> {
        let ended = self.child.try_wait()?;
        ensure!(ended.is_none(), "{} has ended: {}", self.name, self.last_words());
        Ok(())
    }

    /// What it said last.
    pub(crate) fn last_words(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        format!("{}:\n{}", self.name, lines[lines.len().saturating_sub(LINES)..].join("\n"))
    }

    /// SIGKILL, and waits until it is gone.
    pub(crate) async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }
}

/// Where a tool of `tools/build` is.
pub(crate) async fn tool(name: &str) -> Result<PathBuf> {
    let mut command = Command::new(repository().join("tools/build"));
    let output = command.args(["--print", name]).output().await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8(output.stdout)?.trim().into())
}

/// A port of the loopback interface that nobody listens on.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
