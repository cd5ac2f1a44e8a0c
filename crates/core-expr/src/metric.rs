//! Conditions of metrics: what a measurement must be to count as good or as bad.
//!
//! They see the measurement as `result`, and the functions that authors of AnalysisTemplates know:
//! `asInt`, `asFloat`, `isNaN`, `isInf`, `isNil` and `default`.

use jiff::Timestamp;

use crate::error::{Error, ErrorKind, Failure};
use crate::go::{parse_float, parse_int};
use crate::library::Library;
use crate::program::Program;
use crate::scope::{Scope, Variables};
use crate::value::{Data, Function, Value};

/// A condition over `result`.
#[derive(Clone, Debug)]
pub struct MetricCondition {
    program: Program,
    length: usize,
}

impl MetricCondition {
    /// Reads and checks an expression.
    pub fn compile(expression: &str) -> Result<Self, Error> {
        let program = Program::compile(expression, Library::PLAIN)?;
        Ok(Self { program, length: expression.len() })
    }

    /// Whether a measurement meets the condition. Only a truth value is an answer.
    pub fn holds(&self, result: &Value, now: Timestamp) -> Result<bool, Error> {
        let variables = variables(result);
        let answer = self.program.run(&Scope::new(&variables, now)).map_err(Failure::into_error)?;
        answer.as_bool().ok_or_else(|| {
            let message = format!("expected bool, but got {}", answer.type_name());
            Error::new(ErrorKind::Run, 0..self.length, message)
        })
    }
}

/// The time that an expression gives, such as `now() - duration("1h")` for the begin of a range.
pub fn time_of(expression: &str, now: Timestamp) -> Result<Timestamp, Error> {
    let program = Program::compile(expression, Library::PLAIN)?;
    let variables = variables(&Value::NIL);
    let answer = program.run(&Scope::new(&variables, now)).map_err(Failure::into_error)?;
    if let Data::Moment(moment) = &answer.data {
        return Ok(moment.at);
    }
    let message = format!("expected time.Time, but got {}", answer.type_name());
    Err(Error::new(ErrorKind::Run, 0..expression.len(), message))
}

fn variables(result: &Value) -> Variables {
    Variables::from_iter([
        ("result", result.clone()),
        ("asInt", function(1, |arguments| as_int(argument(arguments, 0)))),
        ("asFloat", function(1, |arguments| as_float(argument(arguments, 0)))),
        ("isNaN", function(1, |arguments| test(argument(arguments, 0), "isNaN", f64::is_nan))),
        ("isInf", function(1, |arguments| test(argument(arguments, 0), "isInf", f64::is_infinite))),
        ("isNil", function(1, |arguments| Ok(truth(argument(arguments, 0).is_nil())))),
        ("default", function(2, |arguments| Ok(or_default(arguments)))),
    ])
}

fn function(
    parameters: usize,
    body: impl Fn(&[Value]) -> Result<Value, String> + Send + Sync + 'static,
) -> Value {
    Value::function(Function::new(parameters, body))
}

/// The number of arguments was checked before.
fn argument(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(&Value::NIL)
}

fn truth(truth: bool) -> Value {
    Data::Bool(truth).into()
}

fn or_default(arguments: &[Value]) -> Value {
    let given = argument(arguments, 0);
    if given.is_nil() { argument(arguments, 1).clone() } else { given.clone() }
}

fn number(value: &Value) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "the language computes with floats")]
    match &value.data {
        Data::Int(number) => Some(*number as f64),
        Data::Uint(number) => Some(*number as f64),
        Data::Float(number) => Some(*number),
        _ => None,
    }
}

fn as_float(value: &Value) -> Result<Value, String> {
    let parsed = match &value.data {
        Data::Text(text) => parse_float(&text.to_str()),
        _ => number(value),
    };
    parsed.map(Value::float).ok_or_else(|| unsupported("asFloat", value))
}

fn as_int(value: &Value) -> Result<Value, String> {
    #[expect(clippy::cast_possible_truncation, reason = "the fraction is what is cut off")]
    let whole = match &value.data {
        Data::Text(text) => parse_int(&text.to_str()),
        Data::Int(number) => Some(*number),
        _ => number(value).map(|number| number as i64),
    };
    whole.map(Value::int).ok_or_else(|| unsupported("asInt", value))
}

fn test(value: &Value, name: &str, test: fn(f64) -> bool) -> Result<Value, String> {
    number(value).map(|number| truth(test(number))).ok_or_else(|| unsupported(name, value))
}

fn unsupported(function: &str, value: &Value) -> String {
    format!("{function}() is not possible for this {}", value.type_name())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn holds(expression: &str, result: &Json) -> Result<bool, String> {
        let condition = MetricCondition::compile(expression).map_err(|error| error.to_string())?;
        condition
            .holds(&Value::from_json(result), Timestamp::UNIX_EPOCH)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn conditions_see_the_result_and_their_functions() {
        let rows = [
            ("result == 1", json!(1), true),
            ("result >= 0.95", json!(0.9), false),
            ("result[0] < 0.05", json!([0.01, 7]), true),
            ("all(result, {# > 1})", json!([2, 3]), true),
            ("len(result) == 0 || result[0] > 5", json!([]), true),
            ("result.ok && result.count > 3", json!({"ok": true, "count": 4}), true),
            ("result == 'true'", json!("true"), true),
            ("asInt(result) > 5", json!("7"), true),
            ("asInt(result) == 5", json!(5.9), true),
            ("asFloat(result.rate) < 0.5", json!({"rate": "0.25"}), true),
            ("default(result, 0) < 0.05", json!(null), true),
            ("default(result, 0) < 0.05", json!(1), false),
            ("isNil(result)", json!(null), true),
            ("isNaN(result) || isInf(result)", json!(1), false),
            ("result in ['ok', 'warn']", json!("warn"), true),
        ];
        for (expression, result, expected) in rows {
            assert_eq!(holds(expression, &result), Ok(expected), "{expression} of {result}");
        }
    }

    #[test]
    fn times_are_computed_from_now() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let time = |expression| time_of(expression, now).map_err(|error| error.to_string());
        assert_eq!(time("now()"), Ok(now));
        let hour_ago = "2026-01-01T11:00:00Z".parse().unwrap();
        assert_eq!(time("now() - duration('1h')"), Ok(hour_ago));
        assert_eq!(time("1").unwrap_err(), "expected time.Time, but got int");
        assert!(time("now(").is_err());
    }

    #[test]
    fn numbers_that_are_none_are_recognized() {
        let condition = MetricCondition::compile("isNaN(result[0]) && isInf(result[1])").unwrap();
        let result = Value::list(vec![Value::float(f64::NAN), Value::float(f64::INFINITY)]);
        assert_eq!(condition.holds(&result, Timestamp::UNIX_EPOCH), Ok(true));
    }

    #[test]
    fn what_is_no_truth_value_is_no_answer() {
        assert_eq!(holds("result", &json!(1)).unwrap_err(), "expected bool, but got float64");
        for (expression, result) in [
            ("result[0] > 1", json!([])),
            ("asInt(result) > 1", json!("x")),
            ("isNaN(result)", json!("x")),
            ("result >", json!(1)),
            ("default(result)", json!(1)),
        ] {
            assert!(holds(expression, &result).is_err(), "{expression}");
        }
    }
}
