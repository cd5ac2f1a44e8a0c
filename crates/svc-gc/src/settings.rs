//! Settings, by the names that the chart gives them.

use std::{num::NonZeroUsize, str::FromStr, time::Duration};

use core_clock::Environment;
use core_rules::retention::{Limit, Policy, Reckoning};

/// A variable has a value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {value:?} is not {expected}")]
pub struct SettingError {
    variable: &'static str,
    value: String,
    expected: &'static str,
}

/// Whether anything is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// What goes is deleted.
    #[default]
    Delete,
    /// What would go is only reported.
    DryRun,
}

/// What the collector is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many Projects are looked at together.
    pub workers: NonZeroUsize,
    /// What is kept.
    pub policy: Policy,
    /// Whether there are AnalysisRuns.
    pub analysis_runs: bool,
    /// How many objects are deleted per second at most.
    pub deletes_per_second: NonZeroUsize,
    /// How long after one run the next one starts, where runs are repeated.
    pub interval: Duration,
    /// Whether anything is deleted.
    pub mode: Mode,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: NonZeroUsize::MIN.saturating_add(2),
            policy: Policy::default(),
            analysis_runs: true,
            deletes_per_second: NonZeroUsize::MIN.saturating_add(19),
            interval: Duration::from_hours(1),
            mode: Mode::Delete,
        }
    }
}

impl Settings {
    /// Reads the variables; what is not set, or empty, has its default.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables(environment);
        let default = Self::default();
        let is_strict = variables.flag("GC_STRICT_COMPAT", false)?;
        let policy = Policy {
            promotions: Limit {
                max: variables.number("MAX_RETAINED_PROMOTIONS", default.policy.promotions.max)?,
                min_age: variables
                    .age("MIN_PROMOTION_DELETION_AGE", default.policy.promotions.min_age)?,
            },
            freight: Limit {
                max: variables.number("MAX_RETAINED_FREIGHT", default.policy.freight.max)?,
                min_age: variables
                    .age("MIN_FREIGHT_DELETION_AGE", default.policy.freight.min_age)?,
            },
            analysis_runs: Limit {
                max: variables
                    .number("MAX_RETAINED_ANALYSIS_RUNS", default.policy.analysis_runs.max)?,
                min_age: variables
                    .age("MIN_ANALYSIS_RUN_DELETION_AGE", default.policy.analysis_runs.min_age)?,
            },
            reckoning: if is_strict { Reckoning::ByPosition } else { Reckoning::ByUse },
            keep_aliased: variables.flag("GC_KEEP_ALIASED", default.policy.keep_aliased)?,
        };
        Ok(Self {
            workers: variables.count("NUM_WORKERS", default.workers)?,
            policy,
            analysis_runs: variables.flag("ROLLOUTS_INTEGRATION_ENABLED", default.analysis_runs)?,
            deletes_per_second: variables
                .count("GC_DELETES_PER_SECOND", default.deletes_per_second)?,
            interval: variables.interval("GC_INTERVAL", default.interval)?,
            mode: default.mode,
        })
    }
}

struct Variables<'a>(&'a dyn Environment);

impl Variables<'_> {
    fn number(&self, variable: &'static str, default: usize) -> Result<usize, SettingError> {
        self.read(variable, default, "a number, 0 or more", |text| text.parse().ok())
    }

    fn count(
        &self,
        variable: &'static str,
        default: NonZeroUsize,
    ) -> Result<NonZeroUsize, SettingError> {
        self.read(variable, default, "a number, 1 or more", |text| text.parse().ok())
    }

    fn age(&self, variable: &'static str, default: Duration) -> Result<Duration, SettingError> {
        self.read(variable, default, "a duration such as 336h", duration)
    }

    fn interval(
        &self,
        variable: &'static str,
        default: Duration,
    ) -> Result<Duration, SettingError> {
        let read = |text: &str| duration(text).filter(|duration| !duration.is_zero());
        self.read(variable, default, "a duration such as 1h, above 0", read)
    }

    fn flag(&self, variable: &'static str, default: bool) -> Result<bool, SettingError> {
        self.read(variable, default, "true or false", |text| match text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
            _ => None,
        })
    }

    fn read<T>(
        &self,
        variable: &'static str,
        default: T,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SettingError> {
        match self.0.var(variable).filter(|value| !value.is_empty()) {
            None => Ok(default),
            Some(value) => read(&value).ok_or(SettingError { variable, value, expected }),
        }
    }
}

fn duration(text: &str) -> Option<Duration> {
    api_kinds::Duration::from_str(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let environment: FixedEnvironment = variables.iter().copied().collect();
        Settings::from_environment(&environment)
    }

    #[test]
    fn nothing_set_gives_the_defaults_of_the_chart() {
        let settings = settings(&[("NUM_WORKERS", "")]).unwrap();
        assert_eq!(settings, Settings::default());
        assert_eq!(settings.workers.get(), 3);
        assert_eq!(settings.policy.freight.max, 20);
        assert_eq!(settings.policy.promotions.min_age, Duration::from_hours(336));
    }

    #[test]
    fn what_is_set_counts() {
        let settings = settings(&[
            ("NUM_WORKERS", "7"),
            ("MAX_RETAINED_PROMOTIONS", "0"),
            ("MIN_FREIGHT_DELETION_AGE", "1h30m"),
            ("GC_STRICT_COMPAT", "true"),
            ("ROLLOUTS_INTEGRATION_ENABLED", "false"),
        ])
        .unwrap();
        assert_eq!(settings.workers.get(), 7);
        assert_eq!(settings.policy.promotions.max, 0);
        assert_eq!(settings.policy.freight.min_age, Duration::from_mins(90));
        assert_eq!(settings.policy.reckoning, Reckoning::ByPosition);
        assert!(!settings.analysis_runs);
    }

    #[test]
    fn a_bad_value_is_refused_with_the_name_of_its_variable() {
        for (variable, value) in [
            ("NUM_WORKERS", "0"),
            ("NUM_WORKERS", "three"),
            ("MAX_RETAINED_FREIGHT", "-1"),
            ("MIN_PROMOTION_DELETION_AGE", "2 weeks"),
            ("MIN_PROMOTION_DELETION_AGE", "-1h"),
            ("GC_STRICT_COMPAT", "perhaps"),
            ("GC_DELETES_PER_SECOND", "0"),
            ("GC_INTERVAL", "0s"),
        ] {
            let error = settings(&[(variable, value)]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{variable}: {value:?} is not ")), "{error}");
        }
    }
}
