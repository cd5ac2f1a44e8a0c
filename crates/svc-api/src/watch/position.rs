//! Where a stream of several kinds goes on.

use std::collections::BTreeMap;

use http::HeaderMap;

use super::LAST_EVENT_ID;
use crate::mirror::Expired;

/// Where each kind goes on. Kinds arrive by watches of their own, so one version cannot tell for all
/// of them what a client has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// With everything that is there.
    Everything,
    /// All after one version, as a list has it.
    After(u64),
    /// Each after its own; a kind that is not named with everything.
    Each(BTreeMap<String, u64>),
    /// Nobody knows that version.
    Unknown,
}

impl Position {
    /// What the query and the headers of a request ask for. A client that comes back says so in a header.
    pub(crate) fn read(headers: &HeaderMap, resource_version: &str) -> Self {
        let last = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
        Self::parse(last.filter(|last| !last.is_empty()).unwrap_or(resource_version))
    }

    fn parse(text: &str) -> Self {
        if matches!(text, "" | "0") {
            return Self::Everything;
        }
        if let Ok(version) = text.parse() {
            return Self::After(version);
        }
        let pair = |part: &str| {
            let (kind, version) = part.split_once('=')?;
            Some((kind.to_owned(), version.parse().ok()?))
        };
        let each: Option<BTreeMap<String, u64>> = text.split(',').map(pair).collect();
        each.map_or(Self::Unknown, Self::Each)
    }

    /// The version after which a kind goes on; `None` for everything.
    pub(super) fn of(&self, plural: &str) -> Result<Option<u64>, Expired> {
        match self {
            Self::Everything => Ok(None),
            Self::After(version) => Ok(Some(*version)),
            Self::Each(versions) => Ok(versions.get(plural).copied()),
            Self::Unknown => Err(Expired),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_says_how_far_it_came_with_each_kind() {
        assert_eq!(Position::parse(""), Position::Everything);
        assert_eq!(Position::parse("7").of("stages"), Ok(Some(7)));
        let each = Position::parse("stages=7,freights=9");
        assert_eq!((each.of("stages"), each.of("freights")), (Ok(Some(7)), Ok(Some(9))));
        assert_eq!(each.of("promotions"), Ok(None));
        for text in ["x", "stages=", "stages=7,", "=,="] {
            assert_eq!(Position::parse(text).of("stages"), Err(Expired), "{text}");
        }
    }
}
