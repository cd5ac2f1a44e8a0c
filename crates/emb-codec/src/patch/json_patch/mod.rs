//! JSON patches, RFC 6902, with the habits of kube-apiserver: `replace` sets a member that is not there yet, a `test`
//! for null passes when there is nothing, and negative indices count from the end of a list.

mod budget;
mod pointer;

use serde_json::{Map, Value};

use self::{
    budget::Budget,
    pointer::{Pointer, Token},
};
use super::PatchError;

/// One request may ask for this many operations.
const MAX_OPERATIONS: usize = 10_000;

/// A JSON patch that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPatch {
    operations: Vec<Operation>,
}

/// Why an operation does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// An operation lacks a member or has one of no use.
    #[error("operation has no usable {0}")]
    Operation(&'static str),
    /// `op` is none of the six.
    #[error("unexpected kind: {0}")]
    Kind(String),
    /// There is nothing at a path.
    #[error("nothing at path {0:?}")]
    Missing(String),
    /// A `test` found another value.
    #[error("testing value {0:?} failed")]
    Test(String),
    /// The object would nest too deeply.
    #[error("the result is nested too deeply")]
    TooDeep,
    /// Copies took too much room, or the operations together too much work.
    #[error("the operations exceed the allowed {0}")]
    Budget(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
enum Operation {
    Add {
        path: Pointer,
        value: Value,
    },
    Remove {
        path: Pointer,
    },
    Replace {
        path: Pointer,
        value: Value,
    },
    Move {
        from: Pointer,
        path: Pointer,
    },
    Copy {
        from: Pointer,
        path: Pointer,
    },
    Test {
        path: Pointer,
        value: Value,
    },
    /// Refused when its turn comes: the API answers as for any operation that does not apply.
    Invalid(Failure),
}

/// Reads a JSON patch: a list of operations.
pub fn json_patch_parse(patch: &Value) -> Result<JsonPatch, PatchError> {
    let Value::Array(operations) = patch else {
        return Err(PatchError::Malformed("a JSON patch is a list of operations"));
    };
    if operations.len() > MAX_OPERATIONS {
        let got = operations.len();
        return Err(PatchError::TooManyOperations { limit: MAX_OPERATIONS, got });
    }
    let operations = operations.iter().map(read).collect::<Result<_, _>>()?;
    Ok(JsonPatch { operations })
}

impl JsonPatch {
    /// Applies the operations in order, up to the first that fails.
    pub fn apply(&self, target: &mut Value) -> Result<(), PatchError> {
        let mut budget = Budget::default();
        self.operations
            .iter()
            .try_for_each(|operation| operation.apply(target, &mut budget))
            .map_err(PatchError::Rejected)
    }
}

/// Members of the wrong type make the whole body unreadable; missing ones fail when the operation's turn comes.
fn read(operation: &Value) -> Result<Operation, PatchError> {
    let Value::Object(members) = operation else {
        return Err(PatchError::Malformed("an operation of a JSON patch is an object"));
    };
    let (op, path, from) = (text(members, "op")?, text(members, "path")?, text(members, "from")?);
    Ok(interpret(op, path, from, members).unwrap_or_else(Operation::Invalid))
}

fn text<'m>(members: &'m Map<String, Value>, key: &str) -> Result<Option<&'m str>, PatchError> {
    match members.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(PatchError::Malformed("op, path and from of an operation are strings")),
    }
}

fn interpret(
    op: Option<&str>,
    path: Option<&str>,
    from: Option<&str>,
    members: &Map<String, Value>,
) -> Result<Operation, Failure> {
    let path = || path.ok_or(Failure::Operation("path")).and_then(Pointer::parse);
    let from = || from.ok_or(Failure::Operation("from")).and_then(Pointer::parse);
    let value = || members.get("value").cloned().ok_or(Failure::Operation("value"));
    match op.unwrap_or("unknown") {
        "add" => Ok(Operation::Add { path: path()?, value: value()? }),
        "remove" => Ok(Operation::Remove { path: path()? }),
        "replace" => Ok(Operation::Replace { path: path()?, value: value()? }),
        "move" => Ok(Operation::Move { from: from()?, path: path()? }),
        "copy" => Ok(Operation::Copy { from: from()?, path: path()? }),
        "test" => Ok(Operation::Test { path: path()?, value: value().unwrap_or_default() }),
        other => Err(Failure::Kind(other.to_owned())),
    }
}

impl Operation {
    fn apply(&self, target: &mut Value, budget: &mut Budget) -> Result<(), Failure> {
        match self {
            Self::Add { path, value } => add(target, path, value.clone(), budget),
            Self::Remove { path } => remove(target, path, budget).map(drop),
            Self::Replace { path, value } => replace(target, path, value, budget),
            Self::Move { from, path } => {
                let value = remove(target, from, budget)?;
                add(target, path, value, budget)
            }
            Self::Copy { from, path } => {
                let value = from.find(target).ok_or_else(|| from.missing())?.clone();
                budget.copy(&value)?;
                add(target, path, value, budget)
            }
            Self::Test { path, value } => {
                let found = path.find(target);
                let equal =
                    found.map_or(value.is_null() && path.has_parent(target), |v| v == value);
                if equal { Ok(()) } else { Err(Failure::Test(path.to_string())) }
            }
            Self::Invalid(failure) => Err(failure.clone()),
        }
    }
}

fn add(
    target: &mut Value,
    path: &Pointer,
    value: Value,
    budget: &mut Budget,
) -> Result<(), Failure> {
    budget.nest(path.len(), &value)?;
    match path.find_parent(target).ok_or_else(|| path.missing())? {
        (Value::Object(members), key) => {
            members.insert(key.text().to_owned(), value);
        }
        (Value::Array(items), key) => {
            let at = insertion_index(key, items.len()).ok_or_else(|| path.missing())?;
            budget.shift(items.len() - at)?;
            items.insert(at, value);
        }
        _ => return Err(path.missing()),
    }
    Ok(())
}

fn insertion_index(key: &Token, length: usize) -> Option<usize> {
    if key.text() == "-" { Some(length) } else { key.index(length + 1) }
}

fn remove(target: &mut Value, path: &Pointer, budget: &mut Budget) -> Result<Value, Failure> {
    match path.find_parent(target).ok_or_else(|| path.missing())? {
        (Value::Object(members), key) => members.remove(key.text()).ok_or_else(|| path.missing()),
        (Value::Array(items), key) => {
            let at = key.index(items.len()).ok_or_else(|| path.missing())?;
            budget.shift(items.len() - at)?;
            Ok(items.remove(at))
        }
        _ => Err(path.missing()),
    }
}

fn replace(
    target: &mut Value,
    path: &Pointer,
    value: &Value,
    budget: &mut Budget,
) -> Result<(), Failure> {
    budget.nest(path.len(), value)?;
    if path.is_root() {
        target.clone_from(value);
        return Ok(());
    }
    match path.find_parent(target).ok_or_else(|| path.missing())? {
        (Value::Object(members), key) => {
            members.insert(key.text().to_owned(), value.clone());
        }
        (Value::Array(items), key) => {
            let place = key.index(items.len()).and_then(|at| items.get_mut(at));
            place.ok_or_else(|| path.missing())?.clone_from(value);
        }
        _ => return Err(path.missing()),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
