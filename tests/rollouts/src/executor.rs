//! Our own executor of AnalysisRuns, as a process beside Argo Rollouts.

use std::{path::Path, process::Output, time::Duration};

use anyhow::{Context, Result};
use dev_testkit::binary;
use tokio::process::{Child, Command};

/// How long one that refuses to work may take to say so.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running executor; killed when dropped.
pub(crate) struct Executor {
    _child: Child,
}

impl Executor {
    /// One that takes the runs with this label.
    pub(crate) fn start(kubeconfig: &Path, instance_id: &str) -> Result<Self> {
        let mut command = command(kubeconfig)?;
        command.env("ANALYSIS_CONTROLLER_INSTANCE_ID", instance_id);
        Ok(Self { _child: command.spawn()? })
    }

    /// One that would take the runs without a label, until it ends by itself.
    pub(crate) async fn run_without_id(kubeconfig: &Path) -> Result<Output> {
        let ended = tokio::time::timeout(PATIENCE, command(kubeconfig)?.output()).await;
        Ok(ended.context("the executor works beside Argo Rollouts without an id")??)
    }
}

fn command(kubeconfig: &Path) -> Result<Command> {
    let mut command = Command::new(binary()?);
    command.arg("analysis-controller").env("KUBECONFIG", kubeconfig).kill_on_drop(true);
    command.env("LOG_LEVEL", "error").env("HEALTH_BIND_ADDRESS", "0");
    Ok(command)
}
