//! A map for few large values.
//!
//! A `BTreeMap` has room for eleven values in its smallest node, and the statuses of Stages and
//! Promotions are full of maps that hold one or two large ones: they would be mostly room.

use std::{fmt, marker::PhantomData, slice};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};

/// Values by text, in the order of the texts, in one piece of memory. Changes cost as much as there
/// are entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallMap<V> {
    /// Ordered by key, each key once.
    entries: Vec<(String, V)>,
}

impl<V> SmallMap<V> {
    /// The value under this key.
    pub fn get(&self, key: &str) -> Option<&V> {
        let place = self.place(key).ok()?;
        self.entries.get(place).map(|(_, value)| value)
    }

    /// Puts a value under a key; returns the one it replaces.
    pub fn insert(&mut self, key: String, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => self.entries.get_mut(place).map(|(_, old)| std::mem::replace(old, value)),
            Err(place) => {
                self.entries.reserve_exact(1);
                self.entries.insert(place, (key, value));
                None
            }
        }
    }

    /// Drops the entries that this does not want.
    pub fn retain(&mut self, mut wants: impl FnMut(&str, &V) -> bool) {
        self.entries.retain(|(key, value)| wants(key, value));
    }

    /// The entries, in the order of their keys.
    pub fn iter(&self) -> slice::Iter<'_, (String, V)> {
        self.entries.iter()
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(known, _)| known.as_str().cmp(key))
    }
}

impl<V> Default for SmallMap<V> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<'a, V> IntoIterator for &'a SmallMap<V> {
    type Item = &'a (String, V);
    type IntoIter = slice::Iter<'a, (String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<V> FromIterator<(String, V)> for SmallMap<V> {
    /// Of entries with the same key the last counts.
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.reverse();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        entries.dedup_by(|(a, _), (b, _)| a == b);
        entries.shrink_to_fit();
        Self { entries }
    }
}

impl<V: Serialize> Serialize for SmallMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for SmallMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Collects the members of an object.
struct Entries<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
    type Value = SmallMap<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| access.next_entry().transpose()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shows_what_an_ordinary_map_shows(
            first in prop::collection::vec(("[a-d]", 0u8..9), 0..6),
            then in prop::collection::vec(("[a-d]", 0u8..9), 0..6),
        ) {
            let mut plain: BTreeMap<String, u8> = first.iter().cloned().collect();
            let mut small: SmallMap<u8> = first.into_iter().collect();
            for (key, value) in then {
                prop_assert_eq!(small.insert(key.clone(), value), plain.insert(key, value));
            }
            small.retain(|key, value| key != "d" || *value > 4);
            plain.retain(|key, value| key != "d" || *value > 4);
            prop_assert_eq!(small.len(), plain.len());
            prop_assert_eq!(small.is_empty(), plain.is_empty());
            prop_assert!(small.values().eq(plain.values()));
            for key in ["a", "b", "c", "d"] {
                prop_assert_eq!(small.get(key), plain.get(key));
            }
            let text = serde_json::to_string(&plain).unwrap();
            prop_assert_eq!(&serde_json::to_string(&small).unwrap(), &text);
            prop_assert_eq!(serde_json::from_str::<SmallMap<u8>>(&text).unwrap(), small);
        }
    }

    #[test]
    fn of_members_with_the_same_name_the_last_counts() {
        let read: SmallMap<u8> = serde_json::from_str(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(read.values().collect::<Vec<_>>(), [&3, &2]);
        assert!(serde_json::from_str::<SmallMap<u8>>("[]").is_err());
    }
}
