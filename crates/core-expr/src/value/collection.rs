//! Lists and maps. Depth, weight and taint are known without looking at the elements again.

use std::collections::BTreeMap;

use crate::text::Text;
use crate::value::Value;

/// What a list may hold, as far as built-ins tell lists apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    /// Anything.
    Any,
    /// Whole numbers of a range.
    Ints,
    /// Texts, from splitting one.
    Texts,
    /// Pairs of key and value.
    Pairs,
    /// One pair of key and value.
    Pair,
}

impl ListKind {
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::Any => "[]interface {}",
            Self::Ints => "[]int",
            Self::Texts => "[]string",
            Self::Pairs => "[][2]interface {}",
            Self::Pair => "[2]interface {}",
        }
    }
}

/// A list.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) items: Vec<Value>,
    pub(crate) kind: ListKind,
    /// There is no list; it still counts as an empty one in most operations.
    pub(crate) is_nil: bool,
    pub(crate) depth: u16,
    pub(crate) weight: usize,
    tainted: bool,
}

impl List {
    pub(crate) fn new(items: Vec<Value>, kind: ListKind) -> Self {
        let (depth, weight, tainted) = sum_up(items.iter());
        Self { items, kind, is_nil: false, depth, weight, tainted }
    }

    pub(crate) fn nil(kind: ListKind) -> Self {
        Self { is_nil: true, ..Self::new(Vec::new(), kind) }
    }

    pub(crate) fn is_tainted(&self) -> bool {
        self.tainted
    }
}

/// A map from text.
#[derive(Debug)]
pub(crate) struct Map {
    pub(crate) entries: BTreeMap<Text, Value>,
    /// All values are texts, and a missing one is an empty text.
    pub(crate) holds_texts: bool,
    /// There is no map; it still counts as an empty one in most operations.
    pub(crate) is_nil: bool,
    pub(crate) depth: u16,
    pub(crate) weight: usize,
    tainted: bool,
}

impl Map {
    pub(crate) fn new(entries: BTreeMap<Text, Value>) -> Self {
        let (depth, weight, tainted) = sum_up(entries.values());
        Self { entries, holds_texts: false, is_nil: false, depth, weight, tainted }
    }

    pub(crate) fn of_texts(entries: BTreeMap<Text, Value>) -> Self {
        Self { holds_texts: true, ..Self::new(entries) }
    }

    pub(crate) fn nil_of_texts() -> Self {
        Self { is_nil: true, ..Self::of_texts(BTreeMap::new()) }
    }

    pub(crate) fn is_tainted(&self) -> bool {
        self.tainted
    }
}

/// A map from any value, in the order of insertion.
#[derive(Debug)]
pub(crate) struct PairMap {
    pub(crate) entries: Vec<(Value, Value)>,
    /// All values are lists, and a missing one is an empty list.
    pub(crate) holds_lists: bool,
    pub(crate) depth: u16,
    pub(crate) weight: usize,
    tainted: bool,
}

impl PairMap {
    pub(crate) fn new(entries: Vec<(Value, Value)>, holds_lists: bool) -> Self {
        let (depth, weight, tainted) = sum_up(entries.iter().flat_map(|(key, value)| [key, value]));
        Self { entries, holds_lists, depth, weight, tainted }
    }

    pub(crate) fn is_tainted(&self) -> bool {
        self.tainted
    }
}

/// Depth, weight and taint of a collection.
fn sum_up<'a>(parts: impl Iterator<Item = &'a Value>) -> (u16, usize, bool) {
    let start = (1, Value::LEAF_WEIGHT, false);
    parts.fold(start, |(depth, weight, tainted), part| {
        (
            depth.max(part.depth().saturating_add(1)),
            weight.saturating_add(part.weight()),
            tainted || part.is_tainted(),
        )
    })
}
