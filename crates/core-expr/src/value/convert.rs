//! Values and JSON, truth, and the texts of Secrets that leave.

use std::sync::Arc;

use serde_json::{Map as JsonMap, Number, Value as Json};

use crate::go::{parse_bool, plain_text};
use crate::json;
use crate::text::Text;
use crate::value::{Data, List, Map, Object, Value};

impl Value {
    /// A value from JSON. Every number becomes a float, as in upstream's decoder.
    pub fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::NIL,
            Json::Bool(truth) => Data::Bool(*truth).into(),
            Json::Number(number) => Self::float(number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => Self::text(text.as_str()),
            Json::Array(items) => Self::list(items.iter().map(Self::from_json).collect()),
            Json::Object(members) => Self::map(
                members.iter().map(|(key, member)| (key.as_str(), Self::from_json(member))),
            ),
        }
    }

    /// A map whose values are texts and whose missing entries are empty texts.
    pub fn text_map<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), Self::text(value)));
        Data::Map(Arc::new(Map::of_texts(entries.collect()))).into()
    }

    /// The JSON form. Floats without a fraction become whole numbers. `None` for what has no JSON
    /// form: functions, numbers that are none, maps with keys that are no texts.
    pub fn to_json(&self) -> Option<Json> {
        Some(match &self.data {
            Data::Bool(truth) => Json::Bool(*truth),
            Data::Int(number) => Json::from(*number),
            Data::Uint(number) => Json::from(*number),
            Data::Float(number) => Json::Number(json_number(*number)?),
            Data::Text(text) => Json::String(text.to_str().into_owned()),
            Data::List(list) if !list.is_nil => {
                Json::Array(list.items.iter().map(Self::to_json).collect::<Option<_>>()?)
            }
            Data::Map(map) if !map.is_nil => {
                let member = |(key, value): (&Text, &Self)| {
                    Some((key.to_str().into_owned(), value.to_json()?))
                };
                Json::Object(map.entries.iter().map(member).collect::<Option<JsonMap<_, _>>>()?)
            }
            _ => {
                let text = json::write(self).ok()?;
                json::read(text.as_bytes()).ok()?.to_plain_json()?
            }
        })
    }

    /// The JSON form of what the JSON reader made.
    fn to_plain_json(&self) -> Option<Json> {
        match &self.data {
            Data::Nil => Some(Json::Null),
            _ => self.to_json(),
        }
    }

    /// The value as truth where upstream wants one: a truth value as it is, anything else if its
    /// text is one of `1 t T TRUE true True 0 f F FALSE false False`.
    pub fn truth(&self) -> Option<bool> {
        self.as_bool().or_else(|| parse_bool(&plain_text(self).to_str()))
    }

    /// Adds the text of every part that is content of a Secret.
    pub fn collect_tainted(&self, texts: &mut Vec<String>) {
        if !self.is_tainted() {
            return;
        }
        match &self.data {
            Data::List(list) => list.items.iter().for_each(|item| item.collect_tainted(texts)),
            Data::Map(map) => {
                if self.has_own_taint() {
                    texts.extend(map.entries.keys().map(|key| key.to_str().into_owned()));
                }
                map.entries.values().for_each(|item| item.collect_tainted(texts));
            }
            Data::Pairs(pairs) => {
                for (key, value) in &pairs.entries {
                    key.collect_tainted(texts);
                    value.collect_tainted(texts);
                }
            }
            Data::Object(object) => {
                object.values.iter().for_each(|item| item.collect_tainted(texts));
            }
            Data::Nil | Data::Bool(_) => {}
            _ => texts.push(plain_text(self).to_str().into_owned()),
        }
    }

    /// The same value with every part marked as content of a Secret.
    #[must_use]
    pub(crate) fn deeply_tainted(self) -> Self {
        match &self.data {
            Data::List(list) if !list.is_nil => {
                let items = list.items.iter().cloned().map(Self::deeply_tainted).collect();
                Data::List(Arc::new(List::new(items, list.kind))).into()
            }
            Data::Map(map) if !map.is_nil => {
                let taint =
                    |(key, value): (&Text, &Self)| (key.clone(), value.clone().deeply_tainted());
                let entries = map.entries.iter().map(taint).collect();
                let map = if map.holds_texts { Map::of_texts(entries) } else { Map::new(entries) };
                Self::from(Data::Map(Arc::new(map))).tainted()
            }
            Data::Object(object) => {
                let values = object.values.iter().cloned().map(Self::deeply_tainted).collect();
                Object::value(object.of, values)
            }
            Data::Bool(_) | Data::Nil => self,
            _ => self.tainted(),
        }
    }

    /// The same value, tainted in all its parts when `taint` is.
    #[must_use]
    pub(crate) fn deeply_tainted_if(self, taint: bool) -> Self {
        if taint { self.deeply_tainted() } else { self }
    }
}

/// A number as it comes back from JSON text: whole ones as integers.
fn json_number(number: f64) -> Option<Number> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if number.fract() == 0.0 && number > -LIMIT && number < LIMIT && !is_negative_zero(number) {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within range")]
        return Some(Number::from(number as i64));
    }
    Number::from_f64(number)
}

fn is_negative_zero(number: f64) -> bool {
    number == 0.0 && number.is_sign_negative()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_survives_a_round_trip() {
        let json = json!({"a": [1, 2.5, null, true, "x"], "b": {}});
        assert_eq!(Value::from_json(&json).to_json(), Some(json));
        assert_eq!(Value::float(f64::NAN).to_json(), None);
    }

    #[test]
    fn truth_is_read_from_text() {
        assert_eq!(Value::text("t").truth(), Some(true));
        assert_eq!(Value::float(1.0).truth(), Some(true));
        assert_eq!(Value::text("yes").truth(), None);
        assert_eq!(Value::NIL.truth(), None);
    }

    #[test]
    fn tainted_parts_are_collected() {
        let mut texts = Vec::new();
        let value = Value::list(vec![Value::text("a"), Value::text("b").tainted()]);
        value.collect_tainted(&mut texts);
        assert_eq!(texts, ["b"]);
    }
}
