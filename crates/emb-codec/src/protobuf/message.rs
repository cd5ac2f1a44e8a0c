//! Reads one message by its table.

use serde_json::{Map, Value};

use super::{
    MAX_DEPTH, Malformed, ProtobufError,
    table::{Kind, Member, Shape, Slot, Table},
    wire::{Field, Fields},
};

type Members = Map<String, Value>;

/// Adds the members of a message, at some depth, to `object`. Fields that the table does not know are skipped.
pub(super) fn read(
    table: &Table,
    bytes: &[u8],
    depth: usize,
    object: &mut Members,
) -> Result<(), ProtobufError> {
    if depth >= MAX_DEPTH {
        return Err(ProtobufError::TooDeep);
    }
    for field in Fields::new(bytes) {
        let field = field.map_err(Malformed::from)?;
        let member = table.members.iter().find(|member| member.number == field.number);
        if let Some(member) = member {
            store(member, &field, depth, object)?;
        }
    }
    Ok(())
}

/// Reads a message as the value that it stands for.
pub(super) fn read_value(
    table: &Table,
    bytes: &[u8],
    depth: usize,
) -> Result<Value, ProtobufError> {
    let mut object = Members::new();
    read(table, bytes, depth, &mut object)?;
    match table.shape {
        Shape::Object => Ok(Value::Object(object)),
        Shape::OneOf => {
            let mut names = table.members.iter().filter_map(|member| member.slot.name());
            Ok(names.find_map(|name| object.remove(name)).unwrap_or_default())
        }
    }
}

impl Slot {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Kept(name) | Self::Filled(name) | Self::List(name) | Self::Map(name) => {
                Some(name)
            }
            Self::Inline => None,
        }
    }
}

fn store(
    member: &Member,
    field: &Field<'_>,
    depth: usize,
    object: &mut Members,
) -> Result<(), ProtobufError> {
    match (member.slot, &member.kind) {
        (Slot::Inline, Kind::Message(inner)) => read(inner, field.bytes()?, depth + 1, object)?,
        // The tables have nothing else inline.
        (Slot::Inline, _) => {}
        (Slot::Kept(name), kind) => {
            object.insert(name.to_owned(), kind.read(field, depth)?);
        }
        (Slot::Filled(name), kind) => {
            let value = kind.read(field, depth)?;
            if is_empty(&value) {
                object.remove(name);
            } else {
                object.insert(name.to_owned(), value);
            }
        }
        (Slot::List(name), kind) => {
            let item = kind.read(field, depth)?;
            let list = object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(items) = list {
                items.push(item);
            }
        }
        (Slot::Map(name), kind) => {
            let (key, value) = entry(kind, field, depth)?;
            let map = object.entry(name).or_insert_with(|| Value::Object(Members::new()));
            if let Value::Object(entries) = map {
                entries.insert(key, value);
            }
        }
    }
    Ok(())
}

/// An entry of a map is a message `{1: key, 2: value}`; what is left out is empty.
fn entry(kind: &Kind, field: &Field<'_>, depth: usize) -> Result<(String, Value), ProtobufError> {
    let mut key = String::new();
    let mut value = None;
    for part in Fields::new(field.bytes()?) {
        let part = part.map_err(Malformed::from)?;
        match part.number {
            1 => part.text()?.clone_into(&mut key),
            2 => value = Some(kind.read(&part, depth)?),
            _ => {}
        }
    }
    Ok((key, value.unwrap_or_else(|| kind.empty())))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}
