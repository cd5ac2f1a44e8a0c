//! Settings, by the names that the chart gives them.

use std::{num::NonZeroUsize, time::Duration};

use core_clock::{Environment, SettingError, Variables};
use core_rules::retention::{Limit, Policy, Reckoning};

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
        let variables = Variables::new(environment);
        let default = Self::default();
        let count = |variable, default| variables.count(variable, NonZeroUsize::MIN.., default);
        Ok(Self {
            workers: count("NUM_WORKERS", default.workers)?,
            policy: policy(variables, default.policy)?,
            analysis_runs: variables.flag("ROLLOUTS_INTEGRATION_ENABLED", default.analysis_runs)?,
            deletes_per_second: count("GC_DELETES_PER_SECOND", default.deletes_per_second)?,
            interval: variables.interval("GC_INTERVAL", default.interval)?,
            mode: default.mode,
        })
    }
}

fn policy(variables: Variables<'_>, default: Policy) -> Result<Policy, SettingError> {
    let limit = |max, min_age, default| limit(variables, max, min_age, default);
    let is_strict = variables.flag("GC_STRICT_COMPAT", false)?;
    Ok(Policy {
        promotions: limit(
            "MAX_RETAINED_PROMOTIONS",
            "MIN_PROMOTION_DELETION_AGE",
            default.promotions,
        )?,
        freight: limit("MAX_RETAINED_FREIGHT", "MIN_FREIGHT_DELETION_AGE", default.freight)?,
        analysis_runs: limit(
            "MAX_RETAINED_ANALYSIS_RUNS",
            "MIN_ANALYSIS_RUN_DELETION_AGE",
            default.analysis_runs,
        )?,
        reckoning: if is_strict { Reckoning::ByPosition } else { Reckoning::ByUse },
        keep_aliased: variables.flag("GC_KEEP_ALIASED", default.keep_aliased)?,
    })
}

fn limit(
    variables: Variables<'_>,
    max: &'static str,
    min_age: &'static str,
    default: Limit,
) -> Result<Limit, SettingError> {
    Ok(Limit {
        max: variables.count(max, 0.., default.max)?,
        min_age: variables.duration(min_age, default.min_age)?,
    })
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
        let lines = [
            ("NUM_WORKERS", "0"),
            ("NUM_WORKERS", "three"),
            ("MAX_RETAINED_FREIGHT", "-1"),
            ("MIN_PROMOTION_DELETION_AGE", "2 weeks"),
            ("MIN_PROMOTION_DELETION_AGE", "-1h"),
            ("GC_STRICT_COMPAT", "perhaps"),
            ("GC_DELETES_PER_SECOND", "0"),
            ("GC_INTERVAL", "0s"),
        ]
        .map(|variable| settings(&[variable]).unwrap_err().to_string());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        NUM_WORKERS: "0" is not a number, 1 or more
        NUM_WORKERS: "three" is not a number, 1 or more
        MAX_RETAINED_FREIGHT: "-1" is not a number, 0 or more
        MIN_PROMOTION_DELETION_AGE: "2 weeks" is not a duration such as 90s or 1h30m
        MIN_PROMOTION_DELETION_AGE: "-1h" is not a duration such as 90s or 1h30m
        GC_STRICT_COMPAT: "perhaps" is not true or false
        GC_DELETES_PER_SECOND: "0" is not a number, 1 or more
        GC_INTERVAL: "0s" is not a duration above zero, such as 90s or 1h30m
        "#);
    }
}
