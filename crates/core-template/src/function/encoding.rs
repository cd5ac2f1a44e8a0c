//! Other forms of texts and values: Base64, Base32, hashes, JSON.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use gotmpl::Value;
use serde_json::Value as Json;
use sha2::Digest as _;

use super::{Call, Table};
use crate::value;

pub(super) const TABLE: Table = &[
    ("b64enc", |call| Ok(STANDARD.encode(call.text(0)?).into())),
    ("b64dec", |call| {
        let bytes = STANDARD.decode(call.text(0)?).map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned().into())
    }),
    ("b32enc", |call| Ok(to_base32(call.text(0)?.as_bytes()).into())),
    ("b32dec", |call| {
        let bytes = from_base32(&call.text(0)?).ok_or("illegal base32 data")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned().into())
    }),
    ("sha1sum", |call| Ok(hexadecimal(&sha1::Sha1::digest(call.text(0)?)).into())),
    ("sha256sum", |call| Ok(hexadecimal(&sha2::Sha256::digest(call.text(0)?)).into())),
    ("sha512sum", |call| Ok(hexadecimal(&sha2::Sha512::digest(call.text(0)?)).into())),
    ("adler32sum", |call| Ok(adler32(call.text(0)?.as_bytes()).to_string().into())),
    ("toJson", to_json),
    ("mustToJson", to_json),
    ("toRawJson", to_raw_json),
    ("mustToRawJson", to_raw_json),
    ("toPrettyJson", to_pretty_json),
    ("mustToPrettyJson", to_pretty_json),
    ("fromJson", |call| Ok(parsed(call).unwrap_or(Value::Nil))),
    ("mustFromJson", parsed),
];

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// JSON that can stand in HTML.
fn to_json(call: &Call<'_>) -> Result<Value, String> {
    let json = value::to_json(call.value(0)?).to_string();
    let safe = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    Ok(safe.into())
}

fn to_raw_json(call: &Call<'_>) -> Result<Value, String> {
    Ok(value::to_json(call.value(0)?).to_string().into())
}

fn to_pretty_json(call: &Call<'_>) -> Result<Value, String> {
    let json = value::to_json(call.value(0)?);
    serde_json::to_string_pretty(&json).map(Into::into).map_err(|error| error.to_string())
}

fn parsed(call: &Call<'_>) -> Result<Value, String> {
    let json: Json = serde_json::from_str(&call.text(0)?).map_err(|error| error.to_string())?;
    Ok(value::from_json(&json))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn adler32(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % MODULUS;
        (low, (high + low) % MODULUS)
    });
    (high << 16) | low
}

fn to_base32(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(5) {
        let bits = (0..5).fold(0_u64, |bits, index| {
            (bits << 8) | u64::from(group.get(index).copied().unwrap_or_default())
        });
        let digits = (group.len() * 8).div_ceil(5);
        for index in 0..8 {
            let digit = usize::try_from((bits >> (35 - 5 * index)) & 31).unwrap_or_default();
            let letter = BASE32.get(digit).copied().unwrap_or(b'=');
            text.push(char::from(if index < digits { letter } else { b'=' }));
        }
    }
    text
}

fn from_base32(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.trim_end_matches('=').bytes() {
        let digit = BASE32.iter().position(|known| *known == letter)?;
        bits = (bits << 5) | u32::try_from(digit).ok()?;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}
