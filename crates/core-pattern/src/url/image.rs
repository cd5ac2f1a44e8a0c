//! Container image repositories: reading references and their normal form.

use std::fmt;

use super::uri::Uri;
use super::{MAX_URL_BYTES, lower, sanitize};

const DOCKER_HUB: &str = "index.docker.io";
const DOCKER_HUB_ALIAS: &str = "docker.io";
const DOCKER_HUB_MIRROR: &str = "registry-1.docker.io";
const DOCKER_HUB_NAMESPACE: &str = "library/";

/// Where an image is kept: the registry and the path within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRepository {
    registry: String,
    repository: String,
}

impl ImageRepository {
    /// Reads a reference and drops its tag or digest. Names without a registry are Docker Hub's.
    pub fn parse(reference: &str) -> Option<Self> {
        if reference.len() > MAX_URL_BYTES {
            return None;
        }
        Self::parse_tagged(reference).or_else(|| Self::parse_with_digest(reference))
    }

    /// The registry's host, with its port if one was given.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// The path within the registry, with Docker Hub's `library/` spelled out.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    fn parse_tagged(reference: &str) -> Option<Self> {
        match reference.rsplit_once(':') {
            Some((name, tag)) if !tag.contains('/') => {
                is_tag(tag).then(|| Self::parse_name(name))?
            }
            _ => Self::parse_name(reference),
        }
    }

    fn parse_with_digest(reference: &str) -> Option<Self> {
        let (name, digest) = reference.split_once('@')?;
        if !is_digest(digest) {
            return None;
        }
        Self::parse_tagged(name).or_else(|| Self::parse_name(name))
    }

    fn parse_name(name: &str) -> Option<Self> {
        let (registry, repository) = match name.split_once('/') {
            Some((first, rest)) if first == "localhost" || first.contains(['.', ':']) => {
                (first, rest)
            }
            _ => ("", name),
        };
        if !is_repository(repository) || !is_registry(registry) {
            return None;
        }
        let registry = match registry {
            "" | DOCKER_HUB_ALIAS => DOCKER_HUB,
            other => other,
        };
        let namespace = match (registry, repository.contains('/')) {
            (DOCKER_HUB, false) => DOCKER_HUB_NAMESPACE,
            _ => "",
        };
        Some(Self { registry: registry.to_owned(), repository: format!("{namespace}{repository}") })
    }
}

/// The normal form: registry and path, but Docker Hub's images by their short names.
impl fmt::Display for ImageRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.registry.as_str() {
            DOCKER_HUB | DOCKER_HUB_MIRROR => {
                let short = self.repository.strip_prefix(DOCKER_HUB_NAMESPACE);
                f.write_str(short.unwrap_or(&self.repository))
            }
            registry => write!(f, "{registry}/{}", self.repository),
        }
    }
}

/// The address of an image repository in lower case, without tag, digest and the several names of
/// Docker Hub.
pub fn normalize_image(address: &str) -> String {
    if address.len() > MAX_URL_BYTES {
        return address.to_owned();
    }
    ImageRepository::parse(&sanitize(&lower(address)))
        .map_or_else(|| address.to_owned(), |repository| repository.to_string())
}

fn is_repository(text: &str) -> bool {
    let is_repository_byte =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-./".contains(&byte);
    (2..=255).contains(&text.len()) && text.bytes().all(is_repository_byte)
}

fn is_registry(text: &str) -> bool {
    Uri::parse(&format!("//{text}")).is_ok_and(|uri| uri.host() == text)
}

fn is_tag(text: &str) -> bool {
    let is_tag_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=127).contains(&text.len()) && text.bytes().all(is_tag_byte)
}

/// Only the characters and the length of a SHA-256 digest are looked at.
fn is_digest(text: &str) -> bool {
    text.len() == "sha256:".len() + 64
        && text.bytes().all(|byte| b"sh:0123456789abcdef".contains(&byte))
}
