//! The name of an artifact: a repository, and a tag or digest in it.

use std::{fmt, str::FromStr};

use crate::{
    Error,
    digest::Digest,
    place::{Place, is_tag},
};

const CHART_PREFIX: &str = "oci://";

/// Such as `registry.example/team/app:v1`, `busybox@sha256:…` or `oci://registry.example/charts/app:1.0.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub(super) place: Place,
    pub(super) version: Version,
    is_chart: bool,
}

/// Which artifact of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Tag(String),
    Digest(Digest),
}

impl Reference {
    /// Whether it was written with `oci://`, as charts are.
    pub fn is_chart(&self) -> bool {
        self.is_chart
    }

    /// The repository as credentials are kept for it.
    pub fn repository_url(&self) -> String {
        let prefix = if self.is_chart { CHART_PREFIX } else { "" };
        format!("{prefix}{}/{}", self.place.host(), self.place.repository())
    }

    /// The tag, if it has one.
    pub fn tag(&self) -> Option<&str> {
        match &self.version {
            Version::Tag(tag) => Some(tag),
            Version::Digest(_) => None,
        }
    }

    /// Whether both are in the same repository.
    pub fn shares_repository_with(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Version {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Tag(tag) => tag,
            Self::Digest(digest) => digest.as_str(),
        }
    }

    pub(super) fn digest(&self) -> Option<&Digest> {
        match self {
            Self::Tag(_) => None,
            Self::Digest(digest) => Some(digest),
        }
    }
}

impl FromStr for Reference {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Reference(Error::quote(text));
        let (is_chart, name) =
            text.strip_prefix(CHART_PREFIX).map_or((false, text), |name| (true, name));
        let (repository, version) = if let Some((repository, digest)) = name.split_once('@') {
            let repository = split_tag(repository).map_or(repository, |(name, _)| name);
            (repository, Version::Digest(digest.parse().map_err(|_| wrong())?))
        } else {
            let (repository, tag) = split_tag(name).ok_or_else(wrong)?;
            (repository, Version::Tag(tag.to_owned()))
        };
        if version.digest().is_none() && !is_tag(version.as_str()) {
            return Err(wrong());
        }
        let place = Place::image(repository).map_err(|_| wrong())?;
        Ok(Self { place, version, is_chart })
    }
}

/// `a/b:tag` in two; the colon of a port does not count.
fn split_tag(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'))
}

/// Without `oci://`, as other tools name it.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.tag().is_some() { ':' } else { '@' };
        let (host, repository) = (self.place.host(), self.place.repository());
        write!(f, "{host}/{repository}{separator}{}", self.version.as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn references_are_read_as_docker_reads_them() {
        for (text, full, url) in [
            ("busybox:1", "index.docker.io/library/busybox:1", "index.docker.io/library/busybox"),
            ("localhost:5000/a/b:v1", "localhost:5000/a/b:v1", "localhost:5000/a/b"),
            ("oci://ghcr.io/charts/x:1.0.0", "ghcr.io/charts/x:1.0.0", "oci://ghcr.io/charts/x"),
        ] {
            let reference: Reference = text.parse().unwrap();
            assert_eq!(
                (reference.to_string(), reference.repository_url()),
                (full.into(), url.into())
            );
        }
        for text in [format!("ghcr.io/app@{DIGEST}"), format!("ghcr.io/app:v1@{DIGEST}")] {
            let reference: Reference = text.parse().unwrap();
            assert_eq!(
                (reference.to_string(), reference.tag()),
                (format!("ghcr.io/app@{DIGEST}"), None)
            );
        }
    }

    #[test]
    fn what_names_no_artifact_is_refused() {
        for text in [
            "",
            "ghcr.io/a",
            "localhost:5000/a",
            "ghcr.io/app:",
            "ghcr.io/app:.x",
            "ghcr.io/app@sha256:12",
            "ghcr.io/../a:v1",
            "https://ghcr.io/app:v1",
            "ap p:v1",
        ] {
            assert!(matches!(text.parse::<Reference>(), Err(Error::Reference(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_read_reads_back(text in ".{0,60}") {
            if let Ok(reference) = text.parse::<Reference>() {
                let again: Reference = reference.to_string().parse().unwrap();
                prop_assert_eq!(again.to_string(), reference.to_string());
            }
        }
    }
}
