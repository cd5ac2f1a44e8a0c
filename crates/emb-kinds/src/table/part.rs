//! The part of an object that its cells are made of. The rest is passed over while the stored bytes are read: building
//! all of each object would be most of the work of a large table.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::{
    builtin::BuiltInKind,
    resource::{Origin, Resource},
};

/// What is kept of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// How many members or items it has, and the names of members: each value is null.
    Outline,
    /// Parts of some members; of anything but an object, nothing.
    Members(BTreeMap<String, Self>),
}

impl Part {
    /// What the cells of `resource` are made of.
    pub fn of_cells(resource: &Resource) -> Self {
        match resource.origin {
            Origin::Custom { .. } => {
                let mut part =
                    Self::members([("metadata", Self::members([("name", Self::Whole)]))]);
                for path in resource.columns.iter().filter_map(|column| column.path.as_ref()) {
                    part.add(path.leading_members());
                }
                part
            }
            Origin::BuiltIn(BuiltInKind::ConfigMap | BuiltInKind::Secret) => Self::members([
                ("metadata", Self::Whole),
                ("type", Self::Whole),
                ("data", Self::Outline),
                ("binaryData", Self::Outline),
            ]),
            Origin::BuiltIn(_) => Self::Whole,
        }
    }

    fn members<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Members(members.map(|(name, part)| (name.to_owned(), part)).into())
    }

    /// Adds all of the member at a path.
    fn add<'a>(&mut self, mut path: impl Iterator<Item = &'a str>) {
        let Self::Members(members) = self else { return };
        match path.next() {
            None => *self = Self::Whole,
            Some(name) => {
                let inner = members.entry(name.to_owned());
                inner.or_insert_with(|| Self::Members(BTreeMap::new())).add(path);
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for &Part {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        match self {
            Part::Whole => Value::deserialize(reader),
            Part::Outline | Part::Members(_) => reader.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for &Part {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(Name(name)) = members.next_key()? {
            let part = match self {
                Part::Members(parts) => parts.get(&*name),
                Part::Whole | Part::Outline => None,
            };
            if let Some(part) = part {
                kept.insert(name.into_owned(), members.next_value_seed(part)?);
                continue;
            }
            members.next_value::<IgnoredAny>()?;
            if *self == Part::Outline {
                kept.insert(name.into_owned(), Value::Null);
            }
        }
        Ok(Value::Object(kept))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut count = 0;
        while items.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(if *self == Part::Outline { vec![Value::Null; count].into() } else { Value::Null })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// The name of a member, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{builtins, table::JsonPath};

    fn read(part: &Part, object: &Value) -> Value {
        let text = object.to_string();
        part.deserialize(&mut serde_json::Deserializer::from_str(&text)).unwrap()
    }

    #[test]
    fn what_no_cell_shows_is_left_out() {
        let all = builtins();
        let secrets = all.iter().find(|r| r.built_in() == Some(BuiltInKind::Secret)).unwrap();
        let object = json!({"metadata": {"name": "n"}, "type": "Opaque", "immutable": true,
            "data": {"a": "1", "b\n": {"deep": [1]}}, "binaryData": [1, 2]});
        let expected = json!({"metadata": {"name": "n"}, "type": "Opaque",
            "data": {"a": null, "b\n": null}, "binaryData": [null, null]});
        assert_eq!(read(&Part::of_cells(secrets), &object), expected);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            "[ab]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::btree_map("[abc]", inner, 0..4)
                    .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_path_finds_the_same_in_the_part_as_in_the_whole(
            object in any_json(),
            paths in proptest::collection::vec("(\\.[abc]|\\[0\\]|\\[\\*\\]){1,4}", 1..4),
        ) {
            let paths: Vec<JsonPath> = paths.iter().map(|path| path.parse().unwrap()).collect();
            let mut part = Part::members([]);
            for path in &paths {
                part.add(path.leading_members());
            }
            let kept = read(&part, &object);
            for path in &paths {
                prop_assert_eq!(path.first(&kept), path.first(&object), "{}", path);
            }
        }
    }
}
