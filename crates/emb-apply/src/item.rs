//! What tells the items of a list apart.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    element::{KeyWriter, of_value},
    types::{Identity, ListKey, ListType},
};

/// Why an item of a list cannot be told from the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ItemProblem {
    #[error("associative list with keys may not have a null element")]
    Null,
    #[error("associative list with keys may not have non-map elements")]
    NoMap,
    #[error(
        "associative list with keys has an element that omits all key fields [{0}] (and doesn't have default values for any key fields)"
    )]
    NoKeys(String),
    #[error("associative list without keys has an element that's a map type")]
    Map,
    #[error("not supported: associative list with lists as elements")]
    List,
    #[error("associative list without keys has an element that's an explicit null")]
    NullValue,
    #[error("invalid indexing of non-associative list")]
    NoIdentity,
}

impl ListType {
    /// The path element that names `item`.
    pub(crate) fn element(&self, item: &Value) -> Result<String, ItemProblem> {
        match (&self.identity, item) {
            (Identity::Keys(keys), Value::Object(_)) => keyed(keys, item),
            (Identity::Keys(_), Value::Null) => Err(ItemProblem::Null),
            (Identity::Keys(_), _) => Err(ItemProblem::NoMap),
            (Identity::Value, Value::Object(_)) => Err(ItemProblem::Map),
            (Identity::Value, Value::Array(_)) => Err(ItemProblem::List),
            (Identity::Value, Value::Null) => Err(ItemProblem::NullValue),
            (Identity::Value, scalar) => Ok(of_value(scalar)),
            (Identity::None, _) => Err(ItemProblem::NoIdentity),
        }
    }

    /// The path elements of all items, in order; `None` when one has no identity.
    pub(crate) fn elements(&self, items: &[Value]) -> Option<Vec<String>> {
        items.iter().map(|item| self.element(item).ok()).collect()
    }

    /// The items by path element; several where the list breaks its promise. `None` when one has no identity.
    pub(crate) fn index<'v>(&self, items: &'v [Value]) -> Option<BTreeMap<String, Vec<&'v Value>>> {
        let mut index: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        for item in items {
            index.entry(self.element(item).ok()?).or_default().push(item);
        }
        Some(index)
    }
}

/// Members that are neither given nor have a default are left out: an item that gives one is another item.
fn keyed(keys: &[ListKey], item: &Value) -> Result<String, ItemProblem> {
    let given = keys
        .iter()
        .filter_map(|key| Some((&*key.name, item.get(&*key.name).or(key.default.as_ref())?)));
    let mut writer = KeyWriter::new();
    let mut named = false;
    for (name, value) in given {
        writer.add(name, value);
        named = true;
    }
    if named { Ok(writer.finish()) } else { Err(ItemProblem::NoKeys(names(keys))) }
}

fn names(keys: &[ListKey]) -> String {
    keys.iter().map(|key| format!("{:?}", key.name)).collect::<Vec<_>>().join(" ")
}
