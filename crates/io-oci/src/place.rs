//! Where a repository is: the host that serves it and the path within.

use core_pattern::{ImageRepository, normalize_image};

use crate::Error;

const DOCKER_HUB_ALIASES: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];
const DOCKER_HUB_CHARTS: &str = "registry-1.docker.io";
const MAX_TAG: usize = 128;

/// A repository on a host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    host: String,
    repository: String,
}

impl Place {
    /// Of an image subscription's address.
    pub(crate) fn image(address: &str) -> Result<Self, Error> {
        let wrong = || Error::Repository(Error::quote(address));
        let parsed = ImageRepository::parse(&normalize_image(address)).ok_or_else(wrong)?;
        Self::checked(parsed.registry(), parsed.repository()).ok_or_else(wrong)
    }

    /// Of a chart subscription's parsed address.
    pub(crate) fn chart(registry: &str, repository: &str) -> Result<Self, Error> {
        let host = if registry == "docker.io" { DOCKER_HUB_CHARTS } else { registry };
        Self::checked(host, repository)
            .ok_or_else(|| Error::Repository(Error::quote(&format!("{registry}/{repository}"))))
    }

    /// Paths become part of URLs: nothing in them may lead elsewhere on the host.
    fn checked(host: &str, repository: &str) -> Option<Self> {
        let is_segment = |segment: &str| {
            !matches!(segment, "" | "." | "..")
                && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
        };
        let is_host = !host.is_empty() && !host.contains(['/', '@', '?', '#', '\\', ' ', '%']);
        let is_repository = repository.len() <= 255 && repository.split('/').all(is_segment);
        (is_host && is_repository)
            .then(|| Self { host: host.to_owned(), repository: repository.to_owned() })
    }

    /// Host and port as in URLs.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The host without its port.
    pub(crate) fn host_name(&self) -> &str {
        host_name(&self.host)
    }

    pub(crate) fn repository(&self) -> &str {
        &self.repository
    }

    /// Whose budget requests to this place count on: Docker Hub has several names.
    pub(crate) fn budget_key(&self) -> &str {
        if DOCKER_HUB_ALIASES.contains(&self.host.as_str()) { "docker.io" } else { &self.host }
    }
}

/// `example.com:5000` without the port; the brackets of an IPv6 address are kept.
pub(crate) fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => {
            name
        }
        _ => host,
    }
}

/// Whether a text can be a tag; what cannot be one never becomes part of a URL.
pub(crate) fn is_tag(text: &str) -> bool {
    let is_first = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    (1..=MAX_TAG).contains(&text.len())
        && text.bytes().next().is_some_and(is_first)
        && text.bytes().all(|b| is_first(b) || b == b'.' || b == b'-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn references_name_their_host_and_repository() {
        for (address, host, repository) in [
            ("busybox", "index.docker.io", "library/busybox"),
            ("docker.io/example/app", "index.docker.io", "example/app"),
            ("GHCR.io/A/B:tag", "ghcr.io", "a/b"),
            ("localhost:5000/app", "localhost:5000", "app"),
            ("10.0.0.1:80/a/b", "10.0.0.1:80", "a/b"),
        ] {
            let place = Place::image(address).unwrap();
            assert_eq!((place.host(), place.repository()), (host, repository), "{address}");
        }
        assert_eq!(Place::image("localhost:5000/app").unwrap().host_name(), "localhost");
    }

    #[test]
    fn a_repository_cannot_lead_elsewhere_on_its_host() {
        for address in ["invalid url", "ghcr.io/a/../b", "ghcr.io/a//b", "ghcr.io/./a", "", "x@y/z"]
        {
            assert!(Place::image(address).is_err(), "{address}");
        }
        assert!(Place::chart("ghcr.io", "a/b?x=1").is_err());
        assert!(Place::chart("user@ghcr.io", "a/b").is_err());
    }

    #[test]
    fn the_names_of_docker_hub_share_one_budget() {
        let chart = Place::chart("docker.io", "bitnamicharts/redis").unwrap();
        assert_eq!((chart.host(), chart.budget_key()), ("registry-1.docker.io", "docker.io"));
        assert_eq!(Place::image("busybox").unwrap().budget_key(), "docker.io");
        assert_eq!(Place::image("quay.io/a/b").unwrap().budget_key(), "quay.io");
    }

    #[test]
    fn tags_are_what_the_protocol_allows() {
        assert!(is_tag("v1.2.3-rc.1_x") && is_tag("_") && is_tag(&"a".repeat(128)));
        for tag in ["", ".x", "-x", "a/b", "a b", "ä", &"a".repeat(129)] {
            assert!(!is_tag(tag), "{tag}");
        }
    }

    proptest! {
        #[test]
        fn no_address_panics_or_escapes_its_host(address in any::<String>()) {
            if let Ok(place) = Place::image(&address) {
                prop_assert!(!place.repository().split('/').any(|segment| segment == ".."));
                prop_assert!(!place.host().contains('/'));
            }
        }
    }
}
