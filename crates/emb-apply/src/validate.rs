//! What is wrong with an applied object: fields that the type does not have, values of another type, items that cannot
//! be told apart. Everything else is found by validation of the merged object.

use std::{collections::BTreeSet, fmt};

use serde_json::{Map, Value};

use crate::{
    element::PathElement,
    go_text,
    types::{Identity, ListType, MapType, ObjectType, Scalar, Type},
};

/// How many problems are told; the author of a wrong manifest has enough with these.
const MAX_PROBLEMS: usize = 32;
/// How much of a value is shown.
const MAX_SHOWN: usize = 256;

/// What is wrong with an applied object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => f.write_str(only),
            many => {
                f.write_str("errors:")?;
                many.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
            }
        }
    }
}

/// Checks an applied object against its type.
pub(crate) fn check(kind: &Type, object: &Value) -> Result<(), Problems> {
    let mut checker = Checker::new(Duplicates::Refused);
    checker.value(kind, object);
    if checker.problems.0.is_empty() { Ok(()) } else { Err(checker.problems) }
}

impl ObjectType {
    /// Whether these members of an object have the types that the kind gives them. Items that stand twice do no harm.
    pub fn accepts(&self, object: &Value, members: &[&str]) -> bool {
        let Type::Map(root) = self.root() else { return true };
        let mut checker = Checker::new(Duplicates::Allowed);
        for name in members {
            if let Some(value) = object.get(name) {
                checker.value(root.member(name), value);
            }
        }
        checker.problems.0.is_empty()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Duplicates {
    Allowed,
    Refused,
}

struct Checker {
    duplicates: Duplicates,
    /// The way to the value, each step as messages show it.
    path: Vec<String>,
    problems: Problems,
}

impl Checker {
    fn new(duplicates: Duplicates) -> Self {
        Self { duplicates, path: Vec::new(), problems: Problems::default() }
    }

    fn value(&mut self, kind: &Type, value: &Value) {
        match (kind, value) {
            (Type::List(list) | Type::Any(list, _), Value::Array(items)) => self.items(list, items),
            (Type::Map(map) | Type::Any(_, map), Value::Object(members)) => {
                self.members(map, members);
            }
            (Type::Any(..) | Type::Deduced, _) | (_, Value::Null) => {}
            (Type::List(_), other) => self.report(&format!("expected list, got {}", held(other))),
            (Type::Map(_), other) => self.report(&format!("expected map, got {}", held(other))),
            (Type::Scalar(scalar), value) => {
                if let Some(problem) = scalar_problem(*scalar, value) {
                    self.report(&problem);
                }
            }
        }
    }

    fn members(&mut self, map: &MapType, members: &Map<String, Value>) {
        for (name, value) in members {
            self.path.push(PathElement::Field(name.clone()).to_string());
            if map.declares(name) || map.others.is_some() {
                self.value(map.member(name), value);
            } else {
                self.report("field not declared in schema");
            }
            self.path.pop();
        }
    }

    fn items(&mut self, list: &ListType, items: &[Value]) {
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let shown = match (&list.identity, list.element(item)) {
                (Identity::None, _) => format!("[{index}]"),
                (_, Err(problem)) => return self.report(&format!("element {index}: {problem}")),
                (_, Ok(element)) => {
                    let shown = PathElement::parse(&element);
                    let shown = shown.map_or(element, |element| element.to_string());
                    if !seen.insert(shown.clone()) && self.duplicates == Duplicates::Refused {
                        self.report(&format!("duplicate entries for key {shown}"));
                    }
                    shown
                }
            };
            self.path.push(shown);
            self.value(&list.items, item);
            self.path.pop();
        }
    }

    fn report(&mut self, problem: &str) {
        if self.problems.0.len() < MAX_PROBLEMS {
            let path = self.path.concat();
            let separator = if path.is_empty() { "" } else { ": " };
            self.problems.0.push(format!("{path}{separator}{problem}"));
        }
    }
}

fn scalar_problem(scalar: Scalar, value: &Value) -> Option<String> {
    let fits = match scalar {
        Scalar::Number => value.is_number(),
        Scalar::Text => value.is_string(),
        Scalar::Boolean => value.is_boolean(),
        Scalar::Untyped => !value.is_array() && !value.is_object(),
    };
    (!fits).then(|| match scalar {
        Scalar::Number => {
            format!("expected numeric (int or float), got {}", go_text::type_name(value))
        }
        Scalar::Text => {
            format!(
                "expected string, got &value.valueUnstructured{{Value:{}}}",
                cut(&go_text::syntax(value))
            )
        }
        Scalar::Boolean => format!("expected boolean, got {}", held(value)),
        Scalar::Untyped => format!("expected any scalar, got {}", held(value)),
    })
}

/// A value inside the box that these messages have always shown around it.
fn held(value: &Value) -> String {
    format!("&{{{}}}", cut(&go_text::plain(value)))
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_SHOWN).collect()
}
