//! What upstream accepts and fails on when it looks for artifacts.

use api_kinds::{
    Duration, Warehouse,
    warehouse::{GitSubscription, ImageSubscription, Source},
};
use core_expr::{CommitFilter, Criterion};
use core_pattern::{PathFilter, TagFilter};
use serde_json::Value;

use super::PATH;

const GIT_MEMBERS: &[&str] = &[
    "repoURL",
    "commitSelectionStrategy",
    "branch",
    "strictSemvers",
    "semverConstraint",
    "allowTags",
    "allowTagsRegexes",
    "ignoreTags",
    "ignoreTagsRegexes",
    "expressionFilter",
    "insecureSkipTLSVerify",
    "blobless",
    "includePaths",
    "excludePaths",
    "discoveryLimit",
    "since",
];
const IMAGE_MEMBERS: &[&str] = &[
    "repoURL",
    "imageSelectionStrategy",
    "strictSemvers",
    "constraint",
    "allowTags",
    "allowTagsRegexes",
    "ignoreTags",
    "ignoreTagsRegexes",
    "platform",
    "insecureSkipTLSVerify",
    "discoveryLimit",
    "cacheByTag",
];
const CHART_MEMBERS: &[&str] =
    &["repoURL", "name", "semverConstraint", "discoveryLimit", "insecureSkipTLSVerify"];

pub(super) fn warn(warehouse: &Warehouse) -> Vec<String> {
    let mut warnings = Vec::new();
    if warehouse.spec.interval == Duration::ZERO {
        warnings
            .push("spec.interval: is zero; the least interval of the installation counts".into());
    }
    warnings.extend(warn_criteria(warehouse));
    for (index, subscription) in warehouse.spec.subscriptions.iter().enumerate() {
        let path = format!("{PATH}[{index}].{}", subscription.source.type_name());
        match &subscription.source {
            Source::Git(source) => warnings.extend(warn_git(source, &path)),
            Source::Image(source) => warnings.extend(warn_image(source, &path)),
            Source::Chart(_) | Source::Other(_) => {}
        }
    }
    warnings
}

/// Criteria have no effect when Freight is created by hand, but somebody wrote them.
fn warn_criteria(warehouse: &Warehouse) -> Option<String> {
    let expression = warehouse.spec.freight_creation_criteria.as_ref()?.expression.trim();
    let error = if expression.is_empty() { None } else { Criterion::compile(expression).err() };
    error.map(|error| format!("spec.freightCreationCriteria.expression: {error}"))
}

fn warn_expression(source: &GitSubscription, path: &str) -> Option<String> {
    let expression = &source.expression_filter;
    let error = if expression.is_empty() { None } else { CommitFilter::compile(expression).err() };
    error.map(|error| format!("{path}.expressionFilter: {error}"))
}

fn warn_git(source: &GitSubscription, path: &str) -> Vec<String> {
    let tags = TagFilter::parse(&source.allow_tags_regexes, &source.ignore_tags_regexes);
    let paths = PathFilter::parse(&source.include_paths, &source.exclude_paths);
    let mut warnings = warn_deprecated(&source.allow_tags, &source.ignore_tags, path);
    warnings.extend(tags.err().map(|error| format!("{path}: {error}")));
    warnings.extend(paths.err().map(|error| format!("{path}: {error}")));
    warnings.extend(warn_expression(source, path));
    warnings
}

fn warn_image(source: &ImageSubscription, path: &str) -> Vec<String> {
    let tags = TagFilter::parse(&source.allow_tags_regexes, &source.ignore_tags_regexes);
    let mut warnings = warn_deprecated(&source.allow_tags, &source.ignore_tags, path);
    warnings.extend(tags.err().map(|error| format!("{path}: {error}")));
    warnings
}

fn warn_deprecated(allow_tags: &str, ignore_tags: &[String], path: &str) -> Vec<String> {
    let fields = [("allowTags", !allow_tags.is_empty()), ("ignoreTags", !ignore_tags.is_empty())];
    fields
        .into_iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(field, _)| format!("{path}.{field}: is no longer read; use {field}Regexes"))
        .collect()
}

/// Names members of subscriptions that have no meaning, in the Warehouse as it was sent.
pub fn warn_unknown_members(warehouse: &Value) -> Vec<String> {
    let subscriptions = warehouse.pointer("/spec/subscriptions").and_then(Value::as_array);
    let mut warnings = Vec::new();
    for (index, subscription) in subscriptions.into_iter().flatten().enumerate() {
        for (type_name, known) in
            [("git", GIT_MEMBERS), ("image", IMAGE_MEMBERS), ("chart", CHART_MEMBERS)]
        {
            let members = subscription.get(type_name).and_then(Value::as_object);
            let unknown = members.into_iter().flat_map(|members| members.keys());
            let unknown = unknown.filter(|member| !known.contains(&member.as_str()));
            warnings.extend(unknown.map(|member| {
                format!("unknown field {:?}", format!("{PATH}[{index}].{type_name}.{member}"))
            }));
        }
    }
    warnings
}
