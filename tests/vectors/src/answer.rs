//! What a runner says about a case, and how that is compared with what is expected.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::case::Case;

/// The result of our rules for one case.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Values by the name of the member they are compared with.
    Values(Vec<(&'static str, Value)>),
    /// The input is refused, possibly for a reason that has a name in the family.
    Refused(Option<&'static str>),
}

impl Answer {
    /// The value that is compared with `want`.
    pub fn value(value: impl Into<Value>) -> Self {
        Self::Values(vec![("want", value.into())])
    }

    /// The input is refused.
    pub fn refused() -> Self {
        Self::Refused(None)
    }

    /// A further value.
    #[must_use]
    pub fn and(self, member: &'static str, value: impl Into<Value>) -> Self {
        match self {
            Self::Values(mut values) => {
                values.push((member, value.into()));
                Self::Values(values)
            }
            refused @ Self::Refused(_) => refused,
        }
    }

    /// What differs from the expected result, in words; `None` when nothing does.
    pub fn difference(&self, case: &Case<'_>) -> Option<String> {
        match (self, case.member("error")) {
            (Self::Values(values), None) => {
                values.iter().find_map(|(member, ours)| value_difference(case, member, ours))
            }
            (Self::Values(values), Some(error)) => {
                Some(format!("should be refused ({error}), ours: {values:?}"))
            }
            (Self::Refused(class), None) => {
                let want = case.member_or_null("want");
                Some(format!("want: {want}, ours: refused ({})", class.unwrap_or("no class")))
            }
            (Self::Refused(class), Some(error)) => class_difference(*class, error),
        }
    }
}

impl<E> From<Result<Value, E>> for Answer {
    fn from(result: Result<Value, E>) -> Self {
        result.map_or_else(|_| Self::refused(), Self::value)
    }
}

fn class_difference(ours: Option<&str>, error: &Value) -> Option<String> {
    match (ours, error.as_str()) {
        (Some(ours), Some(want)) if ours != want => {
            Some(format!("want error: {want}, ours: {ours}"))
        }
        _ => None,
    }
}

fn value_difference(case: &Case<'_>, member: &str, ours: &Value) -> Option<String> {
    let (want, ours) = match case.member(&format!("{member}_base64")) {
        Some(encoded) => (encoded.clone(), encode(ours)),
        None => (case.member_or_null(member), ours.clone()),
    };
    (!are_equal(&want, &ours)).then(|| format!("{member}: {want}, ours: {ours}"))
}

fn encode(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| STANDARD.encode(text).into())
}

/// Equality of JSON values with numbers as IEEE doubles.
fn are_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| are_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| are_equal(left, right)))
        }
        _ => left == right,
    }
}
