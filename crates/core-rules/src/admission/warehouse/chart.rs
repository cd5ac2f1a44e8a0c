//! Subscriptions to Helm charts.

use api_kinds::warehouse::ChartSubscription;
use core_pattern::UserRegex;

use super::{Pattern, check_constraint, check_limit, check_repository};
use crate::admission::field::FieldError;

static REPOSITORY: Pattern =
    Pattern::new(|| UserRegex::parse(r"^(((https?)|(oci))://)([\w\d\.\-]+)(:[\d]+)?(/.*)*$").ok());

pub(super) fn check(source: &ChartSubscription, path: &str) -> Vec<FieldError> {
    let problem = "must be a valid Helm repository URL";
    let url = check_repository(&source.repo_url, path, &REPOSITORY, problem);
    let constraint =
        check_constraint(&source.semver_constraint, format!("{path}.semverConstraint"));
    let limit = check_limit(source.discovery_limit, path);
    [url, check_name(source, path), constraint, limit].into_iter().flatten().collect()
}

/// In an OCI registry the address is the chart's own.
fn check_name(source: &ChartSubscription, path: &str) -> Option<FieldError> {
    let problem = if source.repo_url.starts_with("oci://") && !source.name.is_empty() {
        "must be empty if repoURL starts with oci://"
    } else if is_classic(&source.repo_url) && source.name.is_empty() {
        "must be non-empty if repoURL starts with http:// or https://"
    } else {
        return None;
    };
    Some(FieldError::invalid(format!("{path}.name"), source.name.as_str(), problem))
}

/// Whether the repository has an index of many charts.
pub(super) fn is_classic(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}
