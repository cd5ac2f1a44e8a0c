//! Artifacts whole: their manifests byte for byte, their blobs as streams, and copies in other
//! repositories.
//!
//! A blob is never in memory as a whole. What a registry sends is held to the digest and size that its
//! manifest names, on the way down and on the way up.

mod annotate;
mod blob;
mod describe;
mod fetch;
mod pipe;
mod push;
mod reference;
mod upload;

use bytes::Bytes;

pub use self::{
    annotate::Annotations, blob::Blob, describe::Descriptor, push::Destination,
    reference::Reference,
};
use crate::digest::Digest;

/// An image, a chart or anything else that a manifest describes, or an index of such.
#[derive(Clone, Debug)]
pub struct Artifact {
    digest: Digest,
    media_type: String,
    body: Bytes,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// The configuration first, then the layers.
    Image {
        config: Descriptor,
        layers: Vec<Descriptor>,
    },
    Index(Vec<Artifact>),
}

impl Artifact {
    /// The digest of the manifest or index.
    pub fn digest(&self) -> &str {
        self.digest.as_str()
    }

    /// The bytes of all configurations and layers, as the manifests name them.
    pub fn size(&self) -> u64 {
        match &self.content {
            Content::Index(children) => {
                children.iter().map(Self::size).fold(0, u64::saturating_add)
            }
            Content::Image { .. } => {
                self.blobs().map(Descriptor::size).fold(0, u64::saturating_add)
            }
        }
    }

    /// The layers of an image; an index has none of its own.
    pub fn layers(&self) -> &[Descriptor] {
        match &self.content {
            Content::Image { layers, .. } => layers,
            Content::Index(_) => &[],
        }
    }

    /// Configuration and layers of an image.
    fn blobs(&self) -> impl Iterator<Item = &Descriptor> {
        let config = match &self.content {
            Content::Image { config, .. } => Some(config),
            Content::Index(_) => None,
        };
        config.into_iter().chain(self.layers())
    }

    /// What an index holds.
    fn children(&self) -> &[Self] {
        match &self.content {
            Content::Image { .. } => &[],
            Content::Index(children) => children,
        }
    }
}
