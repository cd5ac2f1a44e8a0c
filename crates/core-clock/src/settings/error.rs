//! What is wrong with a setting.

use std::fmt;

/// How much of a value is repeated; the rest would not help to find it.
const SHOWN: usize = 64;

/// A variable has a value that cannot be used, or has none where it must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    variable: &'static str,
    value: Option<String>,
    accepted: String,
}

impl SettingError {
    /// `value` is not what is `accepted`.
    pub fn refused(variable: &'static str, value: &str, accepted: &str) -> Self {
        let value = value.chars().take(SHOWN).collect();
        Self { variable, value: Some(value), accepted: accepted.to_owned() }
    }

    /// The variable must be set to what is `accepted`.
    pub fn missing(variable: &'static str, accepted: &str) -> Self {
        Self { variable, value: None, accepted: accepted.to_owned() }
    }

    /// The variable to look at.
    pub fn variable(&self) -> &'static str {
        self.variable
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, value, accepted } = self;
        match value {
            // Quoted, so that a line break in the value does not break the line.
            Some(value) => write!(f, "{variable}: {value:?} is not {accepted}"),
            None => write!(f, "{variable}: must be set to {accepted}"),
        }
    }
}

impl std::error::Error for SettingError {}
