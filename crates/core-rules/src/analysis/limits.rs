//! The numbers of a metric, with what holds where they are absent.

use std::time::Duration;

use api_analysis::Metric;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// How many errors in a row are borne.
const CONSECUTIVE_ERRORS: i32 = 4;

/// The numbers of a metric. A limit is passed by the next higher count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// How many measurements are taken; `None` is without end.
    pub(super) count: Option<i32>,
    /// `None` when any number of failures is borne.
    pub(super) failures: Option<i32>,
    pub(super) inconclusive: i32,
    pub(super) consecutive_errors: i32,
    /// How many successes in a row end the metric well; `None` when they do not.
    pub(super) consecutive_successes: Option<i32>,
}

impl Limits {
    pub(super) fn of(metric: &Metric) -> Self {
        let count = number(metric.count.as_ref());
        let failures = number(metric.failure_limit.as_ref());
        let consecutive_errors = metric.consecutive_error_limit.as_ref();
        let successes = number(metric.consecutive_success_limit.as_ref());
        Self {
            count: match count {
                0 if metric.interval.is_empty() => Some(1),
                0 => None,
                count => Some(count),
            },
            failures: (failures >= 0).then_some(failures),
            inconclusive: number(metric.inconclusive_limit.as_ref()),
            consecutive_errors: consecutive_errors
                .map_or(CONSECUTIVE_ERRORS, |limit| number(Some(limit))),
            consecutive_successes: (successes > 0).then_some(successes),
        }
    }
}

/// A number that may be written as text; what is none counts as zero.
pub(super) fn number(value: Option<&IntOrString>) -> i32 {
    match value {
        Some(IntOrString::Int(number)) => *number,
        Some(IntOrString::String(text)) => text.trim().parse().unwrap_or_default(),
        None => 0,
    }
}

/// A span of time in Go's form; `None` for what is none, and below zero nothing is waited for.
pub(super) fn span(text: &str) -> Option<Duration> {
    let span: api_kinds::Duration = text.parse().ok()?;
    Some(Duration::try_from(span).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_numbers_have_their_meaning() {
        let limits =
            |metric: serde_json::Value| Limits::of(&serde_json::from_value(metric).unwrap());
        let plain = limits(json!({"name": "m"}));
        assert_eq!((plain.count, plain.failures), (Some(1), Some(0)));
        assert_eq!((plain.inconclusive, plain.consecutive_errors), (0, 4));
        assert_eq!(limits(json!({"interval": "1s"})).count, None);
        assert_eq!(limits(json!({"interval": "1s", "count": "3"})).count, Some(3));
        assert_eq!(limits(json!({"failureLimit": -1})).failures, None);
        assert_eq!(limits(json!({"consecutiveErrorLimit": "0"})).consecutive_errors, 0);
        assert_eq!(limits(json!({"count": "many"})).count, Some(1));
    }
}
