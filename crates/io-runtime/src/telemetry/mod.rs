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

/// Libraries that speak up only when something is wrong; their debug chatter drowns ours.
const LIBRARIES: [&str; 5] = ["h2", "hyper", "hyper_util", "rustls", "tower"];
/// The client of the Kubernetes API, whose level is a setting of its own.
const KUBERNETES: &str = "kube";

/// What to log, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The least important level that is written.
    pub level: LevelFilter,
    /// The same for the client of the Kubernetes API.
    pub kubernetes_level: LevelFilter,
    /// Console or JSON.
    pub form: Form,
    /// The shard that this process serves, which every record names.
    pub shard: Option<String>,
}

impl Settings {
    /// Reads `LOG_LEVEL` (default `info`), `LOG_FORMAT` (default `console`), `KLOG_LEVEL` (default 0) and `SHARD_NAME`.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let level = variables.choice("LOG_LEVEL", &LEVELS, LevelFilter::INFO)?;
        let verbosity = variables.count("KLOG_LEVEL", 0_u8.., 0)?;
        Ok(Self {
            level,
            kubernetes_level: kubernetes_level(level, verbosity),
            form: variables.choice("LOG_FORMAT", &FORMS, Form::Console)?,
            shard: variables.text("SHARD_NAME"),
        })
    }

    /// Starts logging for the whole process; a second call changes nothing.
    pub fn install(self) {
        let quiet = self.level.min(LevelFilter::WARN);
        let filter = Targets::new()
            .with_default(self.level)
            .with_targets(LIBRARIES.map(|target| (target, quiet)))
            .with_target(KUBERNETES, self.kubernetes_level);
        let lines = tracing_subscriber::fmt::layer()
            .event_format(LineFormat::new(self.form, self.shard))
            .with_writer(std::io::stderr)
            .with_filter(filter);
        drop(tracing_subscriber::registry().with(lines).try_init());
    }
}

/// What a verbosity of Kubernetes' own logger means here. Nothing is written when all is discarded.
fn kubernetes_level(level: LevelFilter, verbosity: u8) -> LevelFilter {
    match verbosity {
        _ if level == LevelFilter::OFF => level,
        0 => level.min(LevelFilter::WARN),
        1..=3 => LevelFilter::INFO,
        4..=5 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
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
    fn the_client_of_the_api_has_a_verbosity_of_its_own() {
        let level = |vars: &[(&str, &str)]| settings(vars).unwrap().kubernetes_level;
        assert_eq!(level(&[]), LevelFilter::WARN);
        assert_eq!(level(&[("LOG_LEVEL", "error")]), LevelFilter::ERROR);
        assert_eq!(level(&[("KLOG_LEVEL", "2")]), LevelFilter::INFO);
        assert_eq!(level(&[("KLOG_LEVEL", "4")]), LevelFilter::DEBUG);
        assert_eq!(level(&[("KLOG_LEVEL", "10")]), LevelFilter::TRACE);
        assert_eq!(level(&[("KLOG_LEVEL", "10"), ("LOG_LEVEL", "discard")]), LevelFilter::OFF);
    }

    #[test]
    fn an_unknown_value_names_the_variable_and_the_choices() {
        let lines = [("LOG_LEVEL", "loud"), ("LOG_FORMAT", "xml"), ("KLOG_LEVEL", "-1")]
            .map(|variable| settings(&[variable]).unwrap_err().to_string());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        LOG_LEVEL: "loud" is not one of discard, error, info, debug, trace
        LOG_FORMAT: "xml" is not one of console, json
        KLOG_LEVEL: "-1" is not a number, 0 or more
        "#);
    }
}
