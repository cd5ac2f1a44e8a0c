//! Subscriptions to Git repositories.

use api_kinds::{
    pattern::GIT_URL,
    warehouse::{CommitSelectionStrategy, GitSubscription},
};
use core_pattern::UserRegex;

use super::{Pattern, check_constraint, check_limit, check_repository, is_match};
use crate::admission::field::FieldError;

const MAX_BRANCH_BYTES: usize = 255;

static URL: Pattern = Pattern::new(|| UserRegex::parse(GIT_URL).ok());
static BRANCH: Pattern =
    Pattern::new(|| UserRegex::parse(r"^[a-zA-Z0-9]([a-zA-Z0-9._\/-]*[a-zA-Z0-9_-])?$").ok());

pub(super) fn check(source: &GitSubscription, path: &str) -> Vec<FieldError> {
    let url = check_repository(&source.repo_url, path, &URL, "must be a valid Git repository URL");
    let strategy = &source.commit_selection_strategy;
    let strategy = matches!(strategy, CommitSelectionStrategy::Other(_)).then(|| {
        let known = ["Lexical", "NewestFromBranch", "NewestTag", "SemVer"];
        FieldError::not_supported(
            format!("{path}.commitSelectionStrategy"),
            strategy.as_str(),
            &known,
        )
    });
    let constraint =
        check_constraint(&source.semver_constraint, format!("{path}.semverConstraint"));
    let limit = check_limit(source.discovery_limit, path);
    [url, check_branch(&source.branch, path), strategy, constraint, limit]
        .into_iter()
        .flatten()
        .collect()
}

fn check_branch(branch: &str, path: &str) -> Option<FieldError> {
    let field = format!("{path}.branch");
    if branch.len() > MAX_BRANCH_BYTES {
        return Some(FieldError::invalid(field, branch, "must have a maximum length of 255"));
    }
    let is_bad = !branch.is_empty() && !is_match(&BRANCH, branch);
    is_bad.then(|| FieldError::invalid(field, branch, "must be a valid branch name"))
}
