//! Selectors over labels.

use std::fmt;

use emb_meta::ObjectExt;
use serde_json::Value;

use super::{Operator, Requirement, SelectorError, parser};

/// Conditions on labels that must all hold.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
    /// Selects no object, whatever its labels: what an absent selector object means.
    nothing: bool,
}

impl LabelSelector {
    /// Reads the query form, for example `a=b,c in (d,e),!f`. An empty text selects everything.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        Ok(Self { requirements: parser::parse(text)?, nothing: false })
    }

    /// Reads the object form with `matchLabels` and `matchExpressions`: `{}` selects everything, null nothing.
    pub fn from_object(selector: &Value) -> Result<Self, SelectorError> {
        if selector.is_null() {
            return Ok(Self { nothing: true, ..Self::default() });
        }
        let labels = selector.get("matchLabels").and_then(Value::as_object);
        let labels = labels.into_iter().flatten().map(|(key, value)| {
            let value = value.as_str().unwrap_or_default().to_owned();
            Requirement::new(key.clone(), Operator::Equals, vec![value])
        });
        let expressions = selector.get("matchExpressions").and_then(Value::as_array);
        let expressions = expressions.into_iter().flatten().map(expression);
        let mut requirements: Vec<Requirement> =
            labels.chain(expressions).collect::<Result<_, _>>().map_err(SelectorError::Object)?;
        requirements.sort_by(|a, b| a.key().cmp(b.key()));
        Ok(Self { requirements, nothing: false })
    }

    /// Whether an object with these labels is selected.
    pub fn matches<'a>(&self, labels: impl Fn(&str) -> Option<&'a str>) -> bool {
        !self.nothing && self.requirements.iter().all(|one| one.matches(labels(one.key())))
    }

    /// Whether every object is selected.
    pub fn is_everything(&self) -> bool {
        !self.nothing && self.requirements.is_empty()
    }

    /// The conditions, sorted by key.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// The only value that selected objects have for the label, if the selector says so: lets a list use an index.
    pub fn exact(&self, label: &str) -> Option<&str> {
        self.requirements.iter().filter(|one| one.key() == label).find_map(Requirement::exact)
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.requirements.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

fn expression(expression: &Value) -> Result<Requirement, String> {
    let operator = match expression.text(&["operator"]) {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        other => return Err(format!("{other:?} is not a valid label selector operator")),
    };
    let values = expression.get("values").and_then(Value::as_array);
    let values = values.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    Requirement::new(expression.text(&["key"]).to_owned(), operator, values.collect())
}
