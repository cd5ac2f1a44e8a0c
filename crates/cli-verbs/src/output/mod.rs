//! How results are shown: names, tables, and documents in several forms.

mod age;
mod columns;
mod format;
mod go_template;
pub(crate) mod jsonpath;
mod kyaml;
mod print_args;
mod table;

use cli_client::Object;
use serde_json::{Value, json};

pub(crate) use age::age;
pub(crate) use columns::{Columns, Width};
pub(crate) use format::Format;
pub(crate) use print_args::PrintArgs;
pub(crate) use table::Table;

use crate::{env::Env, exit::CliResult};

/// `<kind>[.<group>]/<name>`, by which scripts know an object.
pub(crate) fn full_name(object: &Object) -> String {
    let kind = object.kind().to_lowercase();
    match object.group() {
        "" => format!("{kind}/{}", object.name()),
        group => format!("{kind}.{group}/{}", object.name()),
    }
}

/// One object as itself, any other number as a list.
pub(crate) fn document(objects: &[Object]) -> Value {
    match objects {
        [only] => only.value().clone(),
        many => {
            let items: Vec<&Value> = many.iter().map(Object::value).collect();
            json!({ "apiVersion": "v1", "kind": "List", "items": items, "metadata": {} })
        }
    }
}

impl Env {
    /// Shows an object that something was done with; `operation` is what, or empty.
    pub(crate) fn show_done(
        &self,
        print: &PrintArgs,
        object: &Object,
        operation: &str,
    ) -> CliResult {
        let name = full_name(object);
        match print.format()? {
            None | Some(Format::Table(_)) if operation.is_empty() => self.out_line(&name),
            None | Some(Format::Table(_)) => self.out_line(&format!("{name} {operation}")),
            Some(Format::Name) => self.out_line(&name),
            Some(format) => self.out(&format.write(print, object.value())?),
        }
    }

    /// Shows objects in a table, unless another form was asked for.
    pub(crate) fn show_objects(
        &self,
        print: &PrintArgs,
        columns: Columns,
        has_head: bool,
        objects: &[Object],
    ) -> CliResult {
        match print.format()? {
            Some(Format::Name) => {
                objects.iter().try_for_each(|object| self.out_line(&full_name(object)))
            }
            None => self.show_table(columns, Width::Normal, has_head, objects),
            Some(Format::Table(width)) => self.show_table(columns, width, has_head, objects),
            Some(format) => self.out(&format.write(print, &document(objects))?),
        }
    }

    fn show_table(
        &self,
        columns: Columns,
        width: Width,
        has_head: bool,
        objects: &[Object],
    ) -> CliResult {
        let head = columns.head(width);
        let now = self.now();
        let rows: Vec<_> = objects.iter().map(|one| columns.row(one, width, now)).collect();
        self.out(&self.table().draw(has_head.then_some(&head), &rows))
    }
}
