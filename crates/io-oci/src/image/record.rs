//! What is remembered of an image, by its digest.

use core_rules::subscription::{ImageMetadata, OfferedPlatform, Platform};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Want;
use crate::{digest::Digest, manifest::Texts};

/// Everything about a digest that a Warehouse may ask for; true for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImageRecord {
    pub(super) digest: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) created: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub(super) annotations: Texts,
    /// `None` while the configuration of a single image has not been read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) platforms: Option<Vec<RecordedPlatform>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordedPlatform {
    pub(super) os: String,
    pub(super) arch: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) variant: String,
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub(super) annotations: Texts,
}

impl ImageRecord {
    pub(crate) fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Whether nothing that is wanted is missing.
    pub(super) fn answers(&self, want: Want) -> bool {
        self.platforms.is_some() || !want.platforms
    }

    pub(super) fn into_metadata(self) -> ImageMetadata {
        let platforms = self.platforms.unwrap_or_default().into_iter();
        ImageMetadata {
            digest: self.digest.into(),
            created_at: self.created,
            annotations: self.annotations,
            platforms: platforms.map(RecordedPlatform::into_offer).collect(),
        }
    }
}

impl RecordedPlatform {
    fn into_offer(self) -> OfferedPlatform {
        OfferedPlatform {
            platform: Platform { os: self.os, arch: self.arch, variant: self.variant },
            annotations: self.annotations,
        }
    }
}
