//! One step on the path to a field, in the text form that `FieldsV1` uses as a key: `f:spec`, `k:{"name":"a"}`,
//! `v:"x"`, `i:3`.

use std::fmt;

use emb_codec::json;
use serde_json::{Map, Value};

/// One step on the path to a field.
#[derive(Clone, Debug, PartialEq)]
pub enum PathElement {
    /// The member of this name.
    Field(String),
    /// The item of a list whose members have these values.
    Key(Map<String, Value>),
    /// The item of a list that is this value.
    Value(Value),
    /// The item at this place. Read for completeness; no list of ours is owned by places.
    Index(i64),
}

/// A text that names no path element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a path element")]
pub struct ElementError(String);

impl PathElement {
    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Self, ElementError> {
        let unreadable = || ElementError(text.chars().take(80).collect());
        let (kind, content) = text.split_at_checked(2).ok_or_else(unreadable)?;
        let value = || json::decode(content.as_bytes()).map_err(|_| unreadable());
        match kind {
            "f:" => Ok(Self::Field(content.to_owned())),
            "i:" => content.parse().map(Self::Index).map_err(|_| unreadable()),
            "v:" => Ok(Self::Value(value()?.value)),
            "k:" => match value()?.value {
                Value::Object(key) => Ok(Self::Key(key)),
                _ => Err(unreadable()),
            },
            _ => Err(unreadable()),
        }
    }

    /// The text form.
    pub fn encode(&self) -> String {
        match self {
            Self::Field(name) => field(name),
            Self::Key(key) => {
                let mut writer = KeyWriter::new();
                key.iter().for_each(|(name, value)| writer.add(name, value));
                writer.finish()
            }
            Self::Value(value) => of_value(value),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

impl fmt::Display for PathElement {
    /// As conflicts show it: `.name`, `[name="a",port=80]`, `[="x"]`, `[3]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(key) => {
                f.write_str("[")?;
                for (index, (name, value)) in key.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(f, "{comma}{name}={}", shown(value))?;
                }
                f.write_str("]")
            }
            Self::Value(value) => write!(f, "[={}]", shown(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// The text form of the member `name`.
pub(crate) fn field(name: &str) -> String {
    ["f:", name].concat()
}

/// The text form of the set item `value`.
pub(crate) fn of_value(value: &Value) -> String {
    let mut text = "v:".to_owned();
    text.push_str(&escaped(value));
    text
}

/// Writes the text form of a list item, member by member; the members must come sorted.
pub(crate) struct KeyWriter(String);

impl KeyWriter {
    pub(crate) fn new() -> Self {
        Self("k:{".to_owned())
    }

    pub(crate) fn add(&mut self, name: &str, value: &Value) {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        self.0.push_str(&escaped(&Value::from(name)));
        self.0.push(':');
        self.0.push_str(&escaped(value));
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// Compact JSON with the characters that HTML knows escaped: other servers write sets so, and sets are compared as text.
fn escaped(value: &Value) -> String {
    let text = value.to_string();
    if !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return text;
    }
    text.chars().fold(String::with_capacity(text.len()), |mut out, letter| {
        match letter {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
        out
    })
}

/// A value in a message: text is quoted, everything else is JSON.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| format!("{text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_element_reads_back_and_has_a_form_for_people() {
        for (text, people) in [
            ("f:spec", ".spec"),
            ("f:a.b/c", ".a.b/c"),
            ("f:", "."),
            (r#"k:{"name":"a","port":80}"#, r#"[name="a",port=80]"#),
            (r#"v:"x""#, r#"[="x"]"#),
            ("v:3", "[=3]"),
            ("v:null", "[=null]"),
            ("i:3", "[3]"),
            (r#"v:"\u003c\u0026""#, r#"[="<&"]"#),
        ] {
            let element = PathElement::parse(text).unwrap();
            assert_eq!((element.encode().as_str(), element.to_string().as_str()), (text, people));
        }
    }

    #[test]
    fn other_spellings_of_an_element_become_the_one_form() {
        for (given, kept) in [
            (r#"k:{ "b": 1.0, "a":"x" }"#, r#"k:{"a":"x","b":1}"#),
            (r#"v:"<""#, r#"v:"\u003c""#),
            ("i:+7", "i:7"),
        ] {
            assert_eq!(PathElement::parse(given).unwrap().encode(), kept);
        }
    }

    #[test]
    fn what_is_no_element_is_refused() {
        for text in ["", "f", "x:a", "k:[]", "k:{", "v:", "i:x", "é", "v:1 2"] {
            assert!(PathElement::parse(text).is_err(), "{text}");
        }
    }
}
