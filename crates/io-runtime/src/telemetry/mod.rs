//! Logs: one line per record on stderr, in the console or JSON form that operators of the reference grep for.

mod format;

use core_clock::Environment;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{Layer, filter::Targets, layer::SubscriberExt, util::SubscriberInitExt};

pub use format::{Form, LineFormat};

/// `LOG_LEVEL` or `LOG_FORMAT` has a value we do not know.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: unknown value {value:?}; use one of {choices}")]
pub struct SettingError {
    variable: &'static str,
    value: String,
    choices: &'static str,
}

/// What to log, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The least important level that is written.
    pub level: LevelFilter,
    /// Console or JSON.
    pub form: Form,
}

impl Settings {
    /// Reads `LOG_LEVEL` (default `info`) and `LOG_FORMAT` (default `console`).
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let level = environment.var("LOG_LEVEL").unwrap_or_else(|| "info".into());
        let form = environment.var("LOG_FORMAT").unwrap_or_else(|| "console".into());
        Ok(Self {
            level: match level.to_ascii_lowercase().as_str() {
                "discard" => LevelFilter::OFF,
                "error" => LevelFilter::ERROR,
                "info" => LevelFilter::INFO,
                "debug" => LevelFilter::DEBUG,
                "trace" => LevelFilter::TRACE,
                _ => return Err(unknown("LOG_LEVEL", level, "discard, error, info, debug, trace")),
            },
            form: match form.to_ascii_lowercase().as_str() {
                "console" => Form::Console,
                "json" => Form::Json,
                _ => return Err(unknown("LOG_FORMAT", form, "console, json")),
            },
        })
    }

    /// Starts logging for the whole process; a second call changes nothing.
    pub fn install(self) {
        // Libraries speak up only when something is wrong; their debug chatter drowns ours.
        let quiet = self.level.min(LevelFilter::WARN);
        let filter = Targets::new().with_default(self.level).with_targets(
            ["h2", "hyper", "hyper_util", "rustls", "tower", "kube"].map(|target| (target, quiet)),
        );
        let lines = tracing_subscriber::fmt::layer()
            .event_format(LineFormat::new(self.form))
            .with_writer(std::io::stderr)
            .with_filter(filter);
        drop(tracing_subscriber::registry().with(lines).try_init());
    }
}

fn unknown(variable: &'static str, value: String, choices: &'static str) -> SettingError {
    SettingError { variable, value, choices }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn settings(vars: &[(&str, &str)]) -> Result<Settings, SettingError> {
        Settings::from_environment(&vars.iter().copied().collect::<FixedEnvironment>())
    }

    #[test]
    fn defaults_and_any_letter_case_are_understood() {
        let default = settings(&[]).unwrap();
        assert_eq!((default.level, default.form), (LevelFilter::INFO, Form::Console));
        let other = settings(&[("LOG_LEVEL", "DEBUG"), ("LOG_FORMAT", "Json")]).unwrap();
        assert_eq!((other.level, other.form), (LevelFilter::DEBUG, Form::Json));
    }

    #[test]
    fn an_unknown_value_names_the_variable_and_the_choices() {
        assert_eq!(
            settings(&[("LOG_LEVEL", "loud")]).unwrap_err().to_string(),
            "LOG_LEVEL: unknown value \"loud\"; use one of discard, error, info, debug, trace"
        );
    }
}
