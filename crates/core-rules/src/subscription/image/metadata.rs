//! What must be known of an image to decide about it, and what is reported of it.

use std::collections::BTreeMap;

use api_kinds::{Time, warehouse::DiscoveredImageReference};
use jiff::Timestamp;

use crate::subscription::{Platform, PlatformError, Rejection};

/// What a registry says about one tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageMetadata {
    /// The digest of what the tag points to: of the index, when it is one.
    pub digest: String,
    /// When it was built, by the rules of [`super::created`].
    pub created_at: Option<Timestamp>,
    /// The annotations of the index or the manifest.
    pub annotations: BTreeMap<String, String>,
    /// What it is built for: the entries of an index, or the one of a single image as its
    /// configuration has it.
    pub platforms: Vec<OfferedPlatform>,
}

/// A platform that an image is built for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedPlatform {
    /// Which one.
    pub platform: Platform,
    /// The annotations of its entry in the index.
    pub annotations: BTreeMap<String, String>,
}

/// The platform that is asked for, or any.
#[derive(Clone, Debug)]
pub(super) struct PlatformRule {
    platform: Option<Platform>,
    text: String,
}

impl PlatformRule {
    pub(super) fn new(text: &str) -> Result<Self, PlatformError> {
        Ok(Self { platform: Platform::parse_constraint(text)?, text: text.to_owned() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What is reported of an image. The annotations of the platform that was asked for go over
    /// those of the whole.
    pub(super) fn check(
        &self,
        tag: &str,
        image: ImageMetadata,
    ) -> Result<DiscoveredImageReference, Rejection> {
        let mut annotations = image.annotations;
        if let Some(asked) = &self.platform {
            let offered = best_offer(asked, image.platforms)
                .ok_or_else(|| Rejection::PlatformNotOffered { platform: self.text.clone() })?;
            annotations.extend(offered.annotations);
        }
        Ok(DiscoveredImageReference {
            annotations,
            created_at: image.created_at.map(Time),
            digest: image.digest,
            tag: tag.to_owned(),
        })
    }
}

/// An exact match before one of any variant.
fn best_offer(asked: &Platform, offers: Vec<OfferedPlatform>) -> Option<OfferedPlatform> {
    let mut matching = offers.into_iter().filter(|offer| asked.is_met_by(&offer.platform));
    let first = matching.next()?;
    if first.platform == *asked {
        return Some(first);
    }
    Some(matching.find(|offer| offer.platform == *asked).unwrap_or(first))
}
