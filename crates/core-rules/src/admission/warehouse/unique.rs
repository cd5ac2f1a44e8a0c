//! A repository and a name belong to one subscription each.

use std::collections::BTreeMap;

use api_kinds::warehouse::{RepoSubscription, Source};
use core_pattern::{normalize_chart, normalize_git, normalize_image};

use super::{PATH, chart::is_classic};
use crate::admission::{field::FieldError, metadata::is_dns_label};

pub(super) fn check(subscriptions: &[RepoSubscription]) -> Vec<FieldError> {
    let mut repositories = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut errors = Vec::new();
    for (index, subscription) in subscriptions.iter().enumerate() {
        let path = format!("{PATH}[{index}].{}", subscription.source.type_name());
        if let Some(repository) = Repository::of(&subscription.source) {
            if let Some(first) = repositories.get(&repository.key) {
                let detail =
                    format!("subscription for {} already exists at {first:?}", repository.what);
                errors.push(FieldError::invalid(&path, repository.url, &detail));
            } else {
                repositories.insert(repository.key, path);
            }
        }
        errors.extend(check_name(subscription, index, &mut names));
    }
    errors
}

/// What two subscriptions must not have in common.
struct Repository<'a> {
    key: (&'static str, String),
    what: String,
    url: &'a str,
}

impl<'a> Repository<'a> {
    fn of(source: &'a Source) -> Option<Self> {
        let (key, what, url) = match source {
            Source::Git(git) => {
                let key = ("git", normalize_git(&git.repo_url));
                (key, "Git repository".to_owned(), &git.repo_url)
            }
            Source::Image(image) => {
                let key = ("image", normalize_image(&image.repo_url));
                (key, "image repository".to_owned(), &image.repo_url)
            }
            Source::Chart(chart) if is_classic(&chart.repo_url) => {
                let key = format!("{}:{}", normalize_chart(&chart.repo_url), chart.name);
                (("chart", key), format!("chart {:?}", chart.name), &chart.repo_url)
            }
            Source::Chart(chart) => {
                let key = ("chart", normalize_chart(&chart.repo_url));
                (key, "chart".to_owned(), &chart.repo_url)
            }
            Source::Other(_) => return None,
        };
        Some(Self { key, what, url })
    }
}

fn check_name<'a>(
    subscription: &'a RepoSubscription,
    index: usize,
    names: &mut BTreeMap<&'a str, String>,
) -> Option<FieldError> {
    let field = format!("{PATH}[{index}].name");
    let name = subscription.name.as_str();
    if name.is_empty() {
        let detail = "a name is required for subscriptions of this type";
        let is_needed = matches!(subscription.source, Source::Other(_));
        return is_needed.then(|| FieldError::required(field, detail));
    }
    if !is_dns_label(name) {
        let detail = "a lowercase RFC 1123 label must consist of lower case alphanumeric \
                      characters or '-', and must start and end with an alphanumeric character";
        return Some(FieldError::invalid(field, name, detail));
    }
    if let Some(first) = names.get(name) {
        let detail = format!("subscription name {name:?} already used at {first:?}");
        return Some(FieldError::invalid(field, name, &detail));
    }
    names.insert(name, field);
    None
}
