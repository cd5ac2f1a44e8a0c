//! The functions of the language that make text. The language has them already; they are called
//! through here so that what they make is counted.

use core_clock::Time;
use gotmpl::{Template, Value};

use super::{Call, Table};
use crate::value;

pub(super) const TABLE: Table = &[
    ("print", call_native),
    ("printf", call_native),
    ("println", call_native),
    ("html", call_native),
    ("js", call_native),
    ("urlquery", call_native),
];

/// The widest field that a format can ask for.
const MAX_FIELD: usize = 65_536;

/// What a format may make beyond its arguments.
pub(super) fn width(call: &Call<'_>) -> usize {
    match (call.name, call.arguments.first()) {
        // A field is wide only when its width is written down, or given as a value.
        ("printf", Some(format)) => {
            let format = value::text(format);
            let fields = format.split('%').skip(1);
            let is_wide = |field: &&str| {
                field.starts_with(|c: char| c.is_ascii_digit() || "-+ #0*.[".contains(c))
            };
            fields.filter(is_wide).count().saturating_mul(MAX_FIELD)
        }
        _ => 0,
    }
}

/// A text between quotes, as Go writes it.
pub(super) fn quoted(text: &str, now: Time) -> Result<String, String> {
    let arguments = [Value::from("%q"), Value::from(text)];
    let call = Call { name: "printf", arguments: &arguments, now };
    call_native(&call).map(|value| value::text(&value))
}

fn call_native(call: &Call<'_>) -> Result<Value, String> {
    let arguments = (0..call.arguments.len()).map(|index| format!(" (index . {index})"));
    let arguments = arguments.collect::<Vec<_>>().concat();
    let source = format!("{{{{{}{arguments}}}}}", call.name);
    let template = Template::new("").parse(&source).map_err(|error| error.to_string())?;
    let data = Value::from(call.arguments.to_vec());
    let text = template.execute_to_string(&data).map_err(|error| error.to_string())?;
    Ok(text.into())
}
