//! Ranges of Prometheus: `rangeQuery` with times as expressions.

use std::time::Duration;

use api_analysis::PrometheusProvider;
use jiff::Timestamp;
use serde_json::Value;

use super::limits::span;

/// From when to when, and how often in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryRange {
    /// The first sample.
    pub start: Timestamp,
    /// The last one.
    pub end: Timestamp,
    /// The time between two of them.
    pub step: Duration,
}

/// Why a range is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// A time is none.
    #[error("failed to parse rangeQuery.{field} as time: {problem}")]
    Time {
        /// Which one.
        field: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The step is none.
    #[error("failed to parse rangeQuery.step as duration: {0:?} is not one such as 30s")]
    Step(String),
}

impl QueryRange {
    /// The range that a metric asks for, if it asks for one.
    pub fn of(prometheus: &PrometheusProvider, now: Timestamp) -> Result<Option<Self>, RangeError> {
        let Some(fields) = prometheus.rest.get("rangeQuery").and_then(Value::as_object) else {
            return Ok(None);
        };
        let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default();
        let time = |field: &'static str| {
            core_expr::time_of(text(field), now)
                .map_err(|error| RangeError::Time { field, problem: error.to_string() })
        };
        let step = span(text("step")).filter(|step| !step.is_zero());
        let step = step.ok_or_else(|| RangeError::Step(text("step").to_owned()))?;
        Ok(Some(Self { start: time("start")?, end: time("end")?, step }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn range(fields: &Value) -> Result<Option<QueryRange>, String> {
        let provider = json!({"query": "up", "rangeQuery": fields});
        let now = "2026-01-01T12:00:00Z".parse().unwrap();
        QueryRange::of(&serde_json::from_value(provider).unwrap(), now)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn times_of_a_range_are_expressions() {
        let fields = json!({"start": "now() - duration('1h')", "end": "now()", "step": "30s"});
        let found = range(&fields).unwrap().unwrap();
        assert_eq!(found.start.to_string(), "2026-01-01T11:00:00Z");
        assert_eq!(found.end.to_string(), "2026-01-01T12:00:00Z");
        assert_eq!(found.step, Duration::from_secs(30));
        assert_eq!(range(&Value::Null), Ok(None));
    }

    #[test]
    fn what_is_no_range_is_told() {
        let rows = [
            (json!({"start": "now()", "end": "now()"}), "rangeQuery.step as duration"),
            (json!({"start": "now()", "end": "now()", "step": "0s"}), "rangeQuery.step"),
            (
                json!({"start": "yesterday", "end": "now()", "step": "1s"}),
                "rangeQuery.start as time",
            ),
            (json!({"start": "now()", "step": "1s"}), "rangeQuery.end as time"),
        ];
        for (fields, expected) in rows {
            let error = range(&fields).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
