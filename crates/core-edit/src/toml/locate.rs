//! From a key path to a value of a TOML document.

use toml_edit::{Array, ArrayOfTables, Item, Table, TableLike, Value};

use crate::{EditError, KeyPath};

/// A place on the way.
#[derive(Clone, Copy)]
enum Place<'d> {
    Table(&'d dyn TableLike),
    Array(&'d Array),
    Tables(&'d ArrayOfTables),
    Scalar(&'d Value),
}

/// The scalar that a path leads to.
pub(super) fn locate<'d>(root: &'d Table, path: &KeyPath) -> Result<&'d Value, EditError> {
    let mut place = Place::Table(root);
    for part in path.parts() {
        place = step(place, path, part)?;
    }
    match place {
        Place::Scalar(value) => Ok(value),
        Place::Table(_) => Err(path.not_scalar("a table")),
        Place::Array(_) => Err(path.not_scalar("an array")),
        Place::Tables(_) => Err(path.not_scalar("an array of tables")),
    }
}

fn step<'d>(place: Place<'d>, path: &KeyPath, part: &str) -> Result<Place<'d>, EditError> {
    let missing = || path.not_found(format!("there is no {part:?}"));
    match place {
        Place::Table(table) => member(table, part).ok_or_else(missing),
        Place::Array(array) => {
            let index = path.index(part, array.len())?;
            array.get(index).map(of_value).ok_or_else(missing)
        }
        Place::Tables(tables) if part.bytes().all(|byte| byte.is_ascii_digit()) => {
            let index = path.index(part, tables.len())?;
            tables.get(index).map(|table| Place::Table(table)).ok_or_else(missing)
        }
        Place::Tables(tables) => only_member(tables, part).ok_or_else(missing),
        Place::Scalar(_) => Err(path.not_found(format!("{part:?} is looked for in a scalar"))),
    }
}

/// The member of the only table of an array that has it: upstream addresses such members without an index.
fn only_member<'d>(tables: &'d ArrayOfTables, part: &str) -> Option<Place<'d>> {
    let mut found = tables.iter().filter_map(|table| member(table, part));
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

fn member<'d>(table: &'d dyn TableLike, name: &str) -> Option<Place<'d>> {
    match table.get(name)? {
        Item::None => None,
        Item::Value(value) => Some(of_value(value)),
        Item::Table(table) => Some(Place::Table(table)),
        Item::ArrayOfTables(tables) => Some(Place::Tables(tables)),
    }
}

fn of_value(value: &Value) -> Place<'_> {
    match value {
        Value::Array(array) => Place::Array(array),
        Value::InlineTable(table) => Place::Table(table),
        scalar => Place::Scalar(scalar),
    }
}
