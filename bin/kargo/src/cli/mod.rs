//! The verbs of the command line: gives them this machine, and turns their end into an exit code.

mod browser;
mod callback;
mod cluster_login;
pub(crate) mod completion;
mod streams;
mod terminal;
mod transport;

use std::{process::ExitCode, sync::Arc, time::Duration};

use cli_verbs::{Build, Env, Failure as VerbFailure, Verb};
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment};

use crate::{exit::Failure, version};

/// Carries a verb out.
pub(crate) fn run(verb: Verb) -> ExitCode {
    let done = environment().and_then(|env| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(cli_verbs::run(&env, verb));
        runtime.shutdown_timeout(Duration::from_millis(500));
        Ok(done)
    });
    match done {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(exit)) => ExitCode::from(exit as u8),
        Err(failure) => failure.report(),
    }
}

/// Whether arguments that cannot be read were meant for a verb: then they are told in the words of verbs.
pub(crate) fn refused(error: &clap::Error) -> Option<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let first = arguments.first()?;
    if !error.use_stderr() || !cli_verbs::is_verb(first) {
        return None;
    }
    let path = cli_verbs::command_path(arguments.iter().map(String::as_str));
    let failure: VerbFailure = cli_verbs::translate(error, &path);
    let env = environment().ok()?;
    // Nothing is left to be done when even that cannot be told.
    let _ = cli_verbs::tell(&env, &failure, false);
    Some(ExitCode::from(failure.exit as u8))
}

fn environment() -> Result<Env, Failure> {
    Ok(Env {
        streams: Arc::new(streams::ProcessStreams),
        terminal: Arc::new(terminal::ProcessTerminal),
        environment: Arc::new(SystemEnvironment),
        clock: Arc::new(SystemClock::new()),
        entropy: Arc::new(SystemEntropy),
        transport: Arc::new(transport::Outgoing::new(&SystemEnvironment)?),
        browser: Arc::new(browser::UserBrowser),
        callbacks: Arc::new(callback::LocalServer),
        cluster: Arc::new(cluster_login::Kubeconfig),
        build: Build { version: version::number(), document: version::document() },
    })
}
