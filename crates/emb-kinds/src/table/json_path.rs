//! The part of JSONPath that printer columns and selectable fields use: members (with escaped dots or in brackets),
//! indexes, slices, wildcards and filters such as `[?(@.type=="Ready")]`.

use std::{fmt, str::FromStr};

use serde_json::Value;

use super::json_path_parser::Parser;

/// A compiled path. Displays as the text it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    text: String,
    steps: Vec<Step>,
}

/// A text that is no path, or none that is supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at byte {at}")]
pub struct JsonPathError {
    pub(super) problem: &'static str,
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Member(String),
    Index(i64),
    Slice { from: i64, to: Option<i64> },
    Every,
    Filter(Filter),
}

/// Keeps the items whose `member` compares with a value, or has one at all.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filter {
    pub(super) member: Vec<String>,
    pub(super) test: Option<(Comparison, Value)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A path matches at most this many values: cells show one, and wildcards must not multiply without end.
const MATCHES_LIMIT: usize = 1000;

impl JsonPath {
    /// The first value that the path finds in `root`.
    pub fn first<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        let mut found = vec![root];
        for step in &self.steps {
            found =
                found.into_iter().flat_map(|value| step.apply(value)).take(MATCHES_LIMIT).collect();
        }
        found.into_iter().next()
    }

    /// The names of the members that the path goes through before it does anything else.
    pub(super) fn leading_members(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map_while(Step::member)
    }

    /// The names of the members when the path has nothing else in it.
    pub fn members(&self) -> Option<Vec<&str>> {
        self.steps.iter().map(Step::member).collect()
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for JsonPath {
    type Err = JsonPathError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self { text: text.to_owned(), steps: Parser::new(text).path()? })
    }
}

impl Step {
    fn member(&self) -> Option<&str> {
        match self {
            Self::Member(name) => Some(name),
            _ => None,
        }
    }

    fn apply<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        match self {
            Self::Member(name) => value.get(name).into_iter().collect(),
            Self::Index(index) => item(value, *index).into_iter().collect(),
            Self::Slice { from, to } => slice(value, *from, *to).into_iter().flatten().collect(),
            Self::Every => children(value),
            Self::Filter(filter) => {
                let items = value.as_array().into_iter().flatten();
                items.filter(|item| filter.keeps(item)).collect()
            }
        }
    }
}

impl Filter {
    fn keeps(&self, item: &Value) -> bool {
        let found = self.member.iter().try_fold(item, |at, name| at.get(name));
        match (&self.test, found) {
            (None, found) => found.is_some(),
            (Some(_), None) => false,
            (Some((comparison, expected)), Some(found)) => comparison.holds(found, expected),
        }
    }
}

impl Comparison {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
            (Value::Number(left), Value::Number(right)) => {
                left.as_f64().zip(right.as_f64()).and_then(|(l, r)| l.partial_cmp(&r))
            }
            _ => None,
        };
        match self {
            Self::Equal => order.map_or(left == right, std::cmp::Ordering::is_eq),
            Self::NotEqual => order.map_or(left != right, std::cmp::Ordering::is_ne),
            Self::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Self::LessOrEqual => order.is_some_and(std::cmp::Ordering::is_le),
            Self::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
            Self::GreaterOrEqual => order.is_some_and(std::cmp::Ordering::is_ge),
        }
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

fn item(value: &Value, index: i64) -> Option<&Value> {
    let items = value.as_array()?;
    items.get(position(index, items.len())?)
}

fn slice(value: &Value, from: i64, to: Option<i64>) -> Option<&[Value]> {
    let items = value.as_array()?;
    let from = position(from, items.len())?;
    let to = to.map_or(Some(items.len()), |to| position(to, items.len()))?;
    items.get(from..to)
}

/// Negative positions count from the end.
fn position(index: i64, length: usize) -> Option<usize> {
    if index < 0 {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    } else {
        usize::try_from(index).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn find(path: &str, root: &Value) -> Option<Value> {
        path.parse::<JsonPath>().unwrap().first(root).cloned()
    }

    #[test]
    fn finds_what_printer_columns_ask_for() {
        let root = json!({
            "metadata": {"labels": {"a.b/c": "lab"}},
            "spec": {
                "arr": [7, 8, 9], "o": {"x": 1},
                "c": [{"type": "No", "s": "n"}, {"type": "Ready", "s": "yes"}, {"type": "Ready", "s": "2nd"}],
            },
        });
        let cases = [
            (".spec.arr[*]", Some(json!(7))),
            (".spec.arr[1]", Some(json!(8))),
            (".spec.arr[-1]", Some(json!(9))),
            (".spec.arr[3]", None),
            (".spec.arr[0:2]", Some(json!(7))),
            (".spec.arr[1:]", Some(json!(8))),
            (".spec.arr[0:9]", None),
            (".spec.o.*", Some(json!(1))),
            (".metadata.labels.a\\.b/c", Some(json!("lab"))),
            (".metadata.labels['a\\.b/c']", Some(json!("lab"))),
            (".metadata.labels[\"a.b/c\"]", Some(json!("lab"))),
            (".spec.c[?(@.type==\"Ready\")].s", Some(json!("yes"))),
            (".spec.c[?(@.type == 'Ready')].s", Some(json!("yes"))),
            (".spec.c[?(@.type!=\"No\")].s", Some(json!("yes"))),
            (".spec.c[?(@.gone)].s", None),
            (".spec.arr[?(@.x>1)]", None),
            (".gone.further", None),
        ];
        for (path, expected) in cases {
            assert_eq!(find(path, &root), expected, "{path}");
        }
    }

    #[test]
    fn refuses_what_is_no_path() {
        for bad in
            ["", "spec", ".", ".a.", ".a[", ".a[x]", ".a[?(@.b==)]", ".a[?(b)]", "..a", ".a['b"]
        {
            assert!(bad.parse::<JsonPath>().is_err(), "{bad}");
        }
        assert!(".a".repeat(2000).parse::<JsonPath>().is_err());
    }

    #[test]
    fn member_paths_say_their_members() {
        assert_eq!(".a.b".parse::<JsonPath>().unwrap().members(), Some(vec!["a", "b"]));
        assert_eq!(".a[0]".parse::<JsonPath>().unwrap().members(), None);
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "[.\\[\\]@?()*'\"=<>!0-9a-c:\\\\ -]{0,24}") {
            if let Ok(path) = text.parse::<JsonPath>() {
                let _ = path.first(&json!({"a": [{"b": 1}, "c"], "b": {"a": null}}));
            }
        }
    }
}
