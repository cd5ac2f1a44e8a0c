//! A document as JSON.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::{
    scalar,
    tree::{Content, Document, Entry, Node},
};
use crate::{EditError, MAX_DEPTH};

/// What anchors and aliases may add to a document: bytes of text, and [`NODE_WEIGHT`] for each value.
pub(super) const MAX_EXPANSION: usize = 6 * 1024 * 1024;
/// What a value counts beside its text.
pub(super) const NODE_WEIGHT: usize = 16;

/// The document as JSON; null when there are only comments.
pub(super) fn value(document: &Document<'_>) -> Result<Value, EditError> {
    let mut builder = Builder::default();
    document.root.as_ref().map_or(Ok(Value::Null), |root| builder.node(root, 0))
}

#[derive(Default)]
struct Builder {
    anchors: HashMap<usize, Anchored>,
    expansion: usize,
}

/// A value that aliases may repeat.
struct Anchored {
    value: Value,
    weight: usize,
    depth: usize,
}

impl Builder {
    fn node(&mut self, node: &Node<'_>, depth: usize) -> Result<Value, EditError> {
        let value = match &node.content {
            Content::Alias(id) => return self.alias(*id, depth),
            Content::Scalar { text, style } => {
                let text = if node.is_empty_scalar() { "" } else { text };
                scalar::value(text, *style, node.tag.as_ref().map(|tag| &tag.tag))?
            }
            Content::Sequence { items, .. } => {
                let items = items.iter().map(|item| self.node(item, depth + 1));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Content::Mapping { entries, .. } => self.mapping(entries, depth)?,
        };
        if let Some(anchor) = &node.anchor {
            self.remember(anchor.id, &value)?;
        }
        Ok(value)
    }

    fn mapping(&mut self, entries: &[Entry<'_>], depth: usize) -> Result<Value, EditError> {
        let mut members = Map::new();
        let mut own = BTreeSet::new();
        for Entry { key, value, .. } in entries {
            let is_merge = super::is_merge_key(key);
            let key = self.node(key, depth + 1)?;
            let value = self.node(value, depth + 1)?;
            if is_merge {
                let merged = merged_members(value)?;
                members.extend(merged.into_iter().filter(|(name, _)| !own.contains(name)));
            } else {
                let name = member_name(key)?;
                own.insert(name.clone());
                members.insert(name, value);
            }
        }
        Ok(Value::Object(members))
    }

    fn alias(&mut self, id: usize, depth: usize) -> Result<Value, EditError> {
        let Some(Anchored { value, weight, depth: height }) = self.anchors.get(&id) else {
            return Err(EditError::SelfReference);
        };
        if depth + height > MAX_DEPTH {
            return Err(EditError::TooDeep);
        }
        charge(&mut self.expansion, *weight)?;
        Ok(value.clone())
    }

    fn remember(&mut self, id: usize, value: &Value) -> Result<(), EditError> {
        let (weight, depth) = measure(value);
        // Keeping costs too: anchors inside anchors would keep the innermost value many times.
        charge(&mut self.expansion, weight)?;
        self.anchors.insert(id, Anchored { value: value.clone(), weight, depth });
        Ok(())
    }
}

/// Counts what an alias repeats.
pub(super) fn charge(expansion: &mut usize, weight: usize) -> Result<(), EditError> {
    *expansion = expansion.saturating_add(weight);
    if *expansion > MAX_EXPANSION { Err(EditError::ExcessiveAliasing) } else { Ok(()) }
}

/// Weight and depth of a value.
fn measure(value: &Value) -> (usize, usize) {
    let inside = |(weight, depth): (usize, usize), inner: &Value, name: usize| {
        let (inner_weight, inner_depth) = measure(inner);
        (weight + inner_weight + name, depth.max(inner_depth + 1))
    };
    match value {
        Value::String(text) => (NODE_WEIGHT + text.len(), 0),
        Value::Array(items) => {
            items.iter().fold((NODE_WEIGHT, 0), |size, item| inside(size, item, 0))
        }
        Value::Object(members) => members
            .iter()
            .fold((NODE_WEIGHT, 0), |size, (name, inner)| inside(size, inner, name.len())),
        _ => (NODE_WEIGHT, 0),
    }
}

/// The members that `<<` brings; of a list of mappings the first one wins.
fn merged_members(value: Value) -> Result<Map<String, Value>, EditError> {
    match value {
        Value::Object(members) => Ok(members),
        Value::Array(items) => {
            items.into_iter().rev().try_fold(Map::new(), |mut all, item| match item {
                Value::Object(members) => {
                    all.extend(members);
                    Ok(all)
                }
                _ => Err(EditError::MergeKey),
            })
        }
        _ => Err(EditError::MergeKey),
    }
}

/// JSON has text for keys: numbers and booleans become theirs.
fn member_name(key: Value) -> Result<String, EditError> {
    match key {
        Value::String(name) => Ok(name),
        Value::Number(_) | Value::Bool(_) => Ok(key.to_string()),
        Value::Null => Err(EditError::MappingKey("null")),
        Value::Array(_) => Err(EditError::MappingKey("a list")),
        Value::Object(_) => Err(EditError::MappingKey("a mapping")),
    }
}
