//! Values as text that survives the coercion of templates.

use crate::error::Trouble;
use crate::go::{plain_text, quote};
use crate::json;
use crate::library::HostFunction;
use crate::limits::Budget;
use crate::value::{Data, Value};
use crate::yaml;

pub(super) fn call(
    function: HostFunction,
    value: &Value,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let text = match (function, &value.data) {
        (HostFunction::Quote, Data::Text(text)) => quote(text),
        (HostFunction::AsYaml, _) => format!("\"{}\"", yaml::write(value)?),
        (HostFunction::AsJson, _) => format!("\"{}\n\"", json::write_indented(value)?),
        (HostFunction::Str, Data::Text(_)) => format!("\"{}\"", plain_text(value).to_str()),
        _ => format!("\"{}\"", json::write(value)?),
    };
    budget.text(text.len())?;
    Ok(Value::text(text))
}
