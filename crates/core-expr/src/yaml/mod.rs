//! Values as YAML in block style: four spaces per level, sorted keys, as upstream's encoder
//! writes it.

mod key;
mod scalar;

use std::cmp::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Trouble;
use crate::go::format_float;
use crate::text::Text;
use crate::time::format_duration;
use crate::value::{Data, Value};
use scalar::{Place, write_plain, write_text};

const INDENT: usize = 4;

/// The longest key that is written before its colon in one line.
const MAX_SIMPLE_KEY_BYTES: usize = 128;

/// The value as a YAML document with a newline at its end.
pub(crate) fn write(value: &Value) -> Result<String, Trouble> {
    let mut writer = Writer { output: String::new() };
    writer.node(value, Position::Root)?;
    if !writer.output.ends_with('\n') {
        writer.output.push('\n');
    }
    Ok(writer.output)
}

/// Where a node stands; indentation follows from it.
#[derive(Clone, Copy)]
enum Position {
    Root,
    /// Behind `- ` of a list with this indentation.
    Item(usize),
    /// Behind `key:` of a map with this indentation.
    Member(usize),
}

impl Position {
    /// Indentation of what is nested here: list items are shifted by the width of the dash,
    /// everything else goes to the next stop.
    fn inner(self) -> usize {
        match self {
            Self::Root => 0,
            Self::Item(indent) => indent + 2,
            Self::Member(indent) => INDENT * ((indent + INDENT) / INDENT),
        }
    }

    /// Indentation of the lines of a text.
    fn lines(self) -> usize {
        match self {
            Self::Root => INDENT,
            _ => self.inner(),
        }
    }
}

struct Writer {
    output: String,
}

impl Writer {
    fn node(&mut self, value: &Value, position: Position) -> Result<(), Trouble> {
        match &value.data {
            _ if matches!(value.data, Data::Nil | Data::Absent(_)) => {
                self.plain("null", position);
            }
            Data::Bool(truth) => self.plain(&truth.to_string(), position),
            Data::Int(number) => self.plain(&number.to_string(), position),
            Data::Uint(number) => self.plain(&number.to_string(), position),
            Data::Month(number) | Data::Weekday(number) => {
                self.plain(&number.to_string(), position);
            }
            Data::Float(number) => self.plain(&float(*number), position),
            Data::Text(text) => self.text(text, position),
            Data::Duration(nanoseconds) => {
                self.text(&format_duration(*nanoseconds).into(), position);
            }
            Data::Version(version) => self.text(&version.to_string().into(), position),
            Data::Moment(moment) => {
                let text =
                    moment.to_json_text().ok_or_else(|| Trouble::from("year out of range"))?;
                self.plain(&text, position);
            }
            Data::Bytes(bytes) => {
                let items: Vec<Value> = bytes
                    .as_bytes()
                    .iter()
                    .map(|byte| Data::Uint(u64::from(*byte)).into())
                    .collect();
                self.list(&items, position)?;
            }
            Data::List(list) => self.list(&list.items, position)?,
            Data::Zone(_) => self.map(Vec::new(), position)?,
            _ => self.map(entries(value)?, position)?,
        }
        Ok(())
    }

    fn space(&mut self, position: Position) {
        if let Position::Member(_) = position {
            self.output.push(' ');
        }
    }

    fn plain(&mut self, text: &str, position: Position) {
        self.space(position);
        write_plain(text, &mut self.output);
    }

    fn text(&mut self, text: &Text, position: Position) {
        self.space(position);
        if let Ok(valid) = std::str::from_utf8(text.as_bytes()) {
            write_text(valid, Place::Value { indent: position.lines() }, &mut self.output);
        } else {
            self.output.push_str("!!binary ");
            self.output.push_str(&STANDARD.encode(text.as_bytes()));
        }
    }

    fn list(&mut self, items: &[Value], position: Position) -> Result<(), Trouble> {
        if items.is_empty() {
            self.plain("[]", position);
            return Ok(());
        }
        let indent = position.inner();
        for (index, item) in items.iter().enumerate() {
            self.start_line(index, indent, position);
            self.output.push_str("- ");
            self.node(item, Position::Item(indent))?;
        }
        Ok(())
    }

    fn map(&mut self, entries: Vec<(Value, Value)>, position: Position) -> Result<(), Trouble> {
        if entries.is_empty() {
            self.plain("{}", position);
            return Ok(());
        }
        let indent = position.inner();
        for (index, (key, value)) in entries.iter().enumerate() {
            self.start_line(index, indent, position);
            self.key(key, indent)?;
            self.node(value, Position::Member(indent))?;
        }
        Ok(())
    }

    fn key(&mut self, key: &Value, indent: usize) -> Result<(), Trouble> {
        let Data::Text(text) = &key.data else {
            self.node(key, Position::Item(indent))?;
            self.output.push(':');
            return Ok(());
        };
        let text = text.to_str();
        if text.contains('\n') || text.len() > MAX_SIMPLE_KEY_BYTES {
            self.output.push_str("? ");
            write_text(&text, Place::Value { indent: indent + INDENT }, &mut self.output);
            self.new_line(indent);
        } else {
            write_text(&text, Place::Key, &mut self.output);
        }
        self.output.push(':');
        Ok(())
    }

    /// The first entry of a collection within a list stands behind the dash.
    fn start_line(&mut self, index: usize, indent: usize, position: Position) {
        let stands_behind_dash = index == 0 && !matches!(position, Position::Member(_));
        if !stands_behind_dash {
            self.new_line(indent);
        }
    }

    fn new_line(&mut self, indent: usize) {
        if !self.output.ends_with('\n') {
            self.output.push('\n');
        }
        (0..indent).for_each(|_| self.output.push(' '));
    }
}

/// Keys and values in their order. Objects have the names of their fields in lower case.
fn entries(value: &Value) -> Result<Vec<(Value, Value)>, Trouble> {
    let mut entries: Vec<(Value, Value)> = match &value.data {
        Data::Map(map) => {
            map.entries.iter().map(|(key, item)| (Value::text(key.clone()), item.clone())).collect()
        }
        Data::Pairs(pairs) => pairs.entries.clone(),
        Data::Object(object) => {
            let field = |(field, item): (&crate::value::Field, &Value)| {
                (Value::text(field.name.to_lowercase()), item.clone())
            };
            return Ok(object.fields().map(field).collect());
        }
        _ => return Err(Trouble::Invalid(format!("cannot marshal type: {}", value.type_name()))),
    };
    entries.sort_by(|(left, _), (right, _)| compare_keys(left, right));
    Ok(entries)
}

fn compare_keys(left: &Value, right: &Value) -> Ordering {
    match (&left.data, &right.data) {
        (Data::Text(left), Data::Text(right)) => key::compare(&left.to_str(), &right.to_str()),
        (Data::Text(_), _) => Ordering::Greater,
        (_, Data::Text(_)) => Ordering::Less,
        _ => key::size(left).total_cmp(&key::size(right)),
    }
}

fn float(number: f64) -> String {
    match number {
        f64::INFINITY => ".inf".to_owned(),
        f64::NEG_INFINITY => "-.inf".to_owned(),
        _ if number.is_nan() => ".nan".to_owned(),
        _ => format_float(number),
    }
}

#[cfg(test)]
mod tests;
