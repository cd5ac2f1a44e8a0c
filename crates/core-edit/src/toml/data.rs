//! A TOML document as values.

use toml_edit::{Item, TableLike, Value};

use crate::EditError;

/// A value of a TOML document. TOML tells integers from floats and knows points in time, which JSON does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A float, perhaps infinite or not a number.
    Float(f64),
    /// A text; dates and times of no particular zone are texts too.
    Text(String),
    /// A point in time, by RFC 3339.
    Moment(String),
    /// A list.
    List(Vec<Self>),
    /// A table, in the order of the file.
    Table(Vec<(String, Self)>),
}

/// Reads a document. A file with nothing in it is refused.
pub fn parse(text: &str) -> Result<Data, EditError> {
    if text.is_empty() {
        return Err(EditError::Empty);
    }
    Ok(of_table(super::read(text)?.as_table()))
}

fn of_table(table: &dyn TableLike) -> Data {
    Data::Table(
        table.iter().filter_map(|(key, item)| Some((key.to_owned(), of_item(item)?))).collect(),
    )
}

fn of_item(item: &Item) -> Option<Data> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(of_value(value)),
        Item::Table(table) => Some(of_table(table)),
        Item::ArrayOfTables(tables) => {
            Some(Data::List(tables.iter().map(|table| of_table(table)).collect()))
        }
    }
}

fn of_value(value: &Value) -> Data {
    match value {
        Value::String(text) => Data::Text(text.value().clone()),
        Value::Integer(number) => Data::Integer(*number.value()),
        Value::Float(number) => Data::Float(*number.value()),
        Value::Boolean(truth) => Data::Bool(*truth.value()),
        Value::Datetime(moment) => {
            let moment = moment.value();
            let text = moment.to_string();
            if moment.offset.is_some() { Data::Moment(text) } else { Data::Text(text) }
        }
        Value::Array(items) => Data::List(items.iter().map(of_value).collect()),
        Value::InlineTable(table) => of_table(table),
    }
}
