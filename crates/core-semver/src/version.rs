//! One version: the two parsers, the canonical form, equality and order.

use std::cmp::Ordering;
use std::fmt;

use crate::precedence::compare_prereleases;
use crate::scanner::{Scanner, is_identifier_byte};

/// The longest text that is read as a version.
pub const MAX_VERSION_BYTES: usize = 256;

/// Why a text is not a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// The overall shape is wrong.
    #[error("invalid semantic version")]
    Shape,
    /// Nothing was given to the strict parser.
    #[error("version string empty")]
    Empty,
    /// A number holds something else than digits.
    #[error("invalid characters in version")]
    Characters,
    /// A number or numeric pre-release identifier has a leading zero.
    #[error("version segment starts with 0")]
    LeadingZero,
    /// The build metadata is malformed.
    #[error("invalid metadata string")]
    Metadata,
    /// The pre-release part is malformed.
    #[error("invalid prerelease string")]
    Prerelease,
    /// A number is missing or does not fit 64 bits.
    #[error("version segment is not a 64-bit number")]
    Number,
    /// The text is longer than [`MAX_VERSION_BYTES`].
    #[error("version string is longer than {MAX_VERSION_BYTES} bytes")]
    TooLong,
}

/// A parsed version together with the text it came from.
///
/// Two versions are equal (and ordered the same) only if precedence *and* original text agree, which
/// makes sorting deterministic: `v1.0.0` and `1.0.0` have the same precedence but are different tags.
/// Use [`Version::compare_precedence`] for the rule of semantic versioning alone.
#[derive(Clone, Debug)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    prerelease: String,
    metadata: String,
    original: String,
}

impl Version {
    /// Reads what people write: a leading `v`, missing minor and patch, leading zeros.
    pub fn parse_lenient(text: &str) -> Result<Self, VersionError> {
        check_length(text)?;
        let mut scanner = Scanner::new(text);
        scanner.eat("v");
        let major = scanner.take_while(|byte| byte.is_ascii_digit());
        let minor = take_number_after_dot(&mut scanner);
        let patch = minor.and_then(|_| take_number_after_dot(&mut scanner));
        let prerelease = scanner.take_identifiers("-").unwrap_or_default();
        let metadata = scanner.take_identifiers("+").unwrap_or_default();
        if major.is_empty() || !scanner.is_at_end() {
            return Err(VersionError::Shape);
        }
        let version = Self {
            major: parse_number(major)?,
            minor: minor.map_or(Ok(0), parse_number)?,
            patch: patch.map_or(Ok(0), parse_number)?,
            prerelease: prerelease.to_owned(),
            metadata: metadata.to_owned(),
            original: text.to_owned(),
        };
        if !prerelease.is_empty() {
            check_prerelease(prerelease)?;
        }
        Ok(version)
    }

    /// Reads exactly `X.Y.Z[-pre][+meta]`.
    ///
    /// The order of the checks decides which error a user sees and follows upstream: metadata,
    /// pre-release, then the three numbers.
    pub fn parse_strict(text: &str) -> Result<Self, VersionError> {
        check_length(text)?;
        if text.is_empty() {
            return Err(VersionError::Empty);
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(VersionError::Shape);
        };
        let (rest, metadata) = split_optional(rest, '+');
        metadata.map_or(Ok(()), check_metadata)?;
        let (patch, prerelease) = split_optional(rest, '-');
        prerelease.map_or(Ok(()), check_prerelease)?;
        for number in [major, minor, patch] {
            check_strict_number(number)?;
        }
        Ok(Self {
            major: parse_number(major)?,
            minor: parse_number(minor)?,
            patch: parse_number(patch)?,
            prerelease: prerelease.unwrap_or_default().to_owned(),
            metadata: metadata.unwrap_or_default().to_owned(),
            original: text.to_owned(),
        })
    }

    /// The first number.
    pub fn major(&self) -> u64 {
        self.major
    }

    /// The second number.
    pub fn minor(&self) -> u64 {
        self.minor
    }

    /// The third number.
    pub fn patch(&self) -> u64 {
        self.patch
    }

    /// The part after `-`, or nothing.
    pub fn prerelease(&self) -> &str {
        &self.prerelease
    }

    /// The part after `+`, or nothing.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The text that was parsed.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Whether this version comes before its release.
    pub fn is_prerelease(&self) -> bool {
        !self.prerelease.is_empty()
    }

    /// Order by precedence alone: metadata and spelling do not count.
    pub fn compare_precedence(&self, other: &Self) -> Ordering {
        (self.major, self.minor, self.patch)
            .cmp(&(other.major, other.minor, other.patch))
            .then_with(|| match (self.is_prerelease(), other.is_prerelease()) {
                (false, false) => Ordering::Equal,
                (false, true) => Ordering::Greater,
                (true, false) => Ordering::Less,
                (true, true) => compare_prereleases(&self.prerelease, &other.prerelease),
            })
    }

    /// Whether both have the same precedence.
    pub fn has_precedence_of(&self, other: &Self) -> bool {
        self.compare_precedence(other).is_eq()
    }
}

/// The canonical form: three numbers, no `v`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.prerelease.is_empty() {
            write!(f, "-{}", self.prerelease)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Precedence first, then the original text bytewise.
impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare_precedence(other).then_with(|| self.original.cmp(&other.original))
    }
}

fn check_length(text: &str) -> Result<(), VersionError> {
    if text.len() > MAX_VERSION_BYTES { Err(VersionError::TooLong) } else { Ok(()) }
}

fn take_number_after_dot<'a>(scanner: &mut Scanner<'a>) -> Option<&'a str> {
    let mut ahead = *scanner;
    if !ahead.eat(".") {
        return None;
    }
    let number = ahead.take_while(|byte| byte.is_ascii_digit());
    if number.is_empty() {
        return None;
    }
    *scanner = ahead;
    Some(number)
}

fn parse_number(digits: &str) -> Result<u64, VersionError> {
    digits.parse().map_err(|_| VersionError::Number)
}

fn split_optional(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn check_strict_number(number: &str) -> Result<(), VersionError> {
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(VersionError::Characters);
    }
    check_no_leading_zero(number)
}

fn check_no_leading_zero(number: &str) -> Result<(), VersionError> {
    if number.len() > 1 && number.starts_with('0') {
        return Err(VersionError::LeadingZero);
    }
    Ok(())
}

fn check_prerelease(text: &str) -> Result<(), VersionError> {
    text.split('.').try_for_each(|identifier| {
        if identifier.is_empty() || !identifier.bytes().all(is_identifier_byte) {
            return Err(VersionError::Prerelease);
        }
        if identifier.bytes().all(|byte| byte.is_ascii_digit()) {
            return check_no_leading_zero(identifier);
        }
        Ok(())
    })
}

fn check_metadata(text: &str) -> Result<(), VersionError> {
    let is_valid = text
        .split('.')
        .all(|identifier| !identifier.is_empty() && identifier.bytes().all(is_identifier_byte));
    if is_valid { Ok(()) } else { Err(VersionError::Metadata) }
}
