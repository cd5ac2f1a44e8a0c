//! Which old item an item of a new list stands for.

use std::collections::HashMap;

use serde_json::Value;

/// The items of a map list by the values of their key members.
pub(crate) struct MapList<'v> {
    keys: &'v [Box<str>],
    items: HashMap<String, &'v Value>,
}

impl<'v> MapList<'v> {
    pub(crate) fn new(keys: &'v [Box<str>], items: &'v [Value]) -> Self {
        let mut by_key = HashMap::with_capacity(items.len());
        for item in items {
            if item.is_object() {
                by_key.entry(identity(keys, item)).or_insert(item);
            }
        }
        Self { keys, items: by_key }
    }

    /// The item with the same keys as `item`.
    pub(crate) fn get(&self, item: &Value) -> Option<&'v Value> {
        item.is_object().then(|| self.items.get(&identity(self.keys, item)).copied()).flatten()
    }
}

/// The key members of an item as one text; an absent key differs from every value.
pub(crate) fn identity(keys: &[Box<str>], item: &Value) -> String {
    let mut text = String::new();
    for key in keys {
        if let Some(value) = item.get(key.as_ref()) {
            text.push_str(&value.to_string());
        }
        text.push('\0');
    }
    text
}
