//! What subscriptions found, and how that becomes one result.

use api_kinds::{
    Warehouse,
    warehouse::{
        ChartDiscoveryResult, DiscoveredArtifacts, DiscoveryResult, GitDiscoveryResult,
        ImageDiscoveryResult, RepoSubscription, Source,
    },
};

use super::failure::Failure;

/// What one subscription found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Commits.
    Git(GitDiscoveryResult),
    /// Images.
    Image(ImageDiscoveryResult),
    /// Versions of a chart.
    Chart(ChartDiscoveryResult),
    /// Artifacts of another type.
    Other(DiscoveryResult),
}

impl Finding {
    /// What a subscription found last, in the result as it is stored.
    fn previous(subscription: &RepoSubscription, artifacts: &DiscoveredArtifacts) -> Option<Self> {
        let name = &subscription.name;
        match &subscription.source {
            Source::Git(git) => {
                previous_git(&git.repo_url, name, artifacts).cloned().map(Self::Git)
            }
            Source::Image(image) => {
                let mut results = artifacts.images.iter();
                let result = results.find(|result| {
                    result.repo_url == image.repo_url && result.subscription_name == *name
                });
                result.cloned().map(Self::Image)
            }
            Source::Chart(chart) => {
                let mut results = artifacts.charts.iter();
                let result = results.find(|result| {
                    (&result.repo_url, &result.name, &result.subscription_name)
                        == (&chart.repo_url, &chart.name, name)
                });
                result.cloned().map(Self::Chart)
            }
            Source::Other(_) => {
                let mut results = artifacts.results.iter();
                results.find(|result| result.name == *name).cloned().map(Self::Other)
            }
        }
    }

    fn put_into(self, artifacts: &mut DiscoveredArtifacts) {
        match self {
            Self::Git(result) => artifacts.git.push(result),
            Self::Image(result) => artifacts.images.push(result),
            Self::Chart(result) => artifacts.charts.push(result),
            Self::Other(result) => artifacts.results.push(result),
        }
    }
}

/// What a Git subscription found last.
pub(super) fn previous_git<'a>(
    repo_url: &str,
    subscription_name: &str,
    artifacts: &'a DiscoveredArtifacts,
) -> Option<&'a GitDiscoveryResult> {
    artifacts
        .git
        .iter()
        .find(|result| result.repo_url == repo_url && result.subscription_name == subscription_name)
}

/// What all subscriptions found, and why some could not be searched. What such a one found before
/// stays visible in its place; without that it has no entry, because an empty one says that it was
/// searched. The time is not set.
pub(super) fn gather(
    warehouse: &Warehouse,
    findings: Vec<Result<Finding, Failure>>,
) -> (DiscoveredArtifacts, Vec<Failure>) {
    let before = warehouse.status.discovered_artifacts.as_ref();
    let mut artifacts = DiscoveredArtifacts::default();
    let mut failures = Vec::new();
    for (subscription, finding) in warehouse.spec.subscriptions.iter().zip(findings) {
        let finding = match finding {
            Ok(finding) => Some(finding),
            Err(failure) => {
                failures.push(failure);
                before.and_then(|before| Finding::previous(subscription, before))
            }
        };
        if let Some(finding) = finding {
            finding.put_into(&mut artifacts);
        }
    }
    (artifacts, failures)
}
