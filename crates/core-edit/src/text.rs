//! How values are shown in messages, and numbers in files.

use std::fmt::Write as _;

use serde_json::Number;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// A number in plain decimals: no exponent, and no point when it is whole.
pub(crate) fn number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => float.to_string(),
        _ => number.to_string(),
    }
}

/// The text in double quotes, with escapes for quotes, backslashes and what cannot be printed.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        push_escaped(&mut quoted, character);
    }
    quoted.push('"');
    quoted
}

/// Adds a character as it stands between double quotes. The escapes are those that Go and YAML have in common.
fn push_escaped(quoted: &mut String, character: char) {
    let code = u32::from(character);
    let _ = match character {
        '"' | '\\' => write!(quoted, "\\{character}"),
        '\u{7}' => write!(quoted, "\\a"),
        '\u{8}' => write!(quoted, "\\b"),
        '\u{c}' => write!(quoted, "\\f"),
        '\n' => write!(quoted, "\\n"),
        '\r' => write!(quoted, "\\r"),
        '\t' => write!(quoted, "\\t"),
        '\u{b}' => write!(quoted, "\\v"),
        _ if is_printable(character) => write!(quoted, "{character}"),
        _ => match code {
            0..0x20 | 0x7f => write!(quoted, "\\x{code:02x}"),
            0..0x1_0000 => write!(quoted, "\\u{code:04x}"),
            _ => write!(quoted, "\\U{code:08x}"),
        },
    };
}

/// Letters, marks, numbers, punctuation, symbols and the plain space.
pub(crate) fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return (' '..='~').contains(&character);
    }
    !matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_exponents() {
        for (text, expected) in [
            ("1", "1"),
            ("-1", "-1"),
            ("1.0", "1"),
            ("1e6", "1000000"),
            ("1e-7", "0.0000001"),
            ("1.5", "1.5"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(number(&serde_json::from_str(text).unwrap()), expected);
        }
    }

    #[test]
    fn what_cannot_be_printed_is_escaped() {
        assert_eq!(quoted("a\"\\\n\u{1}\u{2028}é😀\u{feff}"), r#""a\"\\\n\x01\u2028é😀\ufeff""#);
    }
}
