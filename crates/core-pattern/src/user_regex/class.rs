//! Bracketed classes.
//!
//! The engine reads nested brackets and `&&`, `--`, `~~` as set operations; in upstream's dialect
//! they are plain characters, so every member is written out escaped.

use std::str::Chars;

use super::RegexError;
use super::escape::{
    EscapedClass, push_literal, syntax_error, take_character_escape, take_class_escape,
};

const POSIX_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// Translates a class after its opening bracket.
pub(super) fn translate_class(rest: &mut Chars<'_>, output: &mut String) -> Result<(), RegexError> {
    let text = rest.as_str();
    output.push('[');
    if rest.as_str().starts_with('^') {
        rest.next();
        output.push('^');
    }
    let mut is_first = true;
    loop {
        let next = rest.clone().next().ok_or_else(|| syntax_error("missing closing ]", text))?;
        if next == ']' && !is_first {
            rest.next();
            output.push(']');
            return Ok(());
        }
        translate_member(rest, output)?;
        is_first = false;
    }
}

fn translate_member(rest: &mut Chars<'_>, output: &mut String) -> Result<(), RegexError> {
    if let Some(posix) = take_posix_class(rest)? {
        output.push_str(posix);
        return Ok(());
    }
    let mut after_backslash = rest.clone();
    if after_backslash.next() == Some('\\')
        && let Some(class) = take_class_escape(&mut after_backslash)?
    {
        match class {
            EscapedClass::Ascii(members) => output.extend(["[", members, "]"]),
            EscapedClass::Unicode(class) => output.push_str(&class),
        }
        *rest = after_backslash;
        return Ok(());
    }
    translate_range(rest, output)
}

fn translate_range(rest: &mut Chars<'_>, output: &mut String) -> Result<(), RegexError> {
    let text = rest.as_str();
    let low = take_class_character(rest)?;
    push_literal(low, output);
    let is_range = rest
        .as_str()
        .strip_prefix('-')
        .is_some_and(|after| !after.is_empty() && !after.starts_with(']'));
    if !is_range {
        return Ok(());
    }
    rest.next();
    let high = take_class_character(rest)?;
    if high < low {
        return Err(syntax_error("invalid character class range", text));
    }
    output.push('-');
    push_literal(high, output);
    Ok(())
}

fn take_class_character(rest: &mut Chars<'_>) -> Result<char, RegexError> {
    match rest.next() {
        Some('\\') => take_character_escape(rest),
        Some(character) => Ok(character),
        None => Err(syntax_error("missing closing ]", "")),
    }
}

/// Consumes `[:name:]` or `[:^name:]`.
fn take_posix_class<'a>(rest: &mut Chars<'a>) -> Result<Option<&'a str>, RegexError> {
    let text = rest.as_str();
    let Some(end) = text.strip_prefix("[:").and_then(|inner| inner.find(":]")) else {
        return Ok(None);
    };
    let Some((class, after)) = text.split_at_checked(end + "[::]".len()) else { return Ok(None) };
    let name = class.trim_matches(['[', ':', ']']);
    if !POSIX_CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
        return Err(syntax_error("invalid character class range", class));
    }
    *rest = after.chars();
    Ok(Some(class))
}
