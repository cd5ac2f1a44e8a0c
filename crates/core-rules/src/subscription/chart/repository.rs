//! Where charts are kept: in a repository with an index, or in a registry.

use std::borrow::Cow;
use std::sync::LazyLock;

use core_pattern::{MAX_URL_BYTES, Uri, UserRegex};

use crate::subscription::Unusable;

const OCI_SCHEME: &str = "oci://";
const HTTP_SCHEMES: [&str; 2] = ["http://", "https://"];
const DOCKER_HUB: &str = "docker.io";
const DOCKER_HUB_API: &str = "registry-1.docker.io";

static REPOSITORY: LazyLock<Option<UserRegex>> = LazyLock::new(|| {
    let name = r"[a-z0-9]+(?:(?:[._]|__|[-]*)[a-z0-9]+)*";
    UserRegex::parse(&format!("^{name}(?:/{name})*$")).ok()
});
static TAG: LazyLock<Option<UserRegex>> =
    LazyLock::new(|| UserRegex::parse(r"^[\w][\w.-]{0,127}$").ok());
static DIGEST: LazyLock<Option<UserRegex>> = LazyLock::new(|| {
    UserRegex::parse("^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$").ok()
});

/// Where a chart's versions are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChartRepository {
    /// In the index of a repository of many charts.
    Http {
        /// Where the index is.
        index_url: String,
        /// The chart's name in it.
        chart: String,
    },
    /// As tags of a registry.
    Oci(OciRepository),
}

/// One repository of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OciRepository {
    registry: String,
    repository: String,
}

impl ChartRepository {
    pub(super) fn parse(url: &str, chart: &str) -> Result<Self, Unusable> {
        let invalid = |problem| Unusable::Repository { url: url.to_owned(), problem };
        if url.len() > MAX_URL_BYTES {
            return Err(invalid("too long"));
        }
        if HTTP_SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
            let base = url.strip_suffix('/').unwrap_or(url);
            let index_url = format!("{base}/index.yaml");
            return Ok(Self::Http { index_url, chart: chart.to_owned() });
        }
        let reference = url
            .strip_prefix(OCI_SCHEME)
            .ok_or_else(|| invalid("must begin with http://, https:// or oci://"))?;
        OciRepository::parse(reference).map(Self::Oci).map_err(invalid)
    }

    /// The version that an entry of the listing stands for. Tags cannot hold a plus sign.
    pub(super) fn version_of<'a>(&self, listed: &'a str) -> Cow<'a, str> {
        match self {
            Self::Http { .. } => Cow::Borrowed(listed),
            Self::Oci(_) => Cow::Owned(listed.replace('_', "+")),
        }
    }
}

impl OciRepository {
    /// Reads a reference. A tag or digest is checked and dropped.
    fn parse(reference: &str) -> Result<Self, &'static str> {
        let (registry, path) = reference.split_once('/').ok_or("missing registry or repository")?;
        let (repository, is_complete) = match (path.split_once('@'), path.split_once(':')) {
            (Some((name, digest)), _) => {
                let name = name.split_once(':').map_or(name, |(name, _)| name);
                (name, digest.is_empty() || is_match(&DIGEST, digest))
            }
            (None, Some((name, tag))) => (name, tag.is_empty() || is_match(&TAG, tag)),
            (None, None) => (path, true),
        };
        let is_registry =
            Uri::parse(&format!("//{registry}")).is_ok_and(|uri| uri.host() == registry);
        if registry.is_empty() || !is_registry {
            return Err("invalid registry");
        }
        if !is_match(&REPOSITORY, repository) {
            return Err("invalid repository");
        }
        if !is_complete {
            return Err("invalid tag or digest");
        }
        Ok(Self { registry: registry.to_owned(), repository: repository.to_owned() })
    }

    /// The registry's host as written, with its port if one was given.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// The host that serves the registry's API.
    pub fn api_host(&self) -> &str {
        if self.registry == DOCKER_HUB { DOCKER_HUB_API } else { &self.registry }
    }

    /// The path within the registry.
    pub fn repository(&self) -> &str {
        &self.repository
    }
}

fn is_match(pattern: &LazyLock<Option<UserRegex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::ChartRepository;

    #[test]
    fn the_scheme_decides_where_versions_are_listed() {
        for (url, index_url) in [
            ("https://charts.example.com", "https://charts.example.com/index.yaml"),
            ("http://charts.example.com/x/", "http://charts.example.com/x/index.yaml"),
        ] {
            let http = ChartRepository::parse(url, "app").unwrap();
            let index_url = index_url.to_owned();
            assert_eq!(http, ChartRepository::Http { index_url, chart: "app".into() });
        }
        for (url, host, repository) in [
            ("oci://ghcr.io/acme/app", "ghcr.io", "acme/app"),
            ("oci://localhost:5000/app:1.0.0", "localhost:5000", "app"),
            ("oci://docker.io/acme/my--app", "registry-1.docker.io", "acme/my--app"),
        ] {
            let ChartRepository::Oci(oci) = ChartRepository::parse(url, "").unwrap() else {
                panic!("{url} is in a registry")
            };
            assert_eq!((oci.api_host(), oci.repository()), (host, repository));
        }
    }

    #[test]
    fn what_is_no_address_of_a_chart_is_refused() {
        for url in [
            "",
            "charts.example.com",
            "HTTPS://charts.example.com",
            "oci://",
            "oci://x",
            "oci:///y",
            "oci://x/Y",
            "oci://x/y/",
            "oci://x/y@sha256:bad",
            "oci://x/y:-",
            "oci://x y/z",
            "ftp://x/y",
        ] {
            assert!(ChartRepository::parse(url, "").is_err(), "{url}");
        }
    }
}
