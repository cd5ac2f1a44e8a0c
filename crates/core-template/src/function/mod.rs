//! The functions, by what they are about.

mod builtin;
mod date;
mod encoding;
mod expression;
mod flow;
mod list;
mod map;
mod number;
mod path;
mod text;
mod version;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use core_clock::Time;
use gotmpl::{FuncMap, TemplateError, Value};

use crate::budget::Budget;
use crate::value;

/// What a function does.
type Body = fn(&Call<'_>) -> Result<Value, String>;

/// Functions by name.
type Table = &'static [(&'static str, Body)];

/// One call of a function.
pub(crate) struct Call<'a> {
    name: &'a str,
    arguments: &'a [Value],
    now: Time,
}

/// The functions of one template.
pub(crate) fn functions(budget: &Budget, now: Time) -> FuncMap {
    let tables: [Table; 12] = [
        builtin::TABLE,
        date::TABLE,
        encoding::TABLE,
        expression::TABLE,
        flow::TABLE,
        list::TABLE,
        map::TABLE,
        number::TABLE,
        path::TABLE,
        text::TABLE,
        version::TABLE,
        words::TABLE,
    ];
    let mut functions = FuncMap::new();
    for &(name, body) in tables.into_iter().flatten() {
        let budget = budget.clone();
        let function = move |arguments: &[Value]| {
            let call = Call { name, arguments, now };
            call.run(body, &budget)
                .map_err(|reason| TemplateError::Exec(format!("error calling {name}: {reason}")))
        };
        functions.insert(name.to_owned(), Arc::new(function));
    }
    functions
}

impl Call<'_> {
    fn run(&self, body: Body, budget: &Budget) -> Result<Value, String> {
        budget.charge(self.arguments, builtin::width(self))?;
        let value = body(self)?;
        budget.charge(std::slice::from_ref(&value), 0)?;
        Ok(value)
    }

    fn value(&self, index: usize) -> Result<&Value, String> {
        self.arguments.get(index).ok_or_else(|| {
            format!("wrong number of args: got {}, want {}", self.arguments.len(), index + 1)
        })
    }

    fn text(&self, index: usize) -> Result<String, String> {
        self.value(index).map(value::text)
    }

    fn integer(&self, index: usize) -> Result<i64, String> {
        self.value(index).map(value::integer)
    }

    /// A count or a length; what is negative is zero.
    fn size(&self, index: usize) -> Result<usize, String> {
        self.integer(index).map(|number| usize::try_from(number).unwrap_or_default())
    }

    fn number(&self, index: usize) -> Result<f64, String> {
        self.value(index).map(value::number)
    }

    fn list(&self, index: usize) -> Result<&[Value], String> {
        match self.value(index)? {
            Value::List(items) => Ok(items),
            other => Err(format!("{} wants a list, not a {}", self.name, other.type_name())),
        }
    }

    fn map(&self, index: usize) -> Result<&BTreeMap<Arc<str>, Value>, String> {
        match self.value(index)? {
            Value::Map(entries) => Ok(entries),
            other => Err(format!("{} wants a dict, not a {}", self.name, other.type_name())),
        }
    }
}

/// A list of texts.
fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Value {
    texts.into_iter().map(|text| Value::from(text.as_ref())).collect::<Vec<_>>().into()
}

/// A list.
fn list_of(items: impl IntoIterator<Item = Value>) -> Value {
    items.into_iter().collect::<Vec<_>>().into()
}
