//! Runs a program of this machine, confined to what belongs to the system.

use std::time::Duration;

use core_rules::{
    analysis::{COMMAND_PLUGIN, Command, Reading},
    credential::Secret,
};
use io_exec::{Confinement, Error, Exec, Limits, Output, Redactor};

use super::Answer;
use crate::secret::Secrets;

/// Why there are no programs where the operator did not ask for them.
pub(super) const DISABLED: &str = "programs are not run here; ANALYSIS_COMMANDS_ENABLED=true of the analysis controller allows them to everybody who writes AnalysisTemplates";

/// How much a program may print.
const MAX_OUTPUT: usize = 1024 * 1024;

/// A program that ends with 0 gave an answer; one that ends otherwise says that it is bad.
pub(super) async fn run(
    exec: &Exec,
    command: &Command,
    timeout: Duration,
    path: &str,
    secrets: &Secrets,
) -> Result<Answer, String> {
    let secrets: Vec<Secret> = secrets.values().map(Secret::new).collect();
    let name = command.program.rsplit('/').next().unwrap_or(COMMAND_PLUGIN);
    let mut planned = io_exec::Command::new(name, &command.program)
        .args(&command.arguments)
        .env("PATH", path)
        .directory("/")
        .output(Output::Capture(MAX_OUTPUT))
        .limits(Limits { deadline: Some(timeout), idle: None })
        .redact(Redactor::new(&secrets))
        .confined(Confinement::default());
    for (name, value) in &command.environment {
        planned = planned.env(name, value);
    }
    match exec.run(planned).await {
        Ok(finished) => Ok(Answer::Read(Reading::of_output(&finished.stdout))),
        Err(Error::Failed { status, stderr, .. }) => {
            Ok(Answer::Failed { value: status, message: stderr })
        }
        Err(Error::Start { command, source }) => {
            Err(format!("{command} could not be started: {source}"))
        }
        Err(error) => Err(error.to_string()),
    }
}
