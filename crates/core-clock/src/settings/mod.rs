//! Settings: variables read by name, and refused by name in one line.
//!
//! Every component reads its settings through [`Variables`], so that the same text means the same everywhere and a bad
//! value is told in the same words: which variable, which value, what would be accepted.

mod error;

use std::{
    fmt::Display,
    ops::{Bound, RangeBounds},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

pub use error::SettingError;

use crate::Environment;

/// The variables of an [`Environment`]; an empty value counts as unset.
#[derive(Clone, Copy)]
pub struct Variables<'a>(&'a dyn Environment);

impl<'a> Variables<'a> {
    /// The variables of `environment`.
    pub fn new(environment: &'a dyn Environment) -> Self {
        Self(environment)
    }

    /// Any text.
    pub fn text(&self, variable: &str) -> Option<String> {
        self.0.var(variable).filter(|value| !value.is_empty())
    }

    /// Any text, or what counts without one.
    pub fn text_or(&self, variable: &str, default: &str) -> String {
        self.text(variable).unwrap_or_else(|| default.to_owned())
    }

    /// A text that must be there; `accepted` goes on after "must be set to".
    pub fn required(&self, variable: &'static str, accepted: &str) -> Result<String, SettingError> {
        self.text(variable).ok_or_else(|| SettingError::missing(variable, accepted))
    }

    /// The path of a file or directory.
    pub fn path(&self, variable: &str) -> Option<PathBuf> {
        self.text(variable).map(PathBuf::from)
    }

    /// Texts between commas, without the blanks around them; none when unset.
    pub fn list(&self, variable: &str) -> Vec<String> {
        let text = self.text(variable).unwrap_or_default();
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        items.map(str::to_owned).collect()
    }

    /// Yes or no, in any of the spellings that Go's `ParseBool` takes.
    pub fn flag(&self, variable: &'static str, default: bool) -> Result<bool, SettingError> {
        let parse = |text: &str| match text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
            _ => None,
        };
        self.parsed(variable, "true or false", parse, default)
    }

    /// A number within `range`: `1..`, `1..=256`.
    pub fn count<T: FromStr + PartialOrd + Display>(
        &self,
        variable: &'static str,
        range: impl RangeBounds<T>,
        default: T,
    ) -> Result<T, SettingError> {
        let parse = |text: &str| text.parse().ok().filter(|number| range.contains(number));
        self.parsed(variable, &numbers_of(&range), parse, default)
    }

    /// A length of time as Go writes it, such as `1h30m`; zero is one.
    pub fn duration(
        &self,
        variable: &'static str,
        default: Duration,
    ) -> Result<Duration, SettingError> {
        self.parsed(variable, "a duration such as 90s or 1h30m", duration_of, default)
    }

    /// A length of time as Go writes it that must not be zero.
    pub fn interval(
        &self,
        variable: &'static str,
        default: Duration,
    ) -> Result<Duration, SettingError> {
        let parse = |text: &str| duration_of(text).filter(|time| !time.is_zero());
        self.parsed(variable, "a duration above zero, such as 90s or 1h30m", parse, default)
    }

    /// One of a few words, in any letter case.
    pub fn choice<T: Copy>(
        &self,
        variable: &'static str,
        choices: &[(&str, T)],
        default: T,
    ) -> Result<T, SettingError> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let accepted = format!("one of {}", names.join(", "));
        let named = |text: &str| choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        self.parsed(variable, &accepted, |text| named(text).map(|(_, choice)| *choice), default)
    }

    /// Anything that `parse` can read; `accepted` says what that is, after "is not".
    pub fn parsed<T>(
        &self,
        variable: &'static str,
        accepted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        default: T,
    ) -> Result<T, SettingError> {
        match self.text(variable) {
            None => Ok(default),
            Some(text) => {
                parse(&text).ok_or_else(|| SettingError::refused(variable, &text, accepted))
            }
        }
    }
}

fn duration_of(text: &str) -> Option<Duration> {
    let nanos = core_duration::parse(text).ok()?;
    u64::try_from(nanos).ok().map(Duration::from_nanos)
}

/// The numbers of a range, in words.
fn numbers_of<T: Display>(range: &impl RangeBounds<T>) -> String {
    let least = match range.start_bound() {
        Bound::Included(least) | Bound::Excluded(least) => Some(least),
        Bound::Unbounded => None,
    };
    match (least, range.end_bound()) {
        (None, Bound::Unbounded) => "a number".to_owned(),
        (None, Bound::Included(most)) => format!("a number up to {most}"),
        (None, Bound::Excluded(most)) => format!("a number below {most}"),
        (Some(least), Bound::Unbounded) => format!("a number, {least} or more"),
        (Some(least), Bound::Included(most)) => format!("a number from {least} to {most}"),
        (Some(least), Bound::Excluded(most)) => format!("a number, {least} or more, below {most}"),
    }
}

#[cfg(test)]
mod tests;
