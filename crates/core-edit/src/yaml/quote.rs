//! How a text is written as a YAML scalar, and how values are shown in messages.

use granit_parser::ScalarStyle;
use serde_json::Value;

use super::scalar;
use crate::{Scalar, text};

/// Where a scalar stands; between brackets and braces fewer texts can do without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Block,
    Flow,
}

/// The scalar as it is written, with the quotes of the one that it replaces.
pub(crate) fn write(scalar: &Scalar, replaced: ScalarStyle, place: Place) -> String {
    match scalar {
        Scalar::Text(text) => write_text(text, replaced, place),
        other => other.literal().unwrap_or_default(),
    }
}

/// The text as it is written. Quotes are single ones where they do, except around what another type would be read
/// from: there double ones are usual.
pub(crate) fn write_text(text: &str, replaced: ScalarStyle, place: Place) -> String {
    let is_one_line = text.chars().all(text::is_printable);
    match replaced {
        ScalarStyle::DoubleQuoted => text::quoted(text),
        ScalarStyle::SingleQuoted if is_one_line => single_quoted(text),
        _ if is_plain(text, place) => text.to_owned(),
        _ if is_one_line && !is_ambiguous(text) && !text.is_empty() => single_quoted(text),
        _ => text::quoted(text),
    }
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether the text without quotes is read back as that text, by YAML 1.1 and by 1.2.
pub(crate) fn is_plain(text: &str, place: Place) -> bool {
    !text.is_empty()
        && text.trim() == text
        && text.chars().all(text::is_printable)
        && may_start(text, place)
        && !has_indicator(text, place)
        && !is_ambiguous(text)
}

fn may_start(text: &str, place: Place) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('-' | '?' | ':') => {
            place == Place::Block
                && characters.next().is_some_and(|next| next != ' ')
                && !text.starts_with("---")
        }
        Some(
            ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`',
        ) => false,
        _ => !text.starts_with("..."),
    }
}

/// Whether something in the text ends a plain scalar.
fn has_indicator(text: &str, place: Place) -> bool {
    let ends = text.contains(": ") || text.ends_with(':') || text.contains(" #");
    ends || (place == Place::Flow && text.contains([',', '[', ']', '{', '}', ':']))
}

/// Whether a reader of any version would take the text for something else than a text.
fn is_ambiguous(text: &str) -> bool {
    scalar::is_null(text)
        || scalar::is_not_finite(text)
        || scalar::truth(text).is_some()
        || scalar::number(text).is_some()
        || matches!(text, "<<" | "=")
        || is_moment(text)
        || is_sexagesimal(text)
        || is_quoted_by_the_reference(text)
}

/// `2024-01-15`, alone or with a time behind.
fn is_moment(text: &str) -> bool {
    let date_length = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, _) = text.split_at_checked(date_length).unwrap_or_default();
    let parts: Vec<&str> = date.split('-').collect();
    let is_number = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    matches!(parts[..], [year, month, day]
        if is_number(year, 4..=4) && is_number(month, 1..=2) && is_number(day, 1..=2))
}

/// `12:30:45`, a number to the base of 60 in YAML 1.1.
fn is_sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    unsigned.contains(':')
        && unsigned.starts_with(|first: char| first.is_ascii_digit())
        && unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.' | b'_'))
}

/// What upstream puts in quotes: texts that Go reads as a float or a truth value, and anything that is JSON.
fn is_quoted_by_the_reference(text: &str) -> bool {
    is_go_float(text)
        || matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True")
        || matches!(text, "0" | "f" | "F" | "FALSE" | "false" | "False")
        || serde_json::from_str::<Value>(text).is_ok()
}

fn is_go_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let hexadecimal = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    match hexadecimal {
        None => text.parse::<f64>().is_ok(),
        Some(digits) => digits.split_once(['p', 'P']).is_some_and(|(mantissa, exponent)| {
            let mantissa = mantissa.replacen('.', "", 1);
            !mantissa.is_empty()
                && mantissa.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
                && exponent.parse::<i32>().is_ok()
        }),
    }
}

/// A new value in the message of a commit, in upstream's words: quotes around what they distinguish from another type.
pub fn message_text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) if is_quoted_by_the_reference(text) => text::quoted(text),
        Scalar::Text(text) => text.clone(),
        other => other.literal().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        write_text(text, ScalarStyle::Plain, Place::Block)
    }

    #[test]
    fn texts_are_bare_where_every_reader_gets_the_text_back() {
        for text in [
            "v1.0.1",
            "a:b",
            "sha256:abc",
            "é日本",
            "😀",
            "a#b",
            "-x",
            "1.2.3",
            "0o8",
            "a b",
            "x'y",
            "1.2.3-rc.1+build",
            "2024-01-15-abc",
            "latest",
            "a,b",
        ] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn texts_that_would_be_read_as_another_type_get_double_quotes() {
        for text in [
            "",
            "1",
            "0x10",
            "0o17",
            "1e5",
            "NaN",
            "Inf",
            "true",
            "yes",
            "y",
            "null",
            "~",
            "007",
            ".5",
            "[]",
            "{\"a\": 1}",
            "2024-01-15",
            "2024-01-15T10:00:00Z",
            "12:30",
            "1_000",
            "<<",
        ] {
            assert_eq!(plain(text), text::quoted(text), "{text}");
        }
        assert_eq!(plain("a\nb"), r#""a\nb""#);
    }

    #[test]
    fn texts_that_break_the_syntax_get_single_quotes() {
        for text in [
            "a: b", "a #b", "[a", "&x", "*x", "|", "> x", "- a", "@at", "%p", " a", "a ", "a:",
            "-", "---x",
        ] {
            assert_eq!(plain(text), format!("'{text}'"));
        }
        assert_eq!(plain("'q'"), "'''q'''");
        assert_eq!(write_text("a,b", ScalarStyle::Plain, Place::Flow), "'a,b'");
        assert_eq!(write_text("a:b", ScalarStyle::Plain, Place::Flow), "'a:b'");
    }

    #[test]
    fn the_quotes_of_the_replaced_scalar_stay() {
        assert_eq!(write_text("x", ScalarStyle::DoubleQuoted, Place::Block), "\"x\"");
        assert_eq!(write_text("it's", ScalarStyle::SingleQuoted, Place::Block), "'it''s'");
        assert_eq!(write_text("a\nb", ScalarStyle::SingleQuoted, Place::Block), r#""a\nb""#);
        assert_eq!(write(&Scalar::Bool(true), ScalarStyle::DoubleQuoted, Place::Block), "true");
    }

    #[test]
    fn messages_quote_as_upstream_does() {
        for (text, expected) in [
            ("a: b", "a: b"),
            ("0x10", "0x10"),
            ("~", "~"),
            ("007", "\"007\""),
            ("Inf", "\"Inf\""),
            ("\"dq\"", r#""\"dq\"""#),
            ("0x1p-2", "\"0x1p-2\""),
        ] {
            assert_eq!(message_text(&Scalar::Text(text.to_owned())), expected);
        }
    }
}
