//! `image-selection`: from the images of a repository to the discovered ones.

use std::collections::{BTreeMap, HashMap};

use api_kinds::warehouse::ImageSubscription;
use core_rules::subscription::{
    Answer as Found, ImageMetadata, ImageSelector, Listing, OfferedPlatform, Platform, Verdicts,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{object, objects};
use crate::{Answer, Case, Exception};

/// Upstream compares variants to the letter, so that `linux/arm` finds no image for `linux/arm/v7`.
pub(super) const ANY_VARIANT: Exception = Exception {
    name: "any-variant",
    reason: "a platform without a variant takes an image for any variant of it",
    applies: |case| {
        let subscription: Option<ImageSubscription> = object(case, "subscription");
        let asked = subscription.unwrap_or_default().platform;
        let offers_variant = |image: &Image| {
            image.platforms.iter().any(|offered| {
                !offered.variant.is_empty() && format!("{}/{}", offered.os, offered.arch) == asked
            })
        };
        objects::<Image>(case, "images").is_some_and(|images| images.iter().any(offers_variant))
    },
};

/// An image as a case has it.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Image {
    tag: String,
    digest: String,
    created_at: Option<jiff::Timestamp>,
    annotations: BTreeMap<String, String>,
    platforms: Vec<Offered>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Offered {
    os: String,
    arch: String,
    variant: String,
    annotations: BTreeMap<String, String>,
}

pub(super) fn run(case: &Case<'_>) -> Answer {
    let subscription: Option<ImageSubscription> = object(case, "subscription");
    let images: Option<Vec<Image>> = objects(case, "images");
    let (Some(subscription), Some(images)) = (subscription, images) else {
        return Answer::refused();
    };
    let Ok(selector) = ImageSelector::new(&subscription) else {
        return Answer::Refused(Some("config"));
    };
    let matches: BTreeMap<&str, bool> =
        images.iter().map(|image| (image.tag.as_str(), selector.considers(&image.tag))).collect();
    let matches = json!(matches);
    Answer::value(json!(select(&selector, images))).and("matches", matches)
}

fn select(selector: &ImageSelector, images: Vec<Image>) -> Value {
    let tags: Vec<String> = match selector.listing() {
        Listing::All => images.iter().map(|image| image.tag.clone()).collect(),
        Listing::One(tag) => vec![tag.to_owned()],
        Listing::Nothing => Vec::new(),
    };
    let mut registry: HashMap<String, ImageMetadata> =
        images.into_iter().map(|image| (image.tag.clone(), metadata(image))).collect();
    let mut search = selector.search(tags, Verdicts::none());
    loop {
        let wanted = search.wanted();
        if wanted.is_empty() {
            return json!(search.finish().0);
        }
        for tag in wanted {
            let answer = registry.remove(&tag).map_or(Found::Missing, Found::Found);
            search.answer(&tag, answer);
        }
    }
}

fn metadata(image: Image) -> ImageMetadata {
    let offered = |Offered { os, arch, variant, annotations }| OfferedPlatform {
        platform: Platform { os, arch, variant },
        annotations,
    };
    ImageMetadata {
        digest: image.digest,
        created_at: image.created_at,
        annotations: image.annotations,
        platforms: image.platforms.into_iter().map(offered).collect(),
    }
}
