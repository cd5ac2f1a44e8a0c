//! Logs: one line per record on stderr, in the console or JSON form that operators of the reference grep for.

mod format;

use core_clock::{Environment, SettingError, Variables};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{Layer, filter::Targets, layer::SubscriberExt, util::SubscriberInitExt};

pub use format::{Form, LineFormat};

/// Warnings have no name of their own: they are written with everything but `error` and `discard`.
const LEVELS: [(&str, LevelFilter); 5] = [
    ("discard", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];
const FORMS: [(&str, Form); 2] = [("console", Form::Console), ("json", Form::Json)];

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
        let variables = Variables::new(environment);
        Ok(Self {
            level: variables.choice("LOG_LEVEL", &LEVELS, LevelFilter::INFO)?,
            form: variables.choice("LOG_FORMAT", &FORMS, Form::Console)?,
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
            "LOG_LEVEL: \"loud\" is not one of discard, error, info, debug, trace"
        );
    }
}
