//! Texts as upstream has them: bytes that are usually, but not always, UTF-8.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::sync::Arc;

/// An immutable text that is cheap to copy.
///
/// Slices may cut characters, and Secrets hold whatever they hold, so a text need not be valid
/// UTF-8. Where characters matter, invalid bytes count as U+FFFD.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<[u8]>);

impl Text {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The characters, with U+FFFD in place of invalid bytes.
    pub fn to_str(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of characters; each invalid byte counts as one.
    pub(crate) fn count_characters(&self) -> usize {
        match std::str::from_utf8(&self.0) {
            Ok(text) => text.chars().count(),
            Err(_) => Characters::new(&self.0).count(),
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.into_bytes().into())
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str(), f)
    }
}

/// Splits bytes into characters; an invalid byte comes alone and has no character.
pub(crate) struct Characters<'a> {
    rest: &'a [u8],
}

impl<'a> Characters<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
}

impl<'a> Iterator for Characters<'a> {
    type Item = (&'a [u8], Option<char>);

    fn next(&mut self) -> Option<Self::Item> {
        let first = *self.rest.first()?;
        let width = match first {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            _ => 1,
        };
        let whole = self.rest.get(..width).and_then(|bytes| {
            let character = std::str::from_utf8(bytes).ok()?.chars().next()?;
            Some((bytes, character))
        });
        let (bytes, character) = match whole {
            Some((bytes, character)) => (bytes, Some(character)),
            None => (self.rest.get(..1)?, None),
        };
        self.rest = self.rest.get(bytes.len()..).unwrap_or_default();
        Some((bytes, character))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_single_characters() {
        assert_eq!(Text::from("日本").count_characters(), 2);
        assert_eq!(Text::from(&b"\xe6\x97a\xff"[..]).count_characters(), 4);
        assert_eq!(Text::from(&b"a\xff"[..]).to_str(), "a\u{fffd}");
    }
}
