//! What a plain scalar means: the rules of YAML 1.1, by which Kubernetes tools read, and where 1.2 differs.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use granit_parser::{ScalarStyle, Tag};
use serde_json::{Number, Value};

use crate::EditError;

const STANDARD_TAGS: &str = "tag:yaml.org,2002:";

/// The value of a scalar. Only plain ones without tag are interpreted; a tag of the user's own makes a text.
pub(super) fn value(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, EditError> {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { plain(text) } else { Ok(Value::from(text)) };
    };
    let name = tag.suffix_in_namespace(STANDARD_TAGS);
    let mismatch =
        |tag: &str| EditError::Scalar { text: text.to_owned(), wanted: format!("!!{tag}") };
    match name.as_deref() {
        Some("binary") => binary(text).ok_or_else(|| mismatch("binary")),
        Some(tag @ ("bool" | "int" | "float" | "null")) => {
            let value = plain(text)?;
            let fits = match tag {
                "bool" => value.is_boolean(),
                "null" => value.is_null(),
                "int" => value.is_i64() || value.is_u64(),
                _ => value.is_number(),
            };
            if fits { Ok(value) } else { Err(mismatch(tag)) }
        }
        _ => Ok(Value::from(text)),
    }
}

/// Interprets a plain scalar by the rules of YAML 1.1.
pub(super) fn plain(text: &str) -> Result<Value, EditError> {
    if is_not_finite(text) {
        return Err(EditError::Scalar {
            text: text.to_owned(),
            wanted: "a JSON number".to_owned(),
        });
    }
    Ok(if is_null(text) {
        Value::Null
    } else if let Some(truth) = truth(text) {
        Value::Bool(truth)
    } else {
        number(text).unwrap_or_else(|| Value::from(text))
    })
}

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

pub(super) fn is_not_finite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

pub(super) fn truth(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Some(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some(false)
        }
        _ => None,
    }
}

pub(super) fn number(text: &str) -> Option<Value> {
    match text.bytes().next()? {
        b'0'..=b'9' | b'+' | b'-' => {
            let digits = text.replace('_', "");
            integer(&digits).or_else(|| float(&digits))
        }
        b'.' => float(text),
        _ => None,
    }
}

/// Decimal, or with the prefixes `0x`, `0o`, `0b`; a leading zero alone means octal.
fn integer(text: &str) -> Option<Value> {
    let is_negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (radix, digits) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, unsigned.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, unsigned.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, unsigned.get(2..)?),
        [b'0', _, ..] => (8, unsigned.get(1..)?),
        _ => (10, unsigned),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    if is_negative {
        let signed = i128::from(magnitude).checked_neg()?;
        return i64::try_from(signed).ok().map(Value::from);
    }
    Some(Value::from(magnitude))
}

/// Digits with at most one point, then perhaps an exponent; a number too large for a float stays text.
fn float(text: &str) -> Option<Value> {
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mantissa = match unsigned.split_once(['e', 'E']) {
        None => unsigned,
        Some((mantissa, exponent)) => {
            let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if exponent.is_empty() || !is_digits(exponent) {
                return None;
            }
            mantissa
        }
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if (whole.is_empty() && fraction.is_empty()) || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}

fn binary(text: &str) -> Option<Value> {
    let packed: String = text.split_ascii_whitespace().collect();
    let bytes = STANDARD.decode(packed).ok()?;
    Some(Value::String(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_scalars_mean_what_kubernetes_tools_read() {
        for (text, expected) in [
            ("yes", json!(true)),
            ("n", json!(false)),
            ("tRUE", json!("tRUE")),
            ("", json!(null)),
            ("~", json!(null)),
            ("010", json!(8)),
            ("09", json!(9.0)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("-0b11", json!(-3)),
            ("0x", json!("0x")),
            ("1_000", json!(1000)),
            ("12345678901234567890", json!(12_345_678_901_234_567_890_u64)),
            ("1.10", json!(1.1)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("1e999", json!("1e999")),
            ("..5", json!("..5")),
            ("2024-01-15", json!("2024-01-15")),
            ("12:30", json!("12:30")),
        ] {
            assert_eq!(plain(text).unwrap(), expected, "{text}");
        }
        assert!(plain("-.inf").is_err());
    }
}
