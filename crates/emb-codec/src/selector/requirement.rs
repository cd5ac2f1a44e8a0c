//! One condition of a label selector.

use std::fmt;

use emb_meta::{FieldError, FieldPath};
use serde_json::Value;

use super::syntax::{check_key, check_value};

/// How a requirement compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `key=value`.
    Equals,
    /// `key==value`.
    DoubleEquals,
    /// `key!=value`; also true without the key.
    NotEquals,
    /// `key in (a,b)`.
    In,
    /// `key notin (a,b)`; also true without the key.
    NotIn,
    /// `key`.
    Exists,
    /// `!key`.
    DoesNotExist,
    /// `key>1`; values are compared as integers.
    GreaterThan,
    /// `key<1`; values are compared as integers.
    LessThan,
}

/// One condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

impl Requirement {
    /// Checks the parts as the API does. The error is the whole text about this requirement.
    pub(crate) fn new(
        key: String,
        operator: Operator,
        mut values: Vec<String>,
    ) -> Result<Self, String> {
        let mut errors = Vec::new();
        if let Some(problem) = check_key(&key) {
            errors.push(FieldError::invalid("key", &Value::from(key.as_str()), &problem));
        }
        check_count(operator, &values, &mut errors);
        let path = FieldPath::new("values");
        for (index, value) in values.iter().enumerate() {
            if let Some(problem) = check_value(value) {
                let at = path.index(index).key(&key);
                errors.push(FieldError::invalid(at, &Value::from(value.as_str()), &problem));
            }
        }
        if errors.is_empty() {
            values.sort_unstable();
            values.dedup();
            return Ok(Self { key, operator, values });
        }
        Err(aggregate(&errors))
    }

    /// The label.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The comparison.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// What the label is compared with, sorted.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether an object whose label has this value (`None`: no such label) fulfils the requirement.
    pub fn matches(&self, label: Option<&str>) -> bool {
        match self.operator {
            Operator::Equals | Operator::DoubleEquals | Operator::In => {
                label.is_some_and(|label| self.has(label))
            }
            Operator::NotEquals | Operator::NotIn => label.is_none_or(|label| !self.has(label)),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan => self.ordered(label, |label, bound| label > bound),
            Operator::LessThan => self.ordered(label, |label, bound| label < bound),
        }
    }

    /// The only value that the label may have, if there is just one.
    pub fn exact(&self) -> Option<&str> {
        match (self.operator, self.values.as_slice()) {
            (Operator::Equals | Operator::DoubleEquals | Operator::In, [only]) => Some(only),
            _ => None,
        }
    }

    fn has(&self, label: &str) -> bool {
        self.values.iter().any(|value| value == label)
    }

    fn ordered(&self, label: Option<&str>, holds: impl Fn(i64, i64) -> bool) -> bool {
        let label = label.and_then(|label| label.parse().ok());
        let bound = self.values.first().and_then(|value| value.parse().ok());
        label.zip(bound).is_some_and(|(label, bound)| holds(label, bound))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::DoubleEquals => write!(f, "{key}=={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Exists => write!(f, "{key}"),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

fn check_count(operator: Operator, values: &[String], errors: &mut Vec<FieldError>) {
    let problem =
        match operator {
            Operator::In | Operator::NotIn => values
                .is_empty()
                .then_some("for 'in', 'notin' operators, values set can't be empty"),
            Operator::Equals | Operator::DoubleEquals | Operator::NotEquals => {
                (values.len() != 1).then_some("exact-match compatibility requires one single value")
            }
            Operator::Exists | Operator::DoesNotExist => (!values.is_empty())
                .then_some("values set must be empty for exists and does not exist"),
            Operator::GreaterThan | Operator::LessThan => (values.len() != 1)
                .then_some("for 'Gt', 'Lt' operators, exactly one value is required"),
        };
    if let Some(problem) = problem {
        // An empty set prints as null, like the absent list that it usually was.
        let shown = if values.is_empty() { Value::Null } else { Value::from(values) };
        errors.push(FieldError::invalid("values", &shown, problem));
    }
    if matches!(operator, Operator::GreaterThan | Operator::LessThan) {
        for (index, value) in values.iter().enumerate() {
            if value.parse::<i64>().is_err() {
                errors.push(FieldError::invalid(
                    FieldPath::new("values").index(index),
                    &Value::from(value.as_str()),
                    "for 'Gt', 'Lt' operators, the value must be an integer",
                ));
            }
        }
    }
}

fn aggregate(errors: &[FieldError]) -> String {
    match errors {
        [only] => only.to_string(),
        several => {
            let texts: Vec<String> = several.iter().map(ToString::to_string).collect();
            format!("[{}]", texts.join(", "))
        }
    }
}
