//! Escapes, and how characters are written so that the engine takes them literally.

use std::fmt::Write as _;
use std::str::Chars;

use super::RegexError;

/// A class named by an escape.
pub(super) enum EscapedClass {
    /// The members of an ASCII class, to be put between brackets.
    Ascii(&'static str),
    /// A class by Unicode category or script, complete.
    Unicode(String),
}

pub(super) fn syntax_error(problem: &'static str, at: &str) -> RegexError {
    RegexError::Syntax { problem, at: at.chars().take(80).collect() }
}

/// Writes a character that stands for itself, inside and outside of classes.
pub(super) fn push_literal(character: char, output: &mut String) {
    if character.is_ascii() && !character.is_ascii_alphanumeric() {
        // Writing to a string cannot fail.
        let _ = write!(output, "\\x{{{:X}}}", u32::from(character));
    } else {
        output.push(character);
    }
}

/// Consumes `d`, `D`, `s`, `S`, `w`, `W` or a Unicode class after a backslash; nothing otherwise.
pub(super) fn take_class_escape(rest: &mut Chars<'_>) -> Result<Option<EscapedClass>, RegexError> {
    let mut ahead = rest.clone();
    let class = match ahead.next() {
        Some('d') => "0-9",
        Some('D') => "^0-9",
        Some('s') => "\\t\\n\\f\\r\\x20",
        Some('S') => "^\\t\\n\\f\\r\\x20",
        Some('w') => "0-9A-Za-z_",
        Some('W') => "^0-9A-Za-z_",
        Some(letter @ ('p' | 'P')) => {
            let class = unicode_class(letter, &mut ahead)?;
            *rest = ahead;
            return Ok(Some(EscapedClass::Unicode(class)));
        }
        _ => return Ok(None),
    };
    *rest = ahead;
    Ok(Some(EscapedClass::Ascii(class)))
}

/// `\pL`, `\p{Greek}`, `\p{^Greek}` and their opposites.
fn unicode_class(letter: char, rest: &mut Chars<'_>) -> Result<String, RegexError> {
    let text = rest.as_str();
    let name = match rest.next() {
        Some('{') => {
            let (name, after) = rest
                .as_str()
                .split_once('}')
                .ok_or_else(|| syntax_error("invalid character class range", text))?;
            *rest = after.chars();
            name.to_owned()
        }
        Some(category) => category.to_string(),
        None => return Err(syntax_error("invalid character class range", text)),
    };
    let (is_inverted, name) =
        name.strip_prefix('^').map_or((false, name.as_str()), |name| (true, name));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(syntax_error("invalid character class range", text));
    }
    let is_negated = (letter == 'P') != is_inverted;
    Ok(format!("\\{}{{{name}}}", if is_negated { 'P' } else { 'p' }))
}

/// Consumes what follows a backslash and stands for one character.
pub(super) fn take_character_escape(rest: &mut Chars<'_>) -> Result<char, RegexError> {
    let text = rest.as_str();
    let invalid = || syntax_error("invalid escape sequence", text);
    let character =
        rest.next().ok_or_else(|| syntax_error("trailing backslash at end of expression", ""))?;
    match character {
        'a' => Ok('\u{7}'),
        'f' => Ok('\u{c}'),
        'n' => Ok('\n'),
        'r' => Ok('\r'),
        't' => Ok('\t'),
        'v' => Ok('\u{b}'),
        'x' => take_hexadecimal(rest).ok_or_else(invalid),
        '0'..='7' => take_octal(character, rest).ok_or_else(invalid),
        punctuation if punctuation.is_ascii() && !punctuation.is_ascii_alphanumeric() => {
            Ok(punctuation)
        }
        _ => Err(invalid()),
    }
}

/// Two digits, or any number of them in braces.
fn take_hexadecimal(rest: &mut Chars<'_>) -> Option<char> {
    let text = rest.as_str();
    let (digits, after) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => text.split_at_checked(2)?,
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    *rest = after.chars();
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// Up to three octal digits. A single digit other than 0 would be a backreference, which there is
/// none.
fn take_octal(first: char, rest: &mut Chars<'_>) -> Option<char> {
    let mut value = first.to_digit(8)?;
    let mut count = 1;
    while count < 3 {
        let mut ahead = rest.clone();
        let Some(digit) = ahead.next().and_then(|next| next.to_digit(8)) else { break };
        value = value * 8 + digit;
        count += 1;
        *rest = ahead;
    }
    if first != '0' && count == 1 { None } else { char::from_u32(value) }
}
