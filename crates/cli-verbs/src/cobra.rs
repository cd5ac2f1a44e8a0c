//! The checks of arguments that scripts know by their words, which are those of the reference's library.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::{CliResult, Exit, Failure};

/// A flag, and whether it was given.
pub(crate) type Given = (&'static str, bool);

/// All of these must be given.
pub(crate) fn required(flags: &[Given]) -> CliResult {
    let mut missing: Vec<&str> = names(flags, false);
    missing.sort_unstable();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(format!("required flag(s) \"{}\" not set", missing.join("\", \""))))
}

/// At least one of these must be given.
pub(crate) fn one_required(flags: &[Given]) -> CliResult {
    if flags.iter().any(|(_, given)| *given) {
        return Ok(());
    }
    let group = group(flags);
    Err(Failure::usage(format!("at least one of the flags in the group [{group}] is required")))
}

/// At most one of these may be given.
pub(crate) fn exclusive(flags: &[Given]) -> CliResult {
    let mut given = names(flags, true);
    if given.len() < 2 {
        return Ok(());
    }
    given.sort_unstable();
    Err(Failure::usage(format!(
        "if any flags in the group [{}] are set none of the others can be; [{}] were all set",
        group(flags),
        given.join(" ")
    )))
}

/// All of these or none.
pub(crate) fn together(flags: &[Given]) -> CliResult {
    let mut missing = names(flags, false);
    if missing.is_empty() || missing.len() == flags.len() {
        return Ok(());
    }
    missing.sort_unstable();
    Err(Failure::usage(format!(
        "if any flags in the group [{}] are set they must all be set; missing [{}]",
        group(flags),
        missing.join(" ")
    )))
}

/// The one argument of a command.
pub(crate) fn exactly_one<'a>(
    arguments: &'a [String],
    command: &'static str,
) -> CliResult<&'a str> {
    match arguments {
        [one] => Ok(one),
        _ => Err(counted(format!("accepts 1 arg(s), received {}", arguments.len()), command)),
    }
}

/// The argument of a command, if there is one.
pub(crate) fn at_most_one<'a>(
    arguments: &'a [String],
    command: &'static str,
) -> CliResult<Option<&'a str>> {
    match arguments {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            Err(counted(format!("accepts at most 1 arg(s), received {}", arguments.len()), command))
        }
    }
}

/// The arguments of a command that needs some.
pub(crate) fn at_least_one(arguments: &[String], command: &'static str) -> CliResult<Vec<String>> {
    if arguments.is_empty() {
        let message = "requires at least 1 arg(s), only received 0".to_owned();
        return Err(counted(message, command));
    }
    Ok(distinct(arguments))
}

/// Names as they were given; only what repeats its neighbour is dropped.
pub(crate) fn distinct(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.dedup();
    names
}

/// What the parser of arguments has to say, in the words that scripts know.
pub fn translate(error: &clap::Error, path: &str) -> Failure {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = text(ContextKind::InvalidArg);
    let flag = argument.split([' ', '=']).next().unwrap_or_default().to_owned();
    let message = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            format!("unknown command {:?} for {path:?}", text(ContextKind::InvalidSubcommand))
        }
        ErrorKind::UnknownArgument if flag.starts_with("--") => format!("unknown flag: {flag}"),
        ErrorKind::UnknownArgument if flag.starts_with('-') => {
            let letter: String = flag.chars().skip(1).take(1).collect();
            format!("unknown shorthand flag: '{letter}' in {flag}")
        }
        ErrorKind::UnknownArgument => format!("unknown command {argument:?} for {path:?}"),
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => {
            format!("flag needs an argument: {flag}")
        }
        ErrorKind::InvalidValue => {
            let (given, known) = (text(ContextKind::InvalidValue), text(ContextKind::ValidValue));
            let flag = flag.trim_end_matches('[');
            format!("invalid argument {given:?} for {flag:?} flag: must be one of {known}")
        }
        ErrorKind::ValueValidation => {
            let why = error.source().map(ToString::to_string).unwrap_or_default();
            let given = text(ContextKind::InvalidValue);
            format!("invalid argument {given:?} for {flag:?} flag: {why}")
        }
        _ => first_line(error),
    };
    Failure { hint: Some(suggestion(error, path)), ..Failure::new(Exit::Usage, message) }
}

/// What may have been meant, else where to look it up.
fn suggestion(error: &clap::Error, path: &str) -> String {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg];
    let meant = kinds.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        // The likeliest one is the last.
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    });
    match meant {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("`{path} --help` tells what there is"),
    }
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

fn counted(message: String, command: &'static str) -> Failure {
    Failure { usage_of: Some(command), ..Failure::usage(message) }
}

fn names(flags: &[Given], given: bool) -> Vec<&'static str> {
    flags.iter().filter(|flag| flag.1 == given).map(|flag| flag.0).collect()
}

fn group(flags: &[Given]) -> String {
    let names: Vec<&str> = flags.iter().map(|flag| flag.0).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: CliResult) -> String {
        result.unwrap_err().message
    }

    #[test]
    fn missing_and_quarrelling_flags_are_told_in_known_words() {
        assert_eq!(
            message(required(&[("stage", false), ("role", false), ("x", true)])),
            "required flag(s) \"role\", \"stage\" not set"
        );
        assert_eq!(
            message(one_required(&[("name", false), ("alias", false)])),
            "at least one of the flags in the group [name alias] is required"
        );
        assert_eq!(
            message(exclusive(&[("b", true), ("a", true), ("c", false)])),
            "if any flags in the group [b a c] are set none of the others can be; [a b] were all set"
        );
        assert_eq!(
            message(together(&[("a", true), ("b", false)])),
            "if any flags in the group [a b] are set they must all be set; missing [b]"
        );
    }

    #[test]
    fn wrong_counts_come_with_the_usage() {
        let failure = exactly_one(&[], "logs").unwrap_err();
        assert_eq!(failure.message, "accepts 1 arg(s), received 0");
        assert_eq!(failure.usage_of, Some("logs"));
        let two = ["a".to_owned(), "b".to_owned()];
        let failure = at_most_one(&two, "login").unwrap_err();
        assert_eq!(failure.message, "accepts at most 1 arg(s), received 2");
        let failure = at_least_one(&[], "delete stage").unwrap_err();
        assert_eq!(failure.message, "requires at least 1 arg(s), only received 0");
    }

    #[test]
    fn only_neighbours_that_repeat_are_dropped() {
        let names: Vec<String> = ["a", "a", "b", "a"].map(str::to_owned).to_vec();
        assert_eq!(distinct(&names), ["a", "b", "a"]);
    }
}
