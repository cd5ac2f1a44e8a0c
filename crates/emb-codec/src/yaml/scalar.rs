//! What a scalar means.

use base64::{Engine, engine::general_purpose::STANDARD};
use granit_parser::{ScalarStyle, Tag};
use serde_json::Value;

use super::YamlError;
use crate::json::{from_float, from_unsigned};

const STANDARD_TAGS: &str = "tag:yaml.org,2002:";

/// The value of a scalar. Only plain ones without tag are interpreted; a tag of the user's own makes a string.
pub(super) fn value(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, YamlError> {
    let Some(tag) = tag else {
        return match style {
            ScalarStyle::Plain => plain(text),
            _ => Ok(Value::from(text)),
        };
    };
    let name = tag.suffix_in_namespace(STANDARD_TAGS);
    let mismatch = |tag: &str| YamlError::Tag { text: text.to_owned(), tag: tag.to_owned() };
    match name.as_deref() {
        Some("binary") => binary(text).ok_or_else(|| mismatch("binary")),
        Some(tag @ ("bool" | "int" | "float" | "null")) => {
            let value = plain(text)?;
            let fits = match tag {
                "bool" => value.is_boolean(),
                "null" => value.is_null(),
                "int" => value.is_i64(),
                _ => value.is_number(),
            };
            if fits { Ok(value) } else { Err(mismatch(tag)) }
        }
        _ => Ok(Value::from(text)),
    }
}

/// Interprets a plain scalar by the rules of YAML 1.1.
fn plain(text: &str) -> Result<Value, YamlError> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF"
        | "-.inf" | "-.Inf" | "-.INF" => return Err(YamlError::NotFinite(text.to_owned())),
        _ => number(text).unwrap_or_else(|| Value::from(text)),
    })
}

fn number(text: &str) -> Option<Value> {
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
    let negative = text.starts_with('-');
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
    if negative {
        let signed = i128::from(magnitude).checked_neg()?;
        return i64::try_from(signed).ok().map(Value::from);
    }
    Some(from_unsigned(magnitude))
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
    text.parse().ok().filter(|float: &f64| float.is_finite()).map(from_float)
}

fn binary(text: &str) -> Option<Value> {
    let packed: String = text.split_ascii_whitespace().collect();
    let bytes = STANDARD.decode(packed).ok()?;
    Some(Value::String(String::from_utf8_lossy(&bytes).into_owned()))
}
