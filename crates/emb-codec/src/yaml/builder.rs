//! From the events of a YAML parser to a value.

use std::collections::{BTreeSet, HashMap};

use granit_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value, map::Entry};

use super::{YamlError, scalar};
use crate::json::{Decoded, Duplicates, MAX_DEPTH};

/// What anchors and aliases may add to a document: bytes of text, and [`NODE_WEIGHT`] for each value.
const MAX_EXPANSION: usize = 6 * 1024 * 1024;
const NODE_WEIGHT: usize = 16;

/// Builds the first document of a text.
pub(super) fn build(text: &str) -> Result<Decoded, YamlError> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut builder = Builder {
        events: Parser::new_from_str_with_options(text, options),
        duplicates: Duplicates::default(),
        anchors: HashMap::new(),
        expansion: 0,
    };
    let value = loop {
        match builder.next()? {
            Event::StreamEnd => break Value::Null,
            event if event.is_node() => break builder.node(event, 0)?,
            _ => {}
        }
    };
    Ok(Decoded { value, duplicates: builder.duplicates.into_paths() })
}

struct Builder<'t> {
    events: Parser<'t, StrInput<'t>>,
    duplicates: Duplicates,
    anchors: HashMap<usize, Anchored>,
    expansion: usize,
}

/// A value that aliases may repeat.
struct Anchored {
    value: Value,
    size: Size,
}

/// What a value takes.
#[derive(Clone, Copy, Default)]
struct Size {
    weight: usize,
    depth: usize,
}

impl<'t> Builder<'t> {
    fn next(&mut self) -> Result<Event<'t>, YamlError> {
        match self.events.next() {
            Some(event) => Ok(event?.0),
            None => Ok(Event::StreamEnd),
        }
    }

    /// The value that starts with `event`, inside `depth` others.
    fn node(&mut self, event: Event<'t>, depth: usize) -> Result<Value, YamlError> {
        if depth > MAX_DEPTH {
            return Err(YamlError::TooDeep);
        }
        let (anchor, value) = match event {
            Event::Alias(anchor) => return self.alias(anchor, depth),
            Event::Scalar(text, style, anchor, tag) => {
                (anchor, scalar::value(&text, style, tag.as_deref())?)
            }
            Event::SequenceStart(_, anchor, _) => (anchor, self.sequence(depth)?),
            Event::MappingStart(_, anchor, _) => (anchor, self.mapping(depth)?),
            // Nothing else starts a node.
            _ => return Ok(Value::Null),
        };
        // The parser numbers anchors from one.
        if anchor != 0 {
            self.remember(anchor, &value)?;
        }
        Ok(value)
    }

    fn sequence(&mut self, depth: usize) -> Result<Value, YamlError> {
        let mut items = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event, Event::SequenceEnd | Event::StreamEnd) {
                return Ok(Value::Array(items));
            }
            let mark = self.duplicates.mark();
            let item = self.node(event, depth + 1)?;
            if self.duplicates.grew(mark) {
                self.duplicates.prefix(mark, &format!("[{}]", items.len()));
            }
            items.push(item);
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, YamlError> {
        let start = self.duplicates.mark();
        let mut members = Map::new();
        let mut merged = BTreeSet::new();
        loop {
            let event = self.next()?;
            if matches!(event, Event::MappingEnd | Event::StreamEnd) {
                return Ok(Value::Object(members));
            }
            let is_merge = is_merge_key(&event);
            let key = self.node(event, depth + 1)?;
            let mark = self.duplicates.mark();
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            if is_merge {
                for (key, value) in merge_members(value)? {
                    merged.insert(key.clone());
                    members.insert(key, value);
                }
                continue;
            }
            let key = member_name(key)?;
            if self.duplicates.grew(mark) {
                self.duplicates.prefix(mark, &format!(".{key}"));
            }
            let was_merged = merged.remove(&key);
            match members.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(value);
                }
                Entry::Occupied(mut taken) => {
                    if !was_merged {
                        self.duplicates.repeated(start, taken.key());
                    }
                    taken.insert(value);
                }
            }
        }
    }

    fn alias(&mut self, anchor: usize, depth: usize) -> Result<Value, YamlError> {
        let Some(Anchored { value, size }) = self.anchors.get(&anchor) else {
            return Err(YamlError::SelfReference);
        };
        if depth + size.depth > MAX_DEPTH {
            return Err(YamlError::TooDeep);
        }
        charge(&mut self.expansion, size.weight)?;
        Ok(value.clone())
    }

    fn remember(&mut self, anchor: usize, value: &Value) -> Result<(), YamlError> {
        let size = measure(value);
        // Keeping costs too: anchors inside anchors would keep the innermost value many times.
        charge(&mut self.expansion, size.weight)?;
        self.anchors.insert(anchor, Anchored { value: value.clone(), size });
        Ok(())
    }
}

fn charge(expansion: &mut usize, weight: usize) -> Result<(), YamlError> {
    *expansion = expansion.saturating_add(weight);
    if *expansion > MAX_EXPANSION { Err(YamlError::ExcessiveAliasing) } else { Ok(()) }
}

fn measure(value: &Value) -> Size {
    let inside = |size: Size, inner: &Value, name: usize| {
        let inner = measure(inner);
        Size { weight: size.weight + inner.weight + name, depth: size.depth.max(inner.depth + 1) }
    };
    let own = Size { weight: NODE_WEIGHT, depth: 0 };
    match value {
        Value::String(text) => Size { weight: NODE_WEIGHT + text.len(), depth: 0 },
        Value::Array(items) => items.iter().fold(own, |size, item| inside(size, item, 0)),
        Value::Object(members) => {
            members.iter().fold(own, |size, (name, inner)| inside(size, inner, name.len()))
        }
        _ => own,
    }
}

fn is_merge_key(event: &Event<'_>) -> bool {
    matches!(event, Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<")
}

/// The members that `<<` brings; of a list of mappings the first one wins.
fn merge_members(value: Value) -> Result<Map<String, Value>, YamlError> {
    match value {
        Value::Object(members) => Ok(members),
        Value::Array(items) => {
            items.into_iter().rev().try_fold(Map::new(), |mut all, item| match item {
                Value::Object(members) => {
                    all.extend(members);
                    Ok(all)
                }
                _ => Err(YamlError::Merge),
            })
        }
        _ => Err(YamlError::Merge),
    }
}

/// JSON has text for keys: numbers and booleans become theirs.
fn member_name(key: Value) -> Result<String, YamlError> {
    match key {
        Value::String(name) => Ok(name),
        Value::Number(_) | Value::Bool(_) => Ok(key.to_string()),
        other => Err(YamlError::Key(other)),
    }
}
