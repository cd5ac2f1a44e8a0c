//! Files of objects that commands without a server read, and how they print what came of them.

use std::{
    fmt::Display,
    io::{Read, Write},
    path::Path,
};

use serde::Serialize;

use crate::exit::{Exit, Failure};

/// More than a file of objects ever has.
const MAX_BYTES: u64 = 4 * 1024 * 1024 + 1;

/// How a result is printed.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Text,
    Json,
    Yaml,
}

/// The text of a file; `-` is standard input.
pub(crate) fn read_file(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let taken = if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_BYTES).read_to_string(&mut text)
    } else {
        let opened = std::fs::File::open(file);
        opened.and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text))
    };
    taken.map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
    Ok(text)
}

/// Prints a report to standard output.
pub(crate) fn print_as(report: &(impl Display + Serialize), output: Output) -> Result<(), Failure> {
    let failed = |error: &dyn std::error::Error| Failure::new(Exit::Error, error.to_string());
    let text = match output {
        Output::Text => report.to_string(),
        Output::Json => {
            serde_json::to_string_pretty(report).map_err(|error| failed(&error))? + "\n"
        }
        Output::Yaml => {
            let value = serde_json::to_value(report).map_err(|error| failed(&error))?;
            api_kinds::crd::to_yaml(&value).map_err(|error| failed(&error))?
        }
    };
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}
