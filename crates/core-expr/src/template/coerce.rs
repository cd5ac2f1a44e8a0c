//! The type of what a template makes.

use crate::go::{parse_bool, parse_float};
use crate::json;
use crate::value::{Data, Value};

/// Gives a text the type that it looks like. One newline at its end does not count.
pub(super) fn coerce(text: Vec<u8>) -> Value {
    let body = text.strip_suffix(b"\n").unwrap_or(&text);
    if let [b'"', inner @ .., b'"'] = body {
        let newline = text.get(body.len()..).unwrap_or_default();
        return Value::text([inner, newline].concat());
    }
    if let Ok(valid) = std::str::from_utf8(body)
        && let Some(value) = scalar(valid)
    {
        return value;
    }
    json::read(body).unwrap_or_else(|_| Value::text(text))
}

/// Numbers that JSON has not stay text.
fn scalar(text: &str) -> Option<Value> {
    match parse_float(text) {
        Some(number) if number.is_finite() => Some(Value::float(number)),
        Some(_) => None,
        None => parse_bool(text).map(|truth| Data::Bool(truth).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_get_the_type_they_look_like() {
        for (text, want) in [
            ("1.10", "1.1"),
            ("t", "true"),
            ("null\n", "null"),
            (" [1]", "[1]"),
            ("inf", "\"inf\""),
            ("\"1\"\n", "\"1\\n\""),
            ("\"", "\"\\\"\""),
            ("a\n\n", "\"a\\n\\n\""),
            ("0x10", "\"0x10\""),
            ("", "\"\""),
            ("\n", "\"\\n\""),
            ("1\" and \"2", "\"1\\\" and \\\"2\""),
        ] {
            let value = coerce(text.as_bytes().to_vec());
            assert_eq!(json::write(&value).unwrap(), want, "{text:?}");
        }
    }
}
