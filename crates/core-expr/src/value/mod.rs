//! What expressions compute with.
//!
//! A [`Value`] is cheap to copy and knows whether it holds content of a Secret. That *taint*
//! follows texts, numbers and every element of lists and maps through all operations. It does not
//! follow what only measures content: truth values, lengths and positions.

mod collection;
mod compare;
mod convert;
mod function;
mod object;

use std::fmt;
use std::sync::Arc;

use core_semver::Version;

use crate::text::Text;
use crate::time::{Moment, Zone};

pub(crate) use collection::{List, ListKind, Map, PairMap};
pub(crate) use compare::{Relation, equal, less, related};
pub use function::Function;
pub(crate) use object::{Field, FieldType, Object, ObjectType};

/// One value. Its debug form leaves out content of Secrets.
#[derive(Clone)]
pub struct Value {
    pub(crate) data: Data,
    tainted: bool,
}

/// The content of a value. Types that look the same in JSON are kept apart where upstream's
/// language tells them apart.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Nil,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(Text),
    Bytes(Text),
    List(Arc<List>),
    Map(Arc<Map>),
    /// A map whose keys need not be texts; it has no JSON form.
    Pairs(Arc<PairMap>),
    Moment(Arc<Moment>),
    /// Nanoseconds.
    Duration(i64),
    Zone(Zone),
    Month(u8),
    Weekday(u8),
    Version(Arc<Version>),
    Object(Arc<Object>),
    /// Nothing where an object of a type could have been.
    Absent(&'static ObjectType),
    Function(Function),
    /// A method that has not been called yet.
    Method(Arc<(Value, Text)>),
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tainted { f.write_str("(content of a Secret)") } else { self.data.fmt(f) }
    }
}

impl From<Data> for Value {
    fn from(data: Data) -> Self {
        Self { data, tainted: false }
    }
}

impl Value {
    /// No value.
    pub const NIL: Self = Self { data: Data::Nil, tainted: false };

    /// A text.
    pub fn text(text: impl Into<Text>) -> Self {
        Data::Text(text.into()).into()
    }

    /// A whole number.
    pub fn int(number: i64) -> Self {
        Data::Int(number).into()
    }

    /// A number.
    pub fn float(number: f64) -> Self {
        Data::Float(number).into()
    }

    /// A point in time.
    pub fn moment(moment: Moment) -> Self {
        Data::Moment(Arc::new(moment)).into()
    }

    /// A list.
    pub fn list(items: Vec<Self>) -> Self {
        Data::List(Arc::new(List::new(items, ListKind::Any))).into()
    }

    /// A map.
    pub fn map<K: Into<Text>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Data::Map(Arc::new(Map::new(entries))).into()
    }

    /// A function for expressions to call, such as an entry `header` of `request`.
    pub fn function(function: Function) -> Self {
        Data::Function(function).into()
    }

    /// The same value, marked as content of a Secret.
    #[must_use]
    pub fn tainted(mut self) -> Self {
        self.tainted = true;
        self
    }

    /// Whether this value or a part of it is content of a Secret.
    pub fn is_tainted(&self) -> bool {
        self.tainted
            || match &self.data {
                Data::List(list) => list.is_tainted(),
                Data::Map(map) => map.is_tainted(),
                Data::Pairs(pairs) => pairs.is_tainted(),
                Data::Object(object) => object.is_tainted(),
                _ => false,
            }
    }

    /// Whether the value itself is content of a Secret; of a map, its keys.
    pub(crate) fn has_own_taint(&self) -> bool {
        self.tainted
    }

    /// The same value, tainted too when `taint` is.
    #[must_use]
    pub(crate) fn with_taint(mut self, taint: bool) -> Self {
        self.tainted |= taint;
        self
    }

    /// Whether there is no value, also where a list, map or object could have been.
    pub fn is_nil(&self) -> bool {
        match &self.data {
            Data::Nil | Data::Absent(_) => true,
            Data::List(list) => list.is_nil,
            Data::Map(map) => map.is_nil,
            _ => false,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.data {
            Data::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&Text> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An entry of a map; `None` when there is none or this is no map.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.data {
            Data::Map(map) => map.entries.get(key.as_bytes()),
            _ => None,
        }
    }

    /// How many lists and maps are nested in each other here.
    pub(crate) fn depth(&self) -> u16 {
        match &self.data {
            Data::List(list) => list.depth,
            Data::Map(map) => map.depth,
            Data::Pairs(pairs) => pairs.depth,
            Data::Object(object) => object.depth(),
            Data::Method(method) => method.0.depth().saturating_add(1),
            _ => 0,
        }
    }

    /// What a value without text weighs.
    const LEAF_WEIGHT: usize = 16;

    /// How much there is to write when the value is written out.
    pub(crate) fn weight(&self) -> usize {
        match &self.data {
            Data::Text(text) | Data::Bytes(text) => text.len().saturating_add(Self::LEAF_WEIGHT),
            Data::List(list) => list.weight,
            Data::Map(map) => map.weight,
            Data::Pairs(pairs) => pairs.weight,
            Data::Object(object) => object.weight(),
            Data::Method(method) => method.0.weight(),
            _ => Self::LEAF_WEIGHT,
        }
    }

    /// Type and module of the value as upstream names them in messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match &self.data {
            Data::Nil => "<nil>",
            Data::Bool(_) => "bool",
            Data::Int(_) => "int",
            Data::Uint(_) => "uint64",
            Data::Float(_) => "float64",
            Data::Text(_) => "string",
            Data::Bytes(_) => "[]uint8",
            Data::List(list) => list.kind.type_name(),
            Data::Map(map) if map.holds_texts => "map[string]string",
            Data::Map(_) => "map[string]interface {}",
            Data::Pairs(_) => "map[interface {}]interface {}",
            Data::Moment(_) => "time.Time",
            Data::Duration(_) => "time.Duration",
            Data::Zone(_) => "*time.Location",
            Data::Month(_) => "time.Month",
            Data::Weekday(_) => "time.Weekday",
            Data::Version(_) => "semver.Version",
            Data::Object(object) => object.of.name,
            Data::Absent(of) => of.name,
            Data::Function(_) | Data::Method(_) => "func",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taint_of_parts_is_taint_of_the_whole() {
        let secret = Value::text("s3cr3t").tainted();
        let map = Value::map([("a", Value::list(vec![Value::int(1), secret]))]);
        assert!(map.is_tainted());
        assert!(!Value::map([("a", Value::int(1))]).is_tainted());
    }

    #[test]
    fn depth_counts_nested_collections() {
        let value = Value::list(vec![Value::map([("a", Value::list(vec![]))])]);
        assert_eq!(value.depth(), 3);
        assert_eq!(Value::int(1).depth(), 0);
    }
}
