//! What a provider answered, as conditions see it and as people read it.

use core_expr::{MetricCondition, Value};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value as Json;

use api_analysis::{AnalysisPhase, Metric};

use super::json_path::{JsonPath, JsonPathError};

/// Why an answer is no measurement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadingError {
    /// The answer has nothing where the result should be.
    #[error("Could not find JSONPath in body: {0}")]
    Path(#[from] JsonPathError),
    /// There is such a place, and nothing in it.
    #[error("result of web metric produced no value")]
    NoValue,
    /// Prometheus says no.
    #[error("{kind}: {problem}")]
    Refused {
        /// The kind of error, in Prometheus' words.
        kind: String,
        /// The error.
        problem: String,
    },
    /// Something else answered.
    #[error("the answer is not one of Prometheus: {0}")]
    NotPrometheus(String),
    /// Prometheus answered something that is no number.
    #[error("Prometheus metric type not supported")]
    Unsupported,
    /// A condition has no answer for this result.
    #[error("could not evaluate {name} \"{condition}\": {problem}")]
    Condition {
        /// The field.
        name: &'static str,
        /// The condition.
        condition: String,
        /// Why.
        problem: String,
    },
}

/// A measured value.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What conditions see as `result`.
    pub result: Value,
    /// What the status of the run shows.
    pub text: String,
    /// What the provider warns of.
    pub warnings: Vec<String>,
}

impl Reading {
    /// The answer of a web server: what a path finds in JSON, or the whole text of anything else.
    pub fn of_web(body: &[u8], path: &JsonPath) -> Result<Self, ReadingError> {
        let Ok(document) = serde_json::from_slice::<Json>(body) else {
            return Ok(Self::of_text(&String::from_utf8_lossy(body)));
        };
        let found = path.first(&document)?.ok_or(ReadingError::NoValue)?;
        Ok(Self::of_json(found))
    }

    /// What a program printed: JSON if it is, else text.
    pub fn of_output(output: &[u8]) -> Self {
        match serde_json::from_slice::<Json>(output) {
            Ok(document) => Self::of_json(&document),
            Err(_) => Self::of_text(String::from_utf8_lossy(output).trim()),
        }
    }

    /// The answer of Prometheus: a number, or the numbers of all series.
    pub fn of_prometheus(body: &[u8]) -> Result<Self, ReadingError> {
        let answer: Answer = serde_json::from_slice(body)
            .map_err(|problem| ReadingError::NotPrometheus(problem.to_string()))?;
        if answer.status != "success" {
            let (kind, problem) = (answer.error_type, answer.error);
            return Err(ReadingError::Refused { kind, problem });
        }
        let (result, text) = answer.data.read()?;
        Ok(Self { result, text, warnings: answer.warnings })
    }

    fn of_text(text: &str) -> Self {
        Self { result: Value::text(text), text: text.to_owned(), warnings: Vec::new() }
    }

    fn of_json(json: &Json) -> Self {
        let result = Value::from_json(json);
        // Whole numbers are written without a fraction.
        let text = result.to_json().unwrap_or_default().to_string();
        Self { result, text, warnings: Vec::new() }
    }

    /// The phase of the measurement by the conditions of its metric.
    pub fn judge(&self, metric: &Metric, now: Timestamp) -> Result<AnalysisPhase, ReadingError> {
        let success = self.holds("successCondition", &metric.success_condition, now)?;
        let failure = self.holds("failureCondition", &metric.failure_condition, now)?;
        Ok(match (success, failure) {
            (_, Some(true)) | (Some(false), None) => AnalysisPhase::Failed,
            (None | Some(true), None | Some(false)) => AnalysisPhase::Successful,
            (Some(false), Some(false)) => AnalysisPhase::Inconclusive,
        })
    }

    fn holds(
        &self,
        name: &'static str,
        condition: &str,
        now: Timestamp,
    ) -> Result<Option<bool>, ReadingError> {
        if condition.is_empty() {
            return Ok(None);
        }
        let answer = MetricCondition::compile(condition)
            .and_then(|compiled| compiled.holds(&self.result, now));
        answer.map(Some).map_err(|error| {
            let problem = if self.is_empty() {
                "metric result is nil or empty: no data returned from the metric provider"
                    .to_owned()
            } else {
                error.to_string()
            };
            ReadingError::Condition { name, condition: condition.to_owned(), problem }
        })
    }

    fn is_empty(&self) -> bool {
        self.result.is_nil() || self.text == "[]"
    }
}

#[derive(Deserialize)]
struct Answer {
    status: String,
    #[serde(default)]
    data: Data,
    #[serde(default, rename = "errorType")]
    error_type: String,
    #[serde(default)]
    error: String,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    result_type: String,
    result: Json,
}

/// A time and a number as text.
type Sample = (Json, String);

#[derive(Deserialize)]
struct Instant {
    value: Sample,
}

#[derive(Deserialize)]
struct Range {
    values: Vec<Sample>,
}

impl Data {
    /// The result, and its text.
    fn read(self) -> Result<(Value, String), ReadingError> {
        match self.result_type.as_str() {
            "scalar" => {
                let (_, number): Sample = shaped(self.result)?;
                let number = parse(&number)?;
                Ok((Value::float(number), go_float(number)))
            }
            "vector" => {
                let series: Vec<Instant> = shaped(self.result)?;
                list(series.iter().map(|one| &one.value))
            }
            "matrix" => {
                let series: Vec<Range> = shaped(self.result)?;
                list(series.iter().flat_map(|one| &one.values))
            }
            _ => Err(ReadingError::Unsupported),
        }
    }
}

fn shaped<T: serde::de::DeserializeOwned>(result: Json) -> Result<T, ReadingError> {
    serde_json::from_value(result)
        .map_err(|problem| ReadingError::NotPrometheus(problem.to_string()))
}

fn list<'a>(samples: impl Iterator<Item = &'a Sample>) -> Result<(Value, String), ReadingError> {
    let numbers: Vec<f64> = samples.map(|sample| parse(&sample.1)).collect::<Result<_, _>>()?;
    let texts: Vec<String> = numbers.iter().copied().map(go_float).collect();
    let values = numbers.into_iter().map(Value::float).collect();
    Ok((Value::list(values), format!("[{}]", texts.join(","))))
}

fn parse(number: &str) -> Result<f64, ReadingError> {
    number.parse().map_err(|_| ReadingError::NotPrometheus(format!("{number:?} is no number")))
}

/// A number with all of its digits and without an exponent.
fn go_float(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    number.to_string()
}

#[cfg(test)]
mod tests;
