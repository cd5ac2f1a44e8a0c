//! Paths to values, as `yaml-update` and `toml-update` take them: `image.tag`, `items.0.name`, `annotations.example\.com/x`.

use crate::EditError;

/// What is wrong with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It starts or ends with a dot, or has two in a row.
    #[error("a part of it is empty")]
    EmptyPart,
    /// A backslash stands before something else than `.` or `:`.
    #[error("a backslash may only stand before `.` and `:`")]
    Escape,
    /// A colon stands in the middle of a part.
    #[error("a colon within a part is written `\\:`")]
    Colon,
}

/// A path through mappings and lists, with its text. Whether a part is a key or an index is up to what it meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPath {
    text: String,
    parts: Vec<String>,
}

impl KeyPath {
    /// Reads a path. Parts are separated by dots; `\.` and `\:` are the characters themselves, and a colon before a
    /// part, which other tools use to say "a key, not an index", is passed over.
    pub fn parse(text: &str) -> Result<Self, EditError> {
        let parts =
            parts(text.trim()).map_err(|cause| EditError::Key { key: text.to_owned(), cause })?;
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The path as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its parts, without escapes.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    pub(crate) fn not_found(&self, reason: impl Into<String>) -> EditError {
        EditError::NotFound { key: self.text.clone(), reason: reason.into() }
    }

    pub(crate) fn not_scalar(&self, found: &'static str) -> EditError {
        EditError::NotScalar { key: self.text.clone(), found }
    }

    /// The part as an index of a list with this many items.
    pub(crate) fn index(&self, part: &str, length: usize) -> Result<usize, EditError> {
        let Ok(index) = part.strip_prefix('+').unwrap_or(part).parse::<usize>() else {
            return Err(self.not_found(format!("{part:?} is no index, and a list is there")));
        };
        if index >= length {
            return Err(self.not_found(format!("the list there has {length} items")));
        }
        Ok(index)
    }
}

fn parts(text: &str) -> Result<Vec<String>, KeyError> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut is_at_start = true;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '.' => parts.push(finished(&mut part)?),
            ':' if is_at_start => {}
            ':' => return Err(KeyError::Colon),
            '\\' => match characters.next() {
                Some(escaped @ ('.' | ':')) => part.push(escaped),
                _ => return Err(KeyError::Escape),
            },
            other => part.push(other),
        }
        is_at_start = character == '.';
    }
    parts.push(finished(&mut part)?);
    Ok(parts)
}

fn finished(part: &mut String) -> Result<String, KeyError> {
    if part.is_empty() { Err(KeyError::EmptyPart) } else { Ok(std::mem::take(part)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_separated_by_dots_and_escapes_taken_out() {
        for (text, expected) in [
            ("a", &["a"][..]),
            (" image.tag ", &["image", "tag"]),
            ("items.0.name", &["items", "0", "name"]),
            (r"a\.b.c\:d", &["a.b", "c:d"]),
            (":a.:0", &["a", "0"]),
            (r"\:a", &[":a"]),
            ("é.日本", &["é", "日本"]),
            ("a. b", &["a", " b"]),
        ] {
            assert_eq!(KeyPath::parse(text).unwrap().parts(), expected, "{text}");
        }
    }

    #[test]
    fn malformed_keys_are_refused() {
        for (text, expected) in [
            ("", KeyError::EmptyPart),
            (" ", KeyError::EmptyPart),
            (".", KeyError::EmptyPart),
            ("a.", KeyError::EmptyPart),
            (".a", KeyError::EmptyPart),
            ("a..b", KeyError::EmptyPart),
            (":", KeyError::EmptyPart),
            ("a:b", KeyError::Colon),
            ("::a", KeyError::Colon),
            (r"a\b", KeyError::Escape),
            ("a\\", KeyError::Escape),
        ] {
            let error = KeyPath::parse(text).unwrap_err();
            assert_eq!(error, EditError::Key { key: text.to_owned(), cause: expected }, "{text}");
        }
    }

    #[test]
    fn an_index_is_decimal_and_within_the_list() {
        let path = KeyPath::parse("a").unwrap();
        assert_eq!(path.index("1", 2), Ok(1));
        assert_eq!(path.index("+1", 2), Ok(1));
        assert_eq!(path.index("00", 2), Ok(0));
        for part in ["2", "-1", "x", "", "[0]"] {
            assert!(path.index(part, 2).is_err(), "{part}");
        }
    }
}
