//! The verbs of the command line: gives them this machine, and turns their end into an exit code.

mod browser;
mod callback;
mod cluster_login;
pub(crate) mod completion;
mod engine;
mod keyring;
mod local_run;
pub(crate) mod man;
mod streams;
mod terminal;
mod transport;

use std::{io::Write as _, process::ExitCode, sync::Arc, time::Duration};

use clap::{ArgMatches, error::ErrorKind};
use cli_verbs::{Build, Env, Failure as VerbFailure, Verb};
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment};

use crate::{
    exit::{Exit, Failure},
    version,
};

/// Carries out the verb that was read from `matches`.
pub(crate) fn run(verb: Verb, matches: &ArgMatches) -> ExitCode {
    let done = environment().and_then(|env| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(cli_verbs::run(&env, verb, matches));
        runtime.shutdown_timeout(Duration::from_millis(500));
        Ok(done)
    });
    match done {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(exit)) => ExitCode::from(exit as u8),
        Err(failure) => failure.report(),
    }
}

/// Says why arguments name nothing that can be done, or the help that they ask for.
pub(crate) fn refused(error: &clap::Error) -> ExitCode {
    // Who names a group without a member wants to know its members.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let written = std::io::stdout().write_all(error.to_string().as_bytes());
        return written.map_or(Exit::Error, |()| Exit::Success).into();
    }
    if error.use_stderr()
        && let Some(code) = refused_verb(error)
    {
        return code;
    }
    // Help and version are no errors; clap prints each to its proper stream.
    drop(error.print());
    if error.use_stderr() { Exit::Usage } else { Exit::Success }.into()
}

/// Arguments that were meant for a verb, or for nothing that exists, are told in the words of verbs.
fn refused_verb(error: &clap::Error) -> Option<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_unknown = error.kind() == ErrorKind::InvalidSubcommand;
    if !is_unknown && !cli_verbs::is_verb(arguments.first()?) {
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
        keyring: keyring::of_system(&SystemEnvironment),
        local_run: Arc::new(local_run::ThisProgram),
        engine: Arc::new(engine::ThisMachine),
        build: Build { version: version::number(), document: version::document() },
        has_warned: Arc::default(),
    })
}
