use std::collections::BTreeMap;

use api_kinds::warehouse::{ImageSelectionStrategy, ImageSubscription};
use proptest::prelude::*;

use super::*;
use crate::subscription::{Platform, Verdict};

fn subscription(strategy: ImageSelectionStrategy, limit: i32) -> ImageSubscription {
    ImageSubscription {
        repo_url: "ghcr.io/a/b".into(),
        image_selection_strategy: strategy,
        discovery_limit: limit,
        ..ImageSubscription::default()
    }
}

fn image(created: i64, platforms: &[&str]) -> ImageMetadata {
    let offered = |text: &&str| OfferedPlatform {
        platform: Platform::parse_constraint(text).unwrap().unwrap(),
        annotations: BTreeMap::from([("on".to_owned(), (*text).to_owned())]),
    };
    ImageMetadata {
        digest: "sha256:ab".into(),
        created_at: jiff::Timestamp::from_second(created).ok(),
        annotations: BTreeMap::from([("on".to_owned(), "any".to_owned())]),
        platforms: platforms.iter().map(offered).collect(),
    }
}

/// Runs a search against a registry that answers from a function; says how many it was asked for.
fn run(
    subscription: &ImageSubscription,
    tags: &[&str],
    registry: impl Fn(&str) -> Answer,
) -> (Vec<DiscoveredImageReference>, Vec<(String, Verdict)>, usize) {
    let selector = ImageSelector::new(subscription).unwrap();
    let tags = tags.iter().map(|tag| (*tag).to_owned());
    let mut search = selector.search(tags, Verdicts::up_to(100));
    let mut asked = 0;
    loop {
        let wanted = search.wanted();
        if wanted.is_empty() {
            break;
        }
        asked += wanted.len();
        for tag in wanted.iter().rev() {
            search.answer(tag, registry(tag));
        }
    }
    let (references, verdicts) = search.finish();
    (references, verdicts.entries().to_vec(), asked)
}

fn tags_of(references: &[DiscoveredImageReference]) -> Vec<&str> {
    references.iter().map(|reference| reference.tag.as_str()).collect()
}

#[test]
fn only_as_many_images_are_asked_for_as_decide() {
    let subscription = ImageSubscription {
        platform: "linux/arm64".into(),
        ..subscription(ImageSelectionStrategy::SemVer, 2)
    };
    let registry = |tag: &str| match tag {
        "4.0.0" => Answer::Found(image(0, &["linux/amd64"])),
        "3.0.0" => Answer::Unreadable("empty index".into()),
        _ => Answer::Found(image(0, &["linux/amd64", "linux/arm64"])),
    };
    let tags = ["1.0.0", "latest", "4.0.0", "2.0.0", "0.1.0", "3.0.0"];
    let (references, verdicts, asked) = run(&subscription, &tags, registry);
    assert_eq!(tags_of(&references), ["2.0.0", "1.0.0"]);
    assert_eq!(references[0].annotations["on"], "linux/arm64");
    assert_eq!(asked, 4);
    let verdicts: Vec<_> =
        verdicts.iter().map(|(tag, verdict)| format!("{tag}: {verdict}")).collect();
    assert_eq!(
        verdicts,
        [
            "latest: not a version",
            "4.0.0: platform linux/arm64 not offered",
            "3.0.0: cannot be read: empty index",
            "2.0.0: selected",
            "1.0.0: selected",
            "0.1.0: beyond the limit of 2",
        ]
    );
}

#[test]
fn the_newest_build_is_known_when_all_are() {
    let registry = |tag: &str| match tag {
        "a" => Answer::Found(image(1, &[])),
        "b" | "c" => Answer::Found(image(5, &[])),
        _ => Answer::Missing,
    };
    let subscription = subscription(ImageSelectionStrategy::NewestBuild, 2);
    let (references, verdicts, asked) = run(&subscription, &["a", "b", "c", "d"], registry);
    assert_eq!(tags_of(&references), ["c", "b"]);
    assert_eq!(asked, 4);
    assert!(verdicts.contains(&("d".into(), Verdict::Rejected(Rejection::Missing))));
    assert!(
        verdicts.contains(&("a".into(), Verdict::Rejected(Rejection::BeyondLimit { limit: 2 })))
    );
}

#[test]
fn one_tag_is_followed_wherever_it_points() {
    let digest = ImageSubscription {
        constraint: "main".into(),
        allow_tags: "ignored".into(),
        allow_tags_regexes: vec!["[".into()],
        ..subscription(ImageSelectionStrategy::Digest, 5)
    };
    let selector = ImageSelector::new(&digest).unwrap();
    assert_eq!(selector.listing(), Listing::One("main"));
    assert!(selector.considers("main") && !selector.considers("v1"));
    let (references, ..) = run(&digest, &[], |_| Answer::Found(image(1, &[])));
    assert_eq!(tags_of(&references), ["main"]);
    let (references, ..) = run(&digest, &[], |_| Answer::Missing);
    assert!(references.is_empty());
    let unset = subscription(ImageSelectionStrategy::Digest, 5);
    assert_eq!(ImageSelector::new(&unset).unwrap().listing(), Listing::Nothing);
}

#[test]
fn an_exact_variant_goes_before_any_other() {
    let lexical = ImageSubscription {
        platform: "linux/arm".into(),
        ..subscription(ImageSelectionStrategy::Lexical, 1)
    };
    let annotation = |platforms: &[&str]| {
        let (references, ..) = run(&lexical, &["x"], |_| Answer::Found(image(1, platforms)));
        references.first().map(|reference| reference.annotations["on"].clone())
    };
    assert_eq!(annotation(&["linux/arm/v6", "linux/arm"]).unwrap(), "linux/arm");
    assert_eq!(annotation(&["linux/arm/v6", "linux/arm/v7"]).unwrap(), "linux/arm/v6");
    assert_eq!(annotation(&["linux/amd64"]), None);
    assert_eq!(annotation(&[]), None);
}

#[test]
fn the_installation_decides_about_caching() {
    use CacheByTagPolicy::{Allow, Forbid, Force, Require};
    for (policy, asks, strategy, expected) in [
        (Forbid, true, ImageSelectionStrategy::Lexical, Some(false)),
        (Allow, true, ImageSelectionStrategy::Lexical, Some(true)),
        (Allow, false, ImageSelectionStrategy::Lexical, Some(false)),
        (Require, true, ImageSelectionStrategy::Lexical, Some(true)),
        (Require, false, ImageSelectionStrategy::Lexical, None),
        (Force, false, ImageSelectionStrategy::Lexical, Some(true)),
        (Require, false, ImageSelectionStrategy::Digest, Some(false)),
        (Force, false, ImageSelectionStrategy::Digest, Some(false)),
    ] {
        let subscription = ImageSubscription { cache_by_tag: asks, ..subscription(strategy, 1) };
        let selector = ImageSelector::new(&subscription).unwrap();
        assert_eq!(selector.caches_by_tag(policy).ok(), expected, "{policy:?} {asks}");
    }
}

#[test]
fn a_subscription_that_cannot_be_used_says_why() {
    let base = || subscription(ImageSelectionStrategy::SemVer, 1);
    for (subscription, text) in [
        (ImageSubscription { constraint: "bad".into(), ..base() }, "semver constraint \"bad\""),
        (ImageSubscription { platform: "linux".into(), ..base() }, "invalid platform"),
        (ImageSubscription { allow_tags: "a".into(), ..base() }, "AllowTags is deprecated"),
        (
            ImageSubscription { ignore_tags_regexes: vec!["(".into()], ..base() },
            "ignore tags regex \"(\"",
        ),
        (
            subscription(ImageSelectionStrategy::Other("Best".into()), 1),
            "unknown selection strategy \"Best\"",
        ),
    ] {
        let error = ImageSelector::new(&subscription).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn too_many_annotations_are_dropped_from_the_worse_images() {
    let lexical = subscription(ImageSelectionStrategy::Lexical, 3);
    let (references, ..) = run(&lexical, &["a", "b", "c"], |_| {
        let annotations = BTreeMap::from([("k".to_owned(), "x".repeat(120 * 1024))]);
        Answer::Found(ImageMetadata { annotations, ..image(1, &[]) })
    });
    let kept: Vec<_> =
        references.iter().map(|reference| !reference.annotations.is_empty()).collect();
    assert_eq!(kept, [true, true, false]);
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_the_order_of_listing_or_answers(
        builds in proptest::collection::btree_map("[0-3]\\.[0-3]\\.[0-3]", 0_i64..5, 0..15),
        turn in 0_usize..15,
        limit in 1..6,
        is_newest in any::<bool>(),
    ) {
        let strategy = if is_newest {
            ImageSelectionStrategy::NewestBuild
        } else {
            ImageSelectionStrategy::SemVer
        };
        let subscription = subscription(strategy, limit);
        let listed: Vec<&str> = builds.keys().map(String::as_str).collect();
        let mut turned = listed.clone();
        turned.rotate_left(turn % listed.len().max(1));
        let registry = |tag: &str| Answer::Found(image(builds[tag], &[]));
        let (first, _, _) = run(&subscription, &listed, registry);
        let (second, _, _) = run(&subscription, &turned, registry);
        prop_assert_eq!(first, second);
    }
}
