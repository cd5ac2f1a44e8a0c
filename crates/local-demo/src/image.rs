//! The image of a release: a manifest and a configuration, the same bytes whenever they are asked for.

use bytes::Bytes;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::Release;

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const CONFIG: &str = "application/vnd.oci.image.config.v1+json";

/// Bytes, and the digest that names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) content: Bytes,
    pub(crate) digest: String,
}

/// An image without layers: there is nothing to run in it.
pub(crate) struct Image {
    pub(crate) manifest: Blob,
    pub(crate) config: Blob,
}

impl Image {
    pub(crate) fn of(release: &Release) -> Self {
        let labels = json!({
            "org.opencontainers.image.title": crate::APPLICATION,
            "org.opencontainers.image.version": release.version(),
            "org.opencontainers.image.revision": release.commit,
        });
        let config = Blob::of(&json!({
            "created": release.created.to_string(), "os": "linux", "architecture": "amd64",
            "config": {"Labels": labels}, "rootfs": {"type": "layers", "diff_ids": []},
        }));
        let manifest = Blob::of(&json!({
            "schemaVersion": 2, "mediaType": MANIFEST, "layers": [], "annotations": labels,
            "config": {"mediaType": CONFIG, "digest": config.digest, "size": config.content.len()},
        }));
        Self { manifest, config }
    }
}

impl Blob {
    fn of(value: &serde_json::Value) -> Self {
        let content = Bytes::from(value.to_string());
        let digest = Sha256::digest(&content)
            .iter()
            .fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"));
        Self { content, digest }
    }
}
