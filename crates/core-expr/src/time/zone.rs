//! Time zones by name or by offset.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};

/// A time zone.
#[derive(Clone)]
pub enum Zone {
    /// Coordinated universal time.
    Utc,
    /// A constant offset, with a name that may be empty.
    Fixed {
        /// Abbreviation.
        name: Arc<str>,
        /// Seconds east of UTC.
        offset_seconds: i32,
    },
    /// A zone of the time zone database.
    Named(Arc<str>, TimeZone),
}

impl Zone {
    /// A constant offset without a name; UTC when there is no offset.
    pub fn fixed(offset_seconds: i32) -> Self {
        match offset_seconds {
            0 => Self::Utc,
            _ => Self::Fixed { name: "".into(), offset_seconds },
        }
    }

    /// A zone of the database by its exact name. The local zone of a server is UTC.
    pub(crate) fn load(name: &str) -> Option<Self> {
        if matches!(name, "" | "UTC" | "Local") {
            return Some(Self::Utc);
        }
        let zone = TimeZoneDatabase::bundled().get(name).ok()?;
        let is_exact = zone.iana_name() == Some(name);
        is_exact.then(|| Self::Named(name.into(), zone))
    }

    /// The name under which the zone is known.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Utc => "UTC",
            Self::Fixed { name, .. } | Self::Named(name, _) => name,
        }
    }

    /// Offset from UTC and abbreviation at a time.
    pub(crate) fn at(&self, at: Timestamp) -> (Offset, String, bool) {
        match self {
            Self::Utc => (Offset::UTC, "UTC".to_owned(), false),
            Self::Fixed { name, offset_seconds } => {
                (offset(*offset_seconds), name.to_string(), false)
            }
            Self::Named(_, zone) => {
                let info = zone.to_offset_info(at);
                (info.offset(), info.abbreviation().to_owned(), info.dst().is_dst())
            }
        }
    }

    /// The point in time at which clocks of the zone show `local`.
    pub(crate) fn resolve(&self, local: DateTime) -> Option<Timestamp> {
        match self {
            Self::Utc => Offset::UTC.to_timestamp(local).ok(),
            Self::Fixed { offset_seconds, .. } => offset(*offset_seconds).to_timestamp(local).ok(),
            Self::Named(_, zone) => zone.to_ambiguous_timestamp(local).compatible().ok(),
        }
    }
}

fn offset(seconds: i32) -> Offset {
    Offset::from_seconds(seconds).unwrap_or(Offset::UTC)
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_exact_name() {
        assert!(Zone::load("Europe/Berlin").is_some());
        assert!(Zone::load("europe/berlin").is_none());
        assert!(Zone::load("Bad/Zone").is_none());
        assert!(matches!(Zone::load(""), Some(Zone::Utc)));
    }
}
