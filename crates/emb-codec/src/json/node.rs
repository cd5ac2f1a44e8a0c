//! One value of a JSON text while it is being read.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, map::Entry};

use super::{MAX_DEPTH, duplicates::Duplicates, from_float, from_unsigned};

/// Reads a value at some depth, noting repeated members below it.
pub(crate) struct Node<'d> {
    depth: usize,
    duplicates: &'d mut Duplicates,
}

impl<'d> Node<'d> {
    pub(crate) fn root(duplicates: &'d mut Duplicates) -> Self {
        Self { depth: 0, duplicates }
    }

    /// The reader of a value inside this one, or an error when that is too deep.
    fn child<E: Error>(&mut self) -> Result<Node<'_>, E> {
        if self.depth > MAX_DEPTH {
            return Err(E::custom(format_args!("exceeded max depth of {MAX_DEPTH}")));
        }
        Ok(Node { depth: self.depth, duplicates: self.duplicates })
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(from_unsigned(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(from_float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Value, A::Error> {
        self.depth += 1;
        let mut items = Vec::new();
        loop {
            let mark = self.duplicates.mark();
            let Some(item) = list.next_element_seed(self.child()?)? else { break };
            if self.duplicates.grew(mark) {
                self.duplicates.prefix(mark, &format!("[{}]", items.len()));
            }
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Value, A::Error> {
        self.depth += 1;
        let start = self.duplicates.mark();
        let mut members = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let mark = self.duplicates.mark();
            let value = object.next_value_seed(self.child()?)?;
            if self.duplicates.grew(mark) {
                self.duplicates.prefix(mark, &format!(".{key}"));
            }
            match members.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(value);
                }
                Entry::Occupied(mut taken) => {
                    self.duplicates.repeated(start, taken.key());
                    taken.insert(value);
                }
            }
        }
        Ok(Value::Object(members))
    }
}
