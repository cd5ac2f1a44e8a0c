//! Patterns of schemas and of CEL: RE2 syntax as Go reads it, run by the `regex` crate.
//!
//! The two dialects differ in little that matters: Go's `\w \d \s \b` are ASCII, its classes know no set operations,
//! and it reads `\Q…\E` and octal escapes. A pattern is therefore rewritten before it is compiled.

use std::iter::Peekable;
use std::str::Chars;

use regex::bytes::{Regex, RegexBuilder};

/// A compiled pattern may take this much memory.
const SIZE_LIMIT: usize = 1 << 20;
/// Patterns longer than this are refused.
const LENGTH_LIMIT: usize = 64 << 10;

/// Compiles a pattern; the error is the reason in words.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > LENGTH_LIMIT {
        return Err("error parsing regexp: expression too long".to_owned());
    }
    let translated =
        translate(pattern).map_err(|reason| format!("error parsing regexp: {reason}"))?;
    RegexBuilder::new(&translated).size_limit(SIZE_LIMIT).nest_limit(200).build().map_err(|error| {
        match last_line(&error.to_string()) {
            "unclosed group" => format!("error parsing regexp: missing closing ): `{pattern}`"),
            reason => format!("error parsing regexp: {reason}"),
        }
    })
}

fn last_line(text: &str) -> &str {
    let line = text.lines().last().unwrap_or(text);
    line.strip_prefix("error: ").unwrap_or(line)
}

fn translate(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut input = pattern.chars().peekable();
    while let Some(next) = input.next() {
        match next {
            '\\' => escape(&mut input, &mut out, Context::Outside)?,
            '[' => class(&mut input, &mut out)?,
            '(' => {
                out.push('(');
                check_group(&input)?;
            }
            other => out.push(other),
        }
    }
    Ok(out)
}

/// Refuses group flags that Go does not know, such as `(?x)`, and look-around.
fn check_group(rest: &Peekable<Chars<'_>>) -> Result<(), String> {
    let mut ahead = rest.clone();
    if ahead.next() != Some('?') {
        return Ok(());
    }
    let unsupported = |mark: char| Err(format!("invalid or unsupported Perl syntax: `(?{mark}`"));
    if let Some(mark @ ('=' | '!')) = ahead.peek() {
        return unsupported(*mark);
    }
    if ahead.next_if_eq(&'<').is_some() && matches!(ahead.peek(), Some('=' | '!')) {
        return unsupported('<');
    }
    let flags: String =
        ahead.take_while(|&flag| flag.is_ascii_alphabetic() || flag == '-').collect();
    let is_name = flags.starts_with('P');
    match flags.chars().find(|flag| !is_name && !"imsU-".contains(*flag)) {
        Some(flag) => unsupported(flag),
        None => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Outside,
    Class,
}

fn escape(
    input: &mut Peekable<Chars<'_>>,
    out: &mut String,
    context: Context,
) -> Result<(), String> {
    let Some(escaped) = input.next() else {
        return Err("trailing backslash at end of expression: ``".to_owned());
    };
    match escaped {
        'd' | 'w' | 's' => members(out, perl_class(escaped), context),
        'D' => out.push_str("[^0-9]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        'S' => out.push_str("[^\\t\\n\\f\\r ]"),
        'b' | 'B' if context == Context::Outside => {
            out.push_str("(?-u:\\");
            out.push(escaped);
            out.push(')');
        }
        'v' => out.push_str("\\x0B"),
        'Q' if context == Context::Outside => quoted(input, out),
        '0'..='7' => octal(escaped, input, out)?,
        'a' | 'f' | 't' | 'n' | 'r' | 'x' | 'p' | 'P' => {
            out.push('\\');
            out.push(escaped);
        }
        'A' | 'z' if context == Context::Outside => {
            out.push('\\');
            out.push(escaped);
        }
        other if other.is_ascii() && !other.is_ascii_alphanumeric() => literal(other, out),
        other => return Err(format!("invalid escape sequence: `\\{other}`")),
    }
    Ok(())
}

fn perl_class(name: char) -> &'static str {
    match name {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        _ => "\\t\\n\\f\\r ",
    }
}

fn members(out: &mut String, ranges: &str, context: Context) {
    match context {
        Context::Class => out.push_str(ranges),
        Context::Outside => {
            out.push('[');
            out.push_str(ranges);
            out.push(']');
        }
    }
}

fn literal(character: char, out: &mut String) {
    if character.is_ascii_punctuation() && !"<>_".contains(character) {
        out.push('\\');
    }
    out.push(character);
}

fn quoted(input: &mut Peekable<Chars<'_>>, out: &mut String) {
    while let Some(next) = input.next() {
        if next == '\\' && input.peek() == Some(&'E') {
            input.next();
            return;
        }
        literal(next, out);
    }
}

fn octal(first: char, input: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    let is_octal = |digit: Option<&char>| digit.is_some_and(|digit| ('0'..='7').contains(digit));
    if first != '0' && !is_octal(input.peek()) {
        return Err(format!("invalid escape sequence: `\\{first}`"));
    }
    let mut code = first.to_digit(8).unwrap_or_default();
    for _ in 0..2 {
        if !is_octal(input.peek()) {
            break;
        }
        code = code * 8 + input.next().and_then(|digit| digit.to_digit(8)).unwrap_or_default();
    }
    if let Some(character) = char::from_u32(code) {
        literal(character, out);
    }
    Ok(())
}

/// Rewrites a bracket expression, whose `[` was just read.
fn class(input: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if input.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    while let Some(next) = input.next() {
        match next {
            ']' if !first => {
                out.push(']');
                return Ok(());
            }
            '\\' => escape(input, out, Context::Class)?,
            '[' if input.peek() == Some(&':') => posix(input, out),
            '-' if first || input.peek() == Some(&']') => out.push_str("\\-"),
            '-' => {
                out.push('-');
                if input.next_if_eq(&'-').is_some() {
                    out.push_str("\\-");
                }
            }
            '[' | ']' | '&' | '~' => {
                out.push('\\');
                out.push(next);
            }
            other => out.push(other),
        }
        first = false;
    }
    Err("missing closing ]".to_owned())
}

/// Copies `[:name:]`, whose `[` was just read.
fn posix(input: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('[');
    for next in input.by_ref() {
        out.push(next);
        if next == ']' {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn perl_classes_are_ascii() {
        for (pattern, yes, no) in [
            (r"^\w+$", "a_9", "é"),
            (r"^\d+$", "09", "٣"),
            (r"^[\w.\-\_]+$", "a.b-c_", "a b"),
            (r"^\s$", " ", "\u{a0}"),
            (r"^[^\d]$", "é", "4"),
            (r"\bx\b", "éxé", "axa"),
            (r"^[\W]$", "é", "a"),
            (r"^[a[&&b]$", "[", "z"),
            (r"^\Qa.b\E$", "a.b", "axb"),
            (r"^\101\x42$", "AB", "A"),
            (r"^[+--]$", ",", "a"),
            (r"^[[:alpha:]\]]$", "]", "1"),
            (r"^(?i)kelvin$", "KELVIN", "kelvi"),
        ] {
            let regex = compile(pattern).unwrap();
            assert!(regex.is_match(yes.as_bytes()), "{pattern} {yes}");
            assert!(!regex.is_match(no.as_bytes()), "{pattern} {no}");
        }
    }

    #[test]
    fn what_go_refuses_is_refused() {
        for pattern in [r"(?=a)", r"(?<!a)b", r"\y", "(", "[a", r"(?x) a", r"a\", "a{2000000}"] {
            let error = compile(pattern).unwrap_err();
            assert!(error.starts_with("error parsing regexp: "), "{pattern}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_pattern_compiles_or_is_refused(pattern in "\\PC{0,24}") {
            let _ = compile(&pattern);
        }
    }
}
