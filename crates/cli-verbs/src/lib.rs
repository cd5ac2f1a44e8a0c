//! The verbs of the command line.
//!
//! A verb reads its arguments, asks the server through `cli-client` and shows the result. All it touches of the machine
//! is in [`Env`]. Arguments, messages and output are those of the reference where scripts may depend on them.

mod cobra;
mod config;
mod env;
mod exit;
mod heed;
mod manifest;
mod output;
pub mod ports;
mod scope_args;
mod session;
mod verb;

use clap::{ArgMatches, CommandFactory as _, Parser};

pub use cobra::translate;
pub use env::{Build, Env};
pub use exit::{CliResult, Exit, Failure};
pub use verb::Verb;

use crate::output::PrintArgs;

/// The verbs alone, for their usage.
#[derive(Parser)]
#[command(name = "kargo", disable_help_subcommand = true)]
struct Verbs {
    #[command(subcommand)]
    verb: Verb,
}

/// Carries out the verb that was read from `matches`. What went wrong is told; its exit code is returned.
pub async fn run(env: &Env, verb: Verb, matches: &ArgMatches) -> Result<(), Exit> {
    let command = innermost(matches);
    // Nobody should log in for a result that could not be shown.
    let done = match PrintArgs::check(command) {
        Ok(()) => verb::run(env, verb).await,
        Err(failure) => Err(failure),
    };
    let Err(failure) = done else { return Ok(()) };
    // The streams may be what failed.
    let _ = tell(env, &failure, is_verbose(command));
    Err(failure.exit)
}

/// The arguments of the command that was meant, such as those of `stages` in `kargo get stages`.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    match matches.subcommand() {
        Some((_, command)) => innermost(command),
        None => matches,
    }
}

/// Whether the user wants to know more about refusals; not every command has something to say.
fn is_verbose(command: &ArgMatches) -> bool {
    command.try_get_one::<bool>("verbose").ok().flatten().is_some_and(|verbose| *verbose)
}

/// Tells a failure: its message, then what may help.
pub fn tell(env: &Env, failure: &Failure, is_verbose: bool) -> std::io::Result<()> {
    if let Some(usage) = failure.usage_of.and_then(usage) {
        env.streams.out(&usage)?;
    }
    if !failure.message.is_empty() {
        env.streams.err(&format!("Error: {}\n", failure.message))?;
    }
    if let Some(details) = failure.details.as_ref().filter(|_| is_verbose) {
        env.streams.err(&format!("Details: {details}\n"))?;
    }
    match &failure.hint {
        Some(hint) => env.streams.err(&format!("Hint: {hint}\n")),
        None => Ok(()),
    }
}

/// Whether a word is one of the verbs.
pub fn is_verb(word: &str) -> bool {
    Verbs::command().find_subcommand(word).is_some()
}

/// The path of the command that arguments mean, as far as they mean one: `kargo get stages`.
pub fn command_path<'a>(arguments: impl IntoIterator<Item = &'a str>) -> String {
    let root = Verbs::command();
    let mut command = &root;
    let mut path = "kargo".to_owned();
    for argument in arguments {
        match command.find_subcommand(argument) {
            Some(found) => {
                path = format!("{path} {}", found.get_name());
                command = found;
            }
            None => break,
        }
    }
    path
}

fn usage(command: &str) -> Option<String> {
    let mut root = Verbs::command();
    root.build();
    let mut found = &mut root;
    for word in command.split(' ') {
        found = found.find_subcommand_mut(word)?;
    }
    Some(format!("{}\n\n", found.render_usage()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_whole() {
        Verbs::command().debug_assert();
    }

    #[test]
    fn a_command_is_known_by_its_path() {
        assert_eq!(command_path(["get", "promos", "x"]), "kargo get promotions");
        assert!(usage("delete stage").unwrap().starts_with("Usage: kargo delete stage"));
        assert!(is_verb("promote") && !is_verb("up"));
    }
}
