//! Lengths, types, and values as text, JSON and base64.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::builtin::{Arguments, Builtin};
use crate::error::Trouble;
use crate::go::plain_text;
use crate::json;
use crate::limits::Budget;
use crate::value::{Data, Value};

/// Padding is required, and surplus bits of the last character are ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

pub(super) fn call(
    builtin: Builtin,
    arguments: &Arguments<'_>,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let value = arguments.value(0)?;
    let text = match builtin {
        Builtin::Len => return length(value),
        Builtin::Type => return Ok(Value::text(type_of(value))),
        Builtin::FromJson => return json::read(arguments.text(0)?.as_bytes()),
        Builtin::FromBase64 => return decode(arguments.text(0)?.as_bytes()),
        Builtin::String => plain_text(value),
        Builtin::ToJson => json::write_indented(value)?.into(),
        _ => BASE64.encode(arguments.text(0)?.as_bytes()).into(),
    };
    budget.text(text.len())?;
    Ok(Value::text(text))
}

/// Line breaks within base64 do not count.
fn decode(text: &[u8]) -> Result<Value, Trouble> {
    let encoded: Vec<u8> =
        text.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    match BASE64.decode(encoded) {
        Ok(bytes) => Ok(Value::text(bytes)),
        Err(_) => Err(Trouble::from("illegal base64 data")),
    }
}

fn length(value: &Value) -> Result<Value, Trouble> {
    let length = match &value.data {
        Data::Text(text) => text.count_characters(),
        Data::Bytes(bytes) => bytes.len(),
        Data::List(list) => list.items.len(),
        Data::Map(map) => map.entries.len(),
        Data::Pairs(pairs) => pairs.entries.len(),
        _ => {
            let name = value.type_name();
            return Err(Trouble::Invalid(format!("invalid argument for len (type {name})")));
        }
    };
    Ok(Value::int(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn type_of(value: &Value) -> &'static str {
    match &value.data {
        Data::Nil => "nil",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int",
        Data::Uint(_) => "uint",
        Data::Float(_) => "float",
        Data::Text(_) => "string",
        Data::Bytes(_) | Data::List(_) => "array",
        Data::Map(_) | Data::Pairs(_) => "map",
        Data::Moment(_) => "time.Time",
        Data::Duration(_) => "time.Duration",
        Data::Month(_) => "time.Month",
        Data::Weekday(_) => "time.Weekday",
        Data::Zone(_) => "time.Location",
        Data::Version(_) => "github.com/Masterminds/semver/v3.Version",
        Data::Object(object) if !object.of.is_reference => object.of.path,
        Data::Object(_) | Data::Absent(_) => "unknown",
        Data::Function(_) | Data::Method(_) => "func",
    }
}
