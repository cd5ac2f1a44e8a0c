//! What manifests say about the parts of an artifact.

use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    manifest::{
        DOCKER_LIST, DOCKER_MANIFEST, EntryPlatform, MAX_ENTRIES, OCI_INDEX, OCI_MANIFEST, Problem,
    },
};

/// Layers of one image that are looked at.
const MAX_LAYERS: usize = 1_000;

/// A part of an artifact: what it is, its digest and its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    #[serde(default)]
    media_type: String,
    pub(super) digest: Digest,
    size: u64,
}

/// The manifest of an image, a chart, or any other artifact.
#[derive(Debug, Deserialize)]
pub(super) struct Image {
    pub(super) config: Descriptor,
    /// `null` for none.
    #[serde(default)]
    pub(super) layers: Option<Vec<Descriptor>>,
}

/// An index of manifests.
#[derive(Debug, Deserialize)]
pub(super) struct Index {
    #[serde(default)]
    pub(super) manifests: Option<Vec<Entry>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    #[serde(flatten)]
    pub(super) descriptor: Descriptor,
    #[serde(default)]
    pub(super) platform: Option<EntryPlatform>,
}

/// What a manifest may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Image,
    Index,
}

impl Shape {
    pub(super) fn of(media_type: &str) -> Result<Self, Problem> {
        match media_type {
            OCI_INDEX | DOCKER_LIST => Ok(Self::Index),
            OCI_MANIFEST | DOCKER_MANIFEST => Ok(Self::Image),
            other => Err(Problem::ArtifactType(other.to_owned())),
        }
    }
}

impl Descriptor {
    /// What the part is.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The digest of its bytes.
    pub fn digest(&self) -> &str {
        self.digest.as_str()
    }

    /// Whether registries keep the part at all: some layers only name where their maker offers them.
    pub(super) fn is_kept(&self) -> bool {
        !self.media_type.contains(".nondistributable.") && !self.media_type.contains(".foreign.")
    }
}

impl Image {
    pub(super) fn parse(body: &[u8]) -> Result<(Descriptor, Vec<Descriptor>), Problem> {
        let image: Self = serde_json::from_slice(body)?;
        let layers = image.layers.unwrap_or_default();
        if layers.len() > MAX_LAYERS {
            return Err(Problem::Text(format!("it has more than {MAX_LAYERS} layers")));
        }
        Ok((image.config, layers))
    }
}

impl Index {
    pub(super) fn parse(body: &[u8]) -> Result<Vec<Entry>, Problem> {
        let index: Self = serde_json::from_slice(body)?;
        let entries = index.manifests.unwrap_or_default();
        if entries.len() > MAX_ENTRIES {
            return Err(Problem::Text(format!("it has more than {MAX_ENTRIES} entries")));
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_that_only_their_maker_offers_are_not_kept() {
        let kept = |media_type: &str| {
            let digest = Digest::of(b"");
            Descriptor { media_type: media_type.to_owned(), digest, size: 0 }.is_kept()
        };
        assert!(kept("application/vnd.oci.image.layer.v1.tar+gzip") && kept(""));
        assert!(!kept("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"));
        assert!(!kept("application/vnd.oci.image.layer.nondistributable.v1.tar+gzip"));
    }

    #[test]
    fn floods_of_layers_are_refused() {
        let layer = format!(r#"{{"digest":"{}","size":1}}"#, Digest::of(b""));
        let body = |count: usize| {
            format!(r#"{{"config":{layer},"layers":[{}]}}"#, vec![&*layer; count].join(","))
        };
        assert_eq!(Image::parse(body(3).as_bytes()).unwrap().1.len(), 3);
        assert!(Image::parse(body(MAX_LAYERS + 1).as_bytes()).is_err());
        assert!(Image::parse(br#"{"config":{"digest":"sha256:0","size":-1}}"#).is_err());
    }
}
