//! Texts in YAML: plain where nobody can mistake them for something else, else in quotes or as a
//! block of lines.

use std::fmt::Write as _;

use crate::go::parse_float;
use crate::time::looks_like_time;

/// Where a text stands.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Before a colon.
    Key,
    /// Anywhere else; lines of the text are indented by so much.
    Value { indent: usize },
}

/// Writes something that is known to be safe.
pub(super) fn write_plain(text: &str, output: &mut String) {
    output.push_str(text);
}

/// Writes a text in the simplest form that is read back as the same text.
pub(super) fn write_text(text: &str, place: Place, output: &mut String) {
    let shape = Shape::of(text);
    match place {
        Place::Value { indent } if shape.has_breaks && shape.allows_block => {
            write_block(text, indent, output);
        }
        _ if shape.has_breaks || is_mistakable(text) => write_double_quoted(text, output),
        _ if shape.allows_plain => output.push_str(text),
        _ if shape.allows_single_quotes => {
            let _ = write!(output, "'{}'", text.replace('\'', "''"));
        }
        _ => write_double_quoted(text, output),
    }
}

/// What forms a text allows.
struct Shape {
    has_breaks: bool,
    allows_plain: bool,
    allows_single_quotes: bool,
    allows_block: bool,
}

impl Shape {
    fn of(text: &str) -> Self {
        let mut shape = Self {
            has_breaks: false,
            allows_plain: !text.starts_with("---") && !text.starts_with("..."),
            allows_single_quotes: true,
            allows_block: !text.is_empty(),
        };
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let is_followed_by_blank = characters.peek().is_none_or(|next| is_blank(*next));
            shape.check_indicator(character, previous, is_followed_by_blank);
            shape.check_character(character, previous);
            previous = Some(character);
        }
        let is_edge = |character: Option<char>| {
            character.is_some_and(|character| character == ' ' || is_break(character))
        };
        if is_edge(text.chars().next()) || is_edge(previous) {
            shape.allows_plain = false;
        }
        if previous == Some(' ') {
            shape.allows_block = false;
        }
        shape
    }

    /// Characters that mean something at this place.
    fn check_indicator(&mut self, character: char, previous: Option<char>, before_blank: bool) {
        let is_indicator = match (previous, character) {
            (None, _) if "#,[]{}&*!|>'\"%@`".contains(character) => true,
            (None, '?' | ':' | '-') | (Some(_), ':') => before_blank,
            (Some(previous), '#') => is_blank(previous) || is_break(previous),
            _ => false,
        };
        self.allows_plain &= !is_indicator;
    }

    fn check_character(&mut self, character: char, previous: Option<char>) {
        let after_break = previous.is_some_and(is_break);
        if character == ' ' && after_break {
            self.allows_plain = false;
            self.allows_single_quotes = false;
        }
        if is_break(character) {
            self.has_breaks = true;
            self.allows_plain = false;
            if previous == Some(' ') {
                self.allows_single_quotes = false;
                self.allows_block = false;
            }
        }
        if character == '\t' {
            self.allows_plain = false;
            self.allows_single_quotes = false;
        } else if !is_printable(character) {
            self.allows_plain = false;
            self.allows_single_quotes = false;
            self.allows_block = false;
        }
    }
}

fn is_blank(character: char) -> bool {
    character == ' ' || character == '\t'
}

fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && character != '\u{feff}'
}

/// Whether a plain text would be read as something else.
fn is_mistakable(text: &str) -> bool {
    is_word(text) || is_number(text) || looks_like_time(text)
}

fn is_word(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "null", "y", "n", "yes", "no", "on", "off"];
    let lower = text.to_ascii_lowercase();
    let mut tail = text.chars().skip(1);
    let is_spelled_well = tail.clone().all(|letter| letter.is_ascii_lowercase())
        || (text.starts_with(|first: char| first.is_ascii_uppercase())
            && tail.all(|letter| letter.is_ascii_uppercase()));
    matches!(text, "" | "~" | "<<") || (is_spelled_well && WORDS.contains(&lower.as_str()))
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if text.starts_with('.') {
        return parse_float(text).is_some();
    }
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return false;
    }
    let digits = unsigned.replace('_', "").to_ascii_lowercase();
    is_integer(&digits) || is_decimal(&digits) || is_base_60(unsigned)
}

fn is_integer(digits: &str) -> bool {
    let (digits, radix) = match digits.get(..2) {
        Some("0x") => (digits.get(2..).unwrap_or_default(), 16),
        Some("0o") => (digits.get(2..).unwrap_or_default(), 8),
        Some("0b") => (digits.get(2..).unwrap_or_default(), 2),
        _ => (digits, 10),
    };
    !digits.starts_with(['+', '-']) && u64::from_str_radix(digits, radix).is_ok()
}

fn is_decimal(digits: &str) -> bool {
    let has_form =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-'));
    has_form && digits.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `1:30`, which older readers take for a number in base 60.
fn is_base_60(text: &str) -> bool {
    let mut parts = text.split(':');
    let is_first = parts.next().is_some_and(|first| {
        first.starts_with(|digit: char| digit.is_ascii_digit())
            && first.bytes().all(|b| b.is_ascii_digit() || b == b'_')
    });
    let mut count = 0;
    let are_rest = parts.all(|part| {
        count += 1;
        let whole = part.split('.').next().unwrap_or_default();
        matches!(whole.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
            && part.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'_')
    });
    is_first && are_rest && count > 0
}

fn write_block(text: &str, indent: usize, output: &mut String) {
    output.push('|');
    if text.starts_with([' ', '\n', '\r']) {
        output.push('4');
    }
    if !text.ends_with('\n') {
        output.push('-');
    } else if text.ends_with("\n\n") || text == "\n" {
        output.push('+');
    }
    output.push('\n');
    for line in text.split_inclusive('\n') {
        if line != "\n" {
            (0..indent).for_each(|_| output.push(' '));
        }
        output.push_str(line);
    }
}

fn write_double_quoted(text: &str, output: &mut String) {
    output.push('"');
    for character in text.chars() {
        let escape = match character {
            '"' | '\\' => character,
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '\u{85}' => 'N',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ if is_printable(character) => {
                output.push(character);
                continue;
            }
            _ => {
                let code = u32::from(character);
                let _ = match code {
                    0..=0xFF => write!(output, "\\x{code:02X}"),
                    0x100..=0xFFFF => write!(output, "\\u{code:04X}"),
                    _ => write!(output, "\\U{code:08X}"),
                };
                continue;
            }
        };
        output.push('\\');
        output.push(escape);
    }
    output.push('"');
}
