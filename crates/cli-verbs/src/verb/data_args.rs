//! Objects that are made of entries: ConfigMaps and credentials of any kind.

use std::collections::BTreeMap;

use crate::{
    cobra,
    exit::{CliResult, Failure},
    output::PrintArgs,
    scope_args::AnyScopeArgs,
    session::ConnectionArgs,
};

/// An object and its entries
#[derive(clap::Args, Debug)]
pub(super) struct DataArgs {
    /// The object
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    pub(super) scope: AnyScopeArgs,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,
    /// An entry to set; repeat it for more
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    pub(super) print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

impl DataArgs {
    /// The name of the object, once its flags agree with each other.
    pub(super) fn name(&self, command: &'static str) -> CliResult<&str> {
        let name = cobra::exactly_one(&self.names, command)?;
        self.scope.check()?;
        Ok(name)
    }

    /// Entries as `key=value`; the value may have an `=` of its own.
    pub(super) fn entries(&self) -> CliResult<BTreeMap<String, String>> {
        self.set.iter().map(|text| entry(text)).collect()
    }
}

fn entry(text: &str) -> CliResult<(String, String)> {
    let wrong = |why: &str| Failure::usage(format!("invalid --set format {text:?}: {why}"));
    let (key, value) = text.split_once('=').ok_or_else(|| wrong("expected key=value"))?;
    let key = key.trim();
    if key.is_empty() {
        return Err(wrong("key cannot be empty"));
    }
    Ok((key.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_trimmed_and_may_hold_equal_signs() {
        let read = |text| entry(text).map_err(|failure| failure.message);
        assert_eq!(read(" a = b=c ").unwrap(), ("a".to_owned(), "b=c".to_owned()));
        assert_eq!(read("d=").unwrap(), ("d".to_owned(), String::new()));
        assert_eq!(read("x").unwrap_err(), "invalid --set format \"x\": expected key=value");
        assert_eq!(read(" =x").unwrap_err(), "invalid --set format \" =x\": key cannot be empty");
    }
}
