//! Mirrors: hosts that an installation asks in place of others.
//!
//! A mirror is another host, so the credential of the registry it stands in for is not sent to it.
//! What it says is checked by digest like everything else, and what is selected keeps its own name.

use std::collections::BTreeMap;

use crate::place::Place;

/// Which host is asked in place of which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mirrors(BTreeMap<String, Mirror>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mirror {
    host: String,
    /// Where the mirror keeps the other's repositories; empty or with a slash at its end.
    prefix: String,
}

impl Mirrors {
    /// Reads entries such as `docker.io=mirror.example.com` and `ghcr.io=registry.example.com:5000/ghcr`;
    /// an entry that is none is returned.
    pub fn parse<'e>(entries: impl IntoIterator<Item = &'e str>) -> Result<Self, String> {
        let read = |entry: &'e str| Self::read(entry).ok_or_else(|| entry.to_owned());
        entries.into_iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    fn read(entry: &str) -> Option<(String, Mirror)> {
        let (registry, mirror) = entry.trim().split_once('=')?;
        let (host, prefix) = mirror.split_once('/').unwrap_or((mirror, ""));
        let prefix = match prefix.trim_end_matches('/') {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        let mirror = Mirror { host: host.to_owned(), prefix };
        // Both sides must make sense with a repository behind them.
        let original = Place::chart(registry, "a").ok()?;
        Place::chart(&mirror.host, &format!("{}a", mirror.prefix)).ok()?;
        Some((original.budget_key().to_owned(), mirror))
    }

    /// Where `place` is asked for instead.
    pub(crate) fn of(&self, place: &Place) -> Option<Place> {
        let mirror = self.0.get(place.budget_key())?;
        Place::chart(&mirror.host, &format!("{}{}", mirror.prefix, place.repository())).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_registry_leads_to_its_mirror() {
        let mirrors =
            Mirrors::parse(["docker.io=mirror.example:5000/hub/", "ghcr.io=other.example"])
                .unwrap();
        for (address, expected) in [
            ("busybox", Some(("mirror.example:5000", "hub/library/busybox"))),
            ("registry-1.docker.io/a/b", Some(("mirror.example:5000", "hub/a/b"))),
            ("ghcr.io/a/b", Some(("other.example", "a/b"))),
            ("quay.io/a/b", None),
        ] {
            let found = mirrors.of(&Place::image(address).unwrap());
            let found = found.as_ref().map(|place| (place.host(), place.repository()));
            assert_eq!(found, expected, "{address}");
        }
    }

    #[test]
    fn an_entry_that_is_no_mirror_is_returned() {
        for entry in ["docker.io", "=x", "a.example=", "a.example=b.example/../c", "a b=c"] {
            assert_eq!(Mirrors::parse([entry]), Err(entry.to_owned()));
        }
    }
}
