//! Values as JSON text: keys sorted, `<`, `>`, `&`, U+2028 and U+2029 escaped.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Trouble;
use crate::go::json_float;
use crate::text::{Characters, Text};
use crate::value::{Data, Value};

/// The value as compact JSON.
pub(crate) fn write(value: &Value) -> Result<String, Trouble> {
    let mut writer = Writer { output: String::new(), indent: None };
    writer.value(value, 0)?;
    Ok(writer.output)
}

/// The value as JSON over several lines, indented by two spaces.
pub(crate) fn write_indented(value: &Value) -> Result<String, Trouble> {
    let mut writer = Writer { output: String::new(), indent: Some("  ") };
    writer.value(value, 0)?;
    Ok(writer.output)
}

struct Writer {
    output: String,
    indent: Option<&'static str>,
}

impl Writer {
    fn value(&mut self, value: &Value, level: usize) -> Result<(), Trouble> {
        match &value.data {
            _ if value.is_nil() => self.output.push_str("null"),
            Data::Bool(truth) => self.display(*truth),
            Data::Int(number) | Data::Duration(number) => self.display(*number),
            Data::Uint(number) => self.display(*number),
            Data::Month(number) | Data::Weekday(number) => self.display(*number),
            Data::Float(number) => match json_float(*number) {
                Some(text) => self.output.push_str(&text),
                None => return Err(unsupported("value", crate::go::format_float(*number))),
            },
            Data::Text(text) => write_text(text, &mut self.output),
            Data::Bytes(bytes) => self.plain(&STANDARD.encode(bytes.as_bytes())),
            Data::List(list) => {
                let items = list.items.iter().map(|item| (None, item));
                return self.collection(items, ['[', ']'], level);
            }
            Data::Map(map) => {
                let entries = map.entries.iter().map(|(key, value)| (Some(key.clone()), value));
                return self.collection(entries, ['{', '}'], level);
            }
            Data::Object(object) => {
                let mut fields: Vec<_> = object
                    .json_fields()
                    .map(|(field, value)| (Some(Text::from(field.json_name)), value))
                    .collect();
                fields.sort_by(|(left, _), (right, _)| left.cmp(right));
                return self.collection(fields.into_iter(), ['{', '}'], level);
            }
            Data::Moment(moment) => {
                let text = moment.to_json_text().ok_or_else(|| unsupported("value", "time"))?;
                self.plain(&text);
            }
            Data::Zone(_) => self.output.push_str("{}"),
            Data::Version(version) => write_text(&version.to_string().into(), &mut self.output),
            Data::Nil | Data::Absent(_) | Data::Pairs(_) | Data::Function(_) | Data::Method(_) => {
                return Err(unsupported("type", value.type_name()));
            }
        }
        Ok(())
    }

    fn collection<'a>(
        &mut self,
        entries: impl Iterator<Item = (Option<Text>, &'a Value)>,
        [open, close]: [char; 2],
        level: usize,
    ) -> Result<(), Trouble> {
        self.output.push(open);
        let mut is_empty = true;
        for (key, value) in entries {
            if !is_empty {
                self.output.push(',');
            }
            is_empty = false;
            self.new_line(level + 1);
            if let Some(key) = key {
                write_text(&key, &mut self.output);
                self.output.push_str(if self.indent.is_some() { ": " } else { ":" });
            }
            self.value(value, level + 1)?;
        }
        if !is_empty {
            self.new_line(level);
        }
        self.output.push(close);
        Ok(())
    }

    fn new_line(&mut self, level: usize) {
        if let Some(indent) = self.indent {
            self.output.push('\n');
            (0..level).for_each(|_| self.output.push_str(indent));
        }
    }

    fn display(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.output, "{value}");
    }

    /// A text without anything to escape.
    fn plain(&mut self, text: &str) {
        let _ = write!(self.output, "\"{text}\"");
    }
}

fn unsupported(what: &str, name: impl std::fmt::Display) -> Trouble {
    Trouble::Invalid(format!("json: unsupported {what}: {name}"))
}

/// Appends a text in quotes.
fn write_text(text: &Text, output: &mut String) {
    output.push('"');
    for (_, character) in Characters::new(text.as_bytes()) {
        match character {
            None => output.push_str("\\ufffd"),
            Some('"') => output.push_str("\\\""),
            Some('\\') => output.push_str("\\\\"),
            Some('\n') => output.push_str("\\n"),
            Some('\r') => output.push_str("\\r"),
            Some('\t') => output.push_str("\\t"),
            Some('\u{8}') => output.push_str("\\b"),
            Some('\u{c}') => output.push_str("\\f"),
            Some(character @ ('\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')) => {
                let _ = write!(output, "\\u{:04x}", u32::from(character));
            }
            Some(character) => output.push(character),
        }
    }
    output.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_for_html() {
        let mut output = String::new();
        write_text(&Text::from("<a&b>\u{2028}\"\\\u{1}\u{8}é"), &mut output);
        assert_eq!(output, r#""\u003ca\u0026b\u003e\u2028\"\\\u0001\bé""#);
    }

    #[test]
    fn indented_json_has_one_entry_per_line() {
        let value =
            Value::map([("a", Value::list(vec![Value::int(1)])), ("b", Value::list(vec![]))]);
        assert_eq!(write_indented(&value).unwrap(), "{\n  \"a\": [\n    1\n  ],\n  \"b\": []\n}");
        assert_eq!(write(&value).unwrap(), r#"{"a":[1],"b":[]}"#);
    }
}
