//! Argo Rollouts, as `tools/build` makes it: its definitions, and its controller for AnalysisRuns.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, Result, ensure};
use tokio::process::{Child, Command};

/// Which AnalysisRuns it takes.
pub(crate) const INSTANCE_ID: &str = "rollouts";

/// A running controller; killed when dropped.
pub(crate) struct Neighbour {
    child: Child,
}

/// Where a tool of `tools/build` is.
async fn tool(name: &str) -> Result<PathBuf> {
    let script = dev_testkit::repository().join("tools/build");
    let output = Command::new(script).args(["--print", name]).output().await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().into())
}

impl Neighbour {
    /// Installs it on the cluster of a kubeconfig, and starts it.
    pub(crate) async fn start(kubeconfig: &Path, log: &Path) -> Result<Self> {
        let program = tool("argo-rollouts").await?;
        let definitions = program.parent().context("a tool lies in a folder")?.join("crds");
        install(kubeconfig, &definitions).await?;
        let log = std::fs::File::create(log)?;
        let child = Command::new(program)
            .args(["--controllers", "analysis", "--instance-id", INSTANCE_ID])
            .args(["--leader-elect=false", "--healthzPort", "0", "--metricsport", "0"])
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self { child })
    }

    /// Ends it, and with it the watches that an API server would wait for.
    pub(crate) async fn stop(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }
}

async fn install(kubeconfig: &Path, definitions: &Path) -> Result<()> {
    let mut command = Command::new(tool("kubectl").await?);
    command.arg("--kubeconfig").arg(kubeconfig);
    command.args(["apply", "--server-side", "--filename"]).arg(definitions);
    let output = command.output().await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
