//! Dex, as `tools/build` makes it: a provider whose login page lets everybody in as one person of two groups.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, Result, ensure};
use dev_testkit::repository;
use tokio::process::{Child, Command};

/// The client of the web interface.
pub(crate) const WEB: &str = "kargo";
/// The client of the command line.
pub(crate) const CLI: &str = "kargo-cli";
/// A client that is not the server's.
pub(crate) const OTHER: &str = "other";
/// Where the provider sends people back to.
pub(crate) const REDIRECT: &str = "http://localhost/auth/callback";
/// The group of whoever logs in.
pub(crate) const GROUP: &str = "authors";

/// A running Dex; killed when dropped.
pub(crate) struct Dex {
    child: Child,
    config: PathBuf,
}

impl Dex {
    /// Starts it on `port`; people know it as `issuer`.
    pub(crate) async fn start(directory: &Path, issuer: &str, port: u16) -> Result<Self> {
        let config = directory.join("dex.yaml");
        fs::write(&config, configuration(issuer, port))?;
        let child = spawn(&config).await?;
        Ok(Self { child, config })
    }

    /// Kills it and starts it again. It keeps nothing: its keys are new.
    pub(crate) async fn restart(&mut self) -> Result<()> {
        self.child.kill().await?;
        self.child = spawn(&self.config).await?;
        Ok(())
    }

    pub(crate) async fn stop(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }
}

async fn spawn(config: &Path) -> Result<Child> {
    let log = File::options().create(true).append(true).open(config.with_extension("log"))?;
    let program = tool("dex").await?;
    Command::new(program)
        .arg("serve")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .context("start Dex")
}

/// Where a tool of `tools/build` is.
async fn tool(name: &str) -> Result<PathBuf> {
    let mut command = Command::new(repository().join("tools/build"));
    let output = command.args(["--print", name]).output().await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8(output.stdout)?.trim().into())
}

/// As the chart writes it, with the connector that Dex has for tests.
fn configuration(issuer: &str, port: u16) -> String {
    let clients: String = [WEB, CLI, OTHER]
        .map(|id| {
            format!("- {{id: {id}, name: {id}, public: true, redirectURIs: ['{REDIRECT}']}}\n")
        })
        .concat();
    format!(
        "issuer: {issuer}\n\
         storage: {{type: memory}}\n\
         web: {{http: '127.0.0.1:{port}'}}\n\
         oauth2: {{skipApprovalScreen: true}}\n\
         staticClients:\n{clients}\
         connectors:\n- {{type: mockCallback, id: mock, name: Mock}}\n"
    )
}
