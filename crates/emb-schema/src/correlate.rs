//! Which old item an item of a new list stands for.

use std::collections::HashMap;

use serde_json::Value;

/// The items of a map list by the values of their key members.
pub(crate) struct MapList<'v> {
    keys: &'v [Box<str>],
    /// Several under one key only where the list is invalid and came to be before its schema.
    items: HashMap<String, Vec<&'v Value>>,
}

impl<'v> MapList<'v> {
    pub(crate) fn new(keys: &'v [Box<str>], items: &'v [Value]) -> Self {
        let mut by_key: HashMap<String, Vec<&Value>> = HashMap::with_capacity(items.len());
        for item in items.iter().filter(|item| item.is_object()) {
            by_key.entry(identity(keys, item)).or_default().push(item);
        }
        Self { keys, items: by_key }
    }

    /// The item with the same keys as `item`: of several its equal, else the first.
    pub(crate) fn get(&self, item: &Value) -> Option<&'v Value> {
        if !item.is_object() {
            return None;
        }
        let same_keys = self.items.get(&identity(self.keys, item))?;
        same_keys.iter().find(|old| **old == item).or(same_keys.first()).copied()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_several_items_with_the_same_keys_each_stands_for_its_equal() {
        let keys = ["a".into()];
        let items = [json!({"a": 1, "b": 1}), json!({"a": 1, "b": 2}), json!({"a": 2})];
        let list = MapList::new(&keys, &items);
        assert_eq!(list.get(&items[1]), Some(&items[1]));
        assert_eq!(list.get(&json!({"a": 1, "b": 3})), Some(&items[0]));
        assert_eq!(list.get(&json!({"a": 3})), None);
        assert_eq!(list.get(&json!("a")), None);
    }
}
