//! Digests in lower-case hexadecimal, as they appear in names and on the wire.

use sha1::Sha1;
use sha2::{Digest as _, Sha256};

pub(crate) fn sha1_hex(text: &str) -> String {
    hex(&Sha1::digest(text))
}

/// The SHA-256 of these bytes.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as digits, two each.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
