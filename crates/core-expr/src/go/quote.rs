//! Texts in quotes.

use std::fmt::Write as _;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::text::{Characters, Text};

/// The text in double quotes with escapes for quotes, backslashes and what cannot be printed.
pub(crate) fn quote(text: &Text) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for (bytes, character) in Characters::new(text.as_bytes()) {
        match character {
            Some(character) => push_escaped(&mut quoted, character),
            None => {
                for byte in bytes {
                    let _ = write!(quoted, "\\x{byte:02x}");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

fn push_escaped(quoted: &mut String, character: char) {
    let escape = match character {
        '"' | '\\' => character,
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\u{b}' => 'v',
        _ if is_printable(character) => {
            quoted.push(character);
            return;
        }
        _ => {
            let code = u32::from(character);
            let _ = match code {
                0..0x20 | 0x7f => write!(quoted, "\\x{code:02x}"),
                0..0x1_0000 => write!(quoted, "\\u{code:04x}"),
                _ => write!(quoted, "\\U{code:08x}"),
            };
            return;
        }
    };
    quoted.push('\\');
    quoted.push(escape);
}

/// Letters, marks, numbers, punctuation, symbols and the plain space.
fn is_printable(character: char) -> bool {
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
    fn what_cannot_be_printed_is_escaped() {
        let text = Text::from("a\"\\\n\u{1}é日\u{a0}\u{200b}\u{feff}\u{7f}😀\u{e0001}");
        assert_eq!(quote(&text), r#""a\"\\\n\x01é日\u00a0\u200b\ufeff\x7f😀\U000e0001""#);
        assert_eq!(quote(&Text::from(&b"a\xff"[..])), r#""a\xff""#);
    }
}
