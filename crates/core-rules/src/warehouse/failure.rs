//! Why a subscription could not be searched, in the words that people know from upstream.

use std::{error::Error, fmt};

use api_kinds::warehouse::{RepoSubscription, Source};

use crate::fault::message;

/// The longest cause that is reported; it is remote text for the most part.
const MAX_CAUSE_BYTES: usize = 2048;

/// At which step a search failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedStep {
    /// Credentials could not be read.
    Credentials,
    /// The subscription cannot be used as it is written.
    Selector,
    /// The repository could not be searched.
    Discovery,
}

/// Why a subscription could not be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    /// The failure of one subscription. The cause must hold no secret.
    pub fn new(
        subscription: &RepoSubscription,
        step: FailedStep,
        cause: impl fmt::Display,
    ) -> Self {
        let what = describe(subscription, step);
        Self(format!("{what}: {}", clean(&cause.to_string())))
    }

    /// The failure of one subscription, with all that an error says about its causes.
    pub fn from_error(
        subscription: &RepoSubscription,
        step: FailedStep,
        error: &(dyn Error + 'static),
    ) -> Self {
        Self::new(subscription, step, message(error))
    }
}

/// What a subscription is called in messages: the address of its repository without what may be a
/// password, or its own name.
pub fn shown(subscription: &RepoSubscription) -> String {
    match &subscription.source {
        Source::Git(git) => without_user(&git.repo_url),
        Source::Image(image) => without_user(&image.repo_url),
        Source::Chart(chart) => without_user(&chart.repo_url),
        Source::Other(_) => subscription.name.clone(),
    }
}

fn describe(subscription: &RepoSubscription, step: FailedStep) -> String {
    let texts = match &subscription.source {
        Source::Git(_) => [
            "error obtaining credentials for git repo",
            "error obtaining selector for commits from git repo",
            "error discovering commits from git repo",
        ],
        Source::Image(_) => [
            "error obtaining credentials for image repo",
            "error obtaining selector for image",
            "error discovering newest applicable images",
        ],
        Source::Chart(_) => [
            "error obtaining credentials for chart repository",
            "error obtaining selector for chart versions from helm chart repo",
            "error discovering chart versions from helm chart repo",
        ],
        Source::Other(_) => [
            "error obtaining credentials for subscription",
            "error obtaining subscriber for subscription",
            "error discovering artifacts for subscription",
        ],
    };
    let [credentials, selector, discovery] = texts;
    let text = match step {
        FailedStep::Credentials => credentials,
        FailedStep::Selector => selector,
        FailedStep::Discovery => discovery,
    };
    format!("{text} {:?}", shown(subscription))
}

/// The address without what stands before the host, which may be a password.
pub(super) fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.split('/').next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let path = rest.get(authority.len()..).unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// One line of bounded length.
fn clean(cause: &str) -> String {
    let end = cause.floor_char_boundary(MAX_CAUSE_BYTES);
    let kept = cause.get(..end).unwrap_or_default();
    let mut text: String = kept.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if end < cause.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failure(subscription: serde_json::Value, step: FailedStep) -> String {
        let spec = json!({"interval": "5m", "subscriptions": [subscription]});
        let spec: api_kinds::warehouse::WarehouseSpec = serde_json::from_value(spec).unwrap();
        Failure::new(&spec.subscriptions[0], step, "why").to_string()
    }

    #[test]
    fn every_kind_names_every_step() {
        use FailedStep::{Credentials, Discovery, Selector};
        let git = json!({"git": {"repoURL": "https://me:secret@x.io/a@b"}});
        let image = json!({"image": {"repoURL": "x.io/a"}});
        let chart = json!({"chart": {"repoURL": "oci://x.io/a"}});
        let other = json!({"name": "bucket", "s3": {}});
        for (subscription, step, text) in [
            (
                &git,
                Credentials,
                r#"error obtaining credentials for git repo "https://x.io/a@b": why"#,
            ),
            (
                &git,
                Selector,
                r#"error obtaining selector for commits from git repo "https://x.io/a@b": why"#,
            ),
            (&git, Discovery, r#"error discovering commits from git repo "https://x.io/a@b": why"#),
            (&image, Credentials, r#"error obtaining credentials for image repo "x.io/a": why"#),
            (&image, Selector, r#"error obtaining selector for image "x.io/a": why"#),
            (&image, Discovery, r#"error discovering newest applicable images "x.io/a": why"#),
            (
                &chart,
                Credentials,
                r#"error obtaining credentials for chart repository "oci://x.io/a": why"#,
            ),
            (
                &chart,
                Selector,
                r#"error obtaining selector for chart versions from helm chart repo "oci://x.io/a": why"#,
            ),
            (
                &chart,
                Discovery,
                r#"error discovering chart versions from helm chart repo "oci://x.io/a": why"#,
            ),
            (&other, Discovery, r#"error discovering artifacts for subscription "bucket": why"#),
        ] {
            assert_eq!(failure(subscription.clone(), step), text);
        }
    }

    #[test]
    fn an_error_is_reported_with_its_causes() {
        let spec = json!({"interval": "5m", "subscriptions": [
            {"git": {"repoURL": "https://x.io/a", "commitSelectionStrategy": "SemVer", "semverConstraint": "bad"}}]});
        let spec: api_kinds::warehouse::WarehouseSpec = serde_json::from_value(spec).unwrap();
        let subscription = &spec.subscriptions[0];
        let Source::Git(git) = &subscription.source else { panic!("a Git repository") };
        let error = crate::subscription::GitSelector::new(git).unwrap_err();
        assert_eq!(
            Failure::from_error(subscription, FailedStep::Selector, &error).to_string(),
            "error obtaining selector for commits from git repo \"https://x.io/a\": \
             error parsing semver constraint \"bad\": improper constraint: \"bad\""
        );
    }

    #[test]
    fn causes_are_one_line_of_bounded_length() {
        assert_eq!(clean("a\r\n\tb"), "a   b");
        assert!(clean(&"é".repeat(5000)).len() <= MAX_CAUSE_BYTES + '…'.len_utf8());
    }

    #[test]
    fn addresses_are_shown_without_users() {
        assert_eq!(without_user("ssh://git@x.io:22/a"), "ssh://x.io:22/a");
        assert_eq!(without_user("git@x.io:a/b"), "git@x.io:a/b");
        assert_eq!(without_user("https://x.io"), "https://x.io");
    }
}
