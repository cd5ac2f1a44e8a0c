//! Subscriptions to container images.

use api_kinds::warehouse::{ImageSelectionStrategy, ImageSubscription};
use core_pattern::UserRegex;

use super::{CacheByTagPolicy, Pattern, check_constraint, check_limit, check_repository};
use crate::{admission::field::FieldError, subscription::Platform};

static REPOSITORY: Pattern = Pattern::new(|| {
    UserRegex::parse(r"^(\w+([\.-]\w+)*(:[\d]+)?/)?(\w+([\.-]\w+)*)(/\w+([\.-]\w+)*)*$").ok()
});

pub(super) fn check(
    source: &ImageSubscription,
    path: &str,
    policy: CacheByTagPolicy,
) -> Vec<FieldError> {
    let problem = "must be a valid image repository URL";
    let url = check_repository(&source.repo_url, path, &REPOSITORY, problem);
    let strategy = &source.image_selection_strategy;
    let strategy = matches!(strategy, ImageSelectionStrategy::Other(_)).then(|| {
        let known = ["Digest", "Lexical", "NewestBuild", "SemVer"];
        let field = format!("{path}.imageSelectionStrategy");
        FieldError::not_supported(field, strategy.as_str(), &known)
    });
    let limit = check_limit(source.discovery_limit, path);
    let platform = Platform::parse_constraint(&source.platform).is_err().then(|| {
        let field = format!("{path}.platform");
        FieldError::invalid(field, source.platform.as_str(), "must be in format <os>/<arch>")
    });
    [
        url,
        strategy,
        check_selection(source, path),
        platform,
        check_caching(source, path, policy),
        limit,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What the constraint means depends on how images are selected.
fn check_selection(source: &ImageSubscription, path: &str) -> Option<FieldError> {
    let field = format!("{path}.constraint");
    match source.image_selection_strategy {
        ImageSelectionStrategy::Digest => source.constraint.is_empty().then(|| {
            FieldError::invalid(field, "", "must be set when imageSelectionStrategy is Digest")
        }),
        ImageSelectionStrategy::SemVer | ImageSelectionStrategy::Unset => {
            check_constraint(&source.constraint, field)
        }
        ImageSelectionStrategy::Lexical
        | ImageSelectionStrategy::NewestBuild
        | ImageSelectionStrategy::Other(_) => None,
    }
}

fn check_caching(
    source: &ImageSubscription,
    path: &str,
    policy: CacheByTagPolicy,
) -> Option<FieldError> {
    let is_missing = policy == CacheByTagPolicy::Require
        && source.image_selection_strategy != ImageSelectionStrategy::Digest
        && !source.cache_by_tag;
    is_missing.then(|| {
        FieldError::invalid(
            format!("{path}.cacheByTag"),
            false,
            "must be true: caching by tag is required by controller configuration",
        )
    })
}
