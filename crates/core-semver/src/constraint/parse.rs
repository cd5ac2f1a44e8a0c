//! From text to comparators.
//!
//! Hyphen ranges are rewritten as text before anything else is read. That is upstream's order and
//! it shows: the blank before a range disappears, so `1.5 1 - 2` is improper while `1.5, 1 - 2` is
//! not.

use std::borrow::Cow;

use super::comparator::{Comparator, Precision, Relation};
use super::{Constraint, ConstraintError, Group, MAX_CONSTRAINT_BYTES, MAX_OR_GROUPS};
use crate::scanner::Scanner;
use crate::version::Version;

/// Operators, longest first so that none hides another.
const OPERATORS: [(&str, Relation); 12] = [
    ("!=", Relation::NotEqual),
    (">=", Relation::GreaterOrEqual),
    ("=>", Relation::GreaterOrEqual),
    ("<=", Relation::LessOrEqual),
    ("=<", Relation::LessOrEqual),
    ("~>", Relation::Tilde),
    ("=", Relation::Equal),
    (">", Relation::Greater),
    ("<", Relation::Less),
    ("~", Relation::Tilde),
    ("^", Relation::Caret),
    ("", Relation::Equal),
];

/// A version with wildcards, cut into its parts but not yet checked.
struct PartialVersion<'a> {
    whole: &'a str,
    major: &'a str,
    minor: Option<&'a str>,
    patch: Option<&'a str>,
    prerelease: Option<&'a str>,
}

pub(super) fn parse(text: &str) -> Result<Constraint, ConstraintError> {
    if text.len() > MAX_CONSTRAINT_BYTES {
        return Err(ConstraintError::TooLong);
    }
    let spelled_out = spell_out_hyphen_ranges(text);
    if spelled_out.split("||").count() > MAX_OR_GROUPS {
        return Err(ConstraintError::TooManyGroups);
    }
    let alternatives = spelled_out.split("||").map(parse_group).collect::<Result<_, _>>()?;
    Ok(Constraint { alternatives })
}

fn parse_group(text: &str) -> Result<Group, ConstraintError> {
    let improper = || ConstraintError::Improper { text: text.to_owned() };
    let mut scanner = Scanner::new(text);
    let mut comparators = Vec::new();
    loop {
        scanner.skip_whitespace();
        let (operator, relation) = take_operator(&mut scanner);
        scanner.skip_whitespace();
        let partial = take_partial_version(&mut scanner).ok_or_else(improper)?;
        comparators.push(comparator(operator, relation, &partial)?);
        let is_separated = scanner.skip_whitespace() > 0;
        if scanner.is_at_end() {
            return Ok(Group { comparators });
        }
        if !scanner.eat(",") && !is_separated {
            return Err(improper());
        }
    }
}

fn take_operator(scanner: &mut Scanner<'_>) -> (&'static str, Relation) {
    let found = OPERATORS.into_iter().find(|(operator, _)| scanner.eat(operator));
    found.unwrap_or(("", Relation::Equal))
}

fn take_partial_version<'a>(scanner: &mut Scanner<'a>) -> Option<PartialVersion<'a>> {
    let mut ahead = *scanner;
    let start = ahead.position();
    ahead.eat("v");
    let major = ahead.take_while(is_part_byte);
    if major.is_empty() {
        return None;
    }
    let minor = take_part_after_dot(&mut ahead);
    let patch = minor.and_then(|_| take_part_after_dot(&mut ahead));
    let prerelease = ahead.take_identifiers("-");
    ahead.take_identifiers("+");
    *scanner = ahead;
    Some(PartialVersion { whole: ahead.since(start), major, minor, patch, prerelease })
}

fn take_part_after_dot<'a>(scanner: &mut Scanner<'a>) -> Option<&'a str> {
    let mut ahead = *scanner;
    if !ahead.eat(".") {
        return None;
    }
    let part = ahead.take_while(is_part_byte);
    if part.is_empty() {
        return None;
    }
    *scanner = ahead;
    Some(part)
}

/// The bar is no wildcard, but upstream lets it into a part, and what stands behind a wildcard is
/// never looked at.
fn is_part_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*' | b'|')
}

fn is_wildcard(part: Option<&str>) -> bool {
    matches!(part, None | Some("x" | "X" | "*"))
}

fn comparator(
    operator: &'static str,
    relation: Relation,
    partial: &PartialVersion<'_>,
) -> Result<Comparator, ConstraintError> {
    let (precision, bound) = bound_of(partial);
    let bound = Version::parse_lenient(&bound)
        .map_err(|_| ConstraintError::Improper { text: format!("{operator}{}", partial.whole) })?;
    Ok(Comparator { relation, operator, written: partial.whole.to_owned(), bound, precision })
}

/// The lowest version the written one stands for, as text.
fn bound_of<'a>(partial: &PartialVersion<'a>) -> (Precision, Cow<'a, str>) {
    let PartialVersion { whole, major, minor, patch, prerelease } = *partial;
    let suffix = prerelease.map(|text| format!("-{text}")).unwrap_or_default();
    if is_wildcard(Some(major)) {
        return (Precision::Nothing, format!("0.0.0{suffix}").into());
    }
    if is_wildcard(minor) {
        return (Precision::Major, format!("{major}.0.0{suffix}").into());
    }
    if is_wildcard(patch) {
        let minor = minor.unwrap_or_default();
        return (Precision::Minor, format!("{major}.{minor}.0{suffix}").into());
    }
    (Precision::Patch, whole.into())
}

/// Replaces each `A - B` by `>= A, <= B`, together with the blanks around it.
fn spell_out_hyphen_ranges(text: &str) -> Cow<'_, str> {
    let mut spelled_out = String::new();
    let mut copied = 0;
    let mut position = 0;
    while position < text.len() {
        if let Some(range) = hyphen_range_at(text, position) {
            spelled_out.push_str(text.get(copied..position).unwrap_or_default());
            spelled_out.extend([">= ", range.low, ", <= ", range.high, " "]);
            copied = range.end;
            position = range.end;
        } else {
            position += 1;
        }
    }
    if copied == 0 {
        return text.into();
    }
    spelled_out.push_str(text.get(copied..).unwrap_or_default());
    spelled_out.into()
}

struct HyphenRange<'a> {
    low: &'a str,
    high: &'a str,
    end: usize,
}

fn hyphen_range_at(text: &str, position: usize) -> Option<HyphenRange<'_>> {
    let mut scanner = Scanner::at(text, position);
    scanner.skip_whitespace();
    let low = take_partial_version(&mut scanner)?.whole;
    if scanner.skip_whitespace() == 0 || !scanner.eat("-") || scanner.skip_whitespace() == 0 {
        return None;
    }
    let high = take_partial_version(&mut scanner)?.whole;
    scanner.skip_whitespace();
    Some(HyphenRange { low, high, end: scanner.position() })
}
