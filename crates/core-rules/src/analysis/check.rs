//! What is wrong with the metrics of a run, before anything is measured.

use std::collections::BTreeSet;

use api_analysis::{AnalysisRunSpec, Metric};
use core_expr::MetricCondition;
use core_pattern::UserRegex;

use super::{
    limits::{number, span},
    provider::Source,
};

/// How many metrics a run may have, and how many arguments and rules about them.
const MOST: usize = 100;

/// Why a run cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Nothing to measure.
    #[error("no metrics specified")]
    NoMetrics,
    /// More than anybody looks at.
    #[error("{field}: more than {MOST} entries")]
    TooMany {
        /// The list.
        field: &'static str,
    },
    /// A metric is wrong.
    #[error("metrics[{index}]: {problem}")]
    Metric {
        /// Which one.
        index: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A rule is about no metric.
    #[error("{field}[{index}]: Rule didn't match any metric name(s)")]
    NoMatch {
        /// The list of the rule.
        field: &'static str,
        /// Which one.
        index: usize,
    },
}

/// Checks how much there is, before any of it is looked at.
pub(super) fn sizes(spec: &AnalysisRunSpec) -> Result<(), SpecError> {
    let lists = [
        ("metrics", spec.metrics.len()),
        ("args", spec.args.len()),
        ("dryRun", spec.dry_run.len()),
        ("measurementRetention", spec.measurement_retention.len()),
    ];
    match lists.into_iter().find(|(_, length)| *length > MOST) {
        Some((field, _)) => Err(SpecError::TooMany { field }),
        None => Ok(()),
    }
}

/// Checks the metrics.
pub(super) fn metrics(metrics: &[Metric]) -> Result<(), SpecError> {
    if metrics.is_empty() {
        return Err(SpecError::NoMetrics);
    }
    let mut names = BTreeSet::new();
    for (index, metric) in metrics.iter().enumerate() {
        let problem = if names.insert(&metric.name) {
            problem(metric)
        } else {
            Some(format!("duplicate name '{}'", metric.name))
        };
        if let Some(problem) = problem {
            return Err(SpecError::Metric { index, problem });
        }
    }
    Ok(())
}

fn problem(metric: &Metric) -> Option<String> {
    numbers(metric)
        .or_else(|| times(metric))
        .or_else(|| conditions(metric))
        .or_else(|| Source::of(metric).err().map(|error| error.to_string()))
}

fn numbers(metric: &Metric) -> Option<String> {
    let count = number(metric.count.as_ref());
    let failures = number(metric.failure_limit.as_ref());
    let successes = number(metric.consecutive_success_limit.as_ref());
    let inconclusive = number(metric.inconclusive_limit.as_ref());
    let wrong = if successes < 0 {
        "consecutiveSuccessLimit must be >= 0"
    } else if failures < -1 {
        "failureLimit must be >= 0, or -1 to be disabled"
    } else if successes == 0 && failures == -1 {
        "failureLimit and consecutiveSuccessLimit cannot both be disabled"
    } else if inconclusive < 0 {
        "inconclusiveLimit must be >= 0"
    } else if metric.consecutive_error_limit.as_ref().is_some_and(|limit| number(Some(limit)) < 0) {
        "consecutiveErrorLimit must be >= 0"
    } else if count < 0 {
        "count must be >= 0"
    } else if count > 0 && failures < 0 && count < successes {
        "count must be >= consecutiveSuccessLimit"
    } else if count > 0 && failures >= 0 && count < failures.saturating_add(successes) {
        return Some(format!(
            "count ({count}) must be >= failureLimit + consecutiveSuccessLimit \
             ({failures} + {successes}) if both >= 0"
        ));
    } else if count > 0 && count < inconclusive {
        "count must be >= inconclusiveLimit"
    } else {
        return None;
    };
    Some(wrong.to_owned())
}

fn times(metric: &Metric) -> Option<String> {
    if number(metric.count.as_ref()) > 1 && metric.interval.is_empty() {
        return Some("interval must be specified when count > 1".to_owned());
    }
    let wrong = |name: &str, text: &str| {
        let is_wrong = !text.is_empty() && span(text).is_none();
        is_wrong.then(|| format!("invalid {name} string: \"{text}\" is not a duration such as 30s"))
    };
    wrong("interval", &metric.interval).or_else(|| wrong("initialDelay", &metric.initial_delay))
}

/// A condition that is no expression never holds: better told before anything is measured.
fn conditions(metric: &Metric) -> Option<String> {
    let wrong = |name: &str, text: &str| {
        let error = MetricCondition::compile(text).err()?;
        (!text.is_empty()).then(|| format!("invalid {name} \"{text}\": {error}"))
    };
    wrong("successCondition", &metric.success_condition)
        .or_else(|| wrong("failureCondition", &metric.failure_condition))
}

/// The metrics whose outcome does not count.
pub(super) fn dry_runs<'a>(
    spec: &AnalysisRunSpec,
    metrics: &'a [Metric],
) -> Result<BTreeSet<&'a str>, SpecError> {
    let mut names = BTreeSet::new();
    for (index, rule) in spec.dry_run.iter().enumerate() {
        let matched = matching(&rule.metric_name, metrics);
        if matched.is_empty() {
            return Err(SpecError::NoMatch { field: "dryRun", index });
        }
        names.extend(matched);
    }
    Ok(names)
}

/// How many measurements of which metrics are kept, where it is not the usual number. Of several
/// rules for a metric the last one counts.
pub(super) fn retentions<'a>(
    spec: &AnalysisRunSpec,
    metrics: &'a [Metric],
) -> Result<Vec<(&'a str, usize)>, SpecError> {
    let mut kept = Vec::new();
    for (index, rule) in spec.measurement_retention.iter().enumerate() {
        let matched = matching(&rule.metric_name, metrics);
        if matched.is_empty() {
            return Err(SpecError::NoMatch { field: "measurementRetention", index });
        }
        let limit = usize::try_from(rule.limit).unwrap_or_default();
        kept.extend(matched.into_iter().map(|name| (name, limit)));
    }
    Ok(kept)
}

/// The metrics that a rule is about: its name is a regular expression, or `*` for all.
fn matching<'a>(rule: &str, metrics: &'a [Metric]) -> Vec<&'a str> {
    let names = metrics.iter().map(|metric| metric.name.as_str());
    if rule == "*" {
        return names.collect();
    }
    let Ok(pattern) = UserRegex::parse(rule) else { return Vec::new() };
    names.filter(|name| pattern.is_match(name)).collect()
}
