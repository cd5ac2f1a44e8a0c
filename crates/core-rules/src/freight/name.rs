//! Names made from content: the same artifacts of the same origin are the same Freight.

use api_kinds::artifact::{ArtifactReference, Chart, GitCommit, Image};
use api_kinds::origin::FreightOrigin;
use core_pattern::{normalize_chart, normalize_git, slash_path};

use crate::digest::sha1_hex;

/// The artifacts of one piece of Freight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contents<'a> {
    /// Commits.
    pub commits: &'a [GitCommit],
    /// Container images.
    pub images: &'a [Image],
    /// Helm charts.
    pub charts: &'a [Chart],
    /// Everything else.
    pub artifacts: &'a [ArtifactReference],
}

/// The name of Freight: a digest of its origin and of what identifies each artifact, in any order.
pub fn freight_name(origin: &FreightOrigin, contents: &Contents<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(contents.commits.iter().map(commit_part));
    parts.extend(contents.images.iter().map(image_part));
    parts.extend(contents.charts.iter().map(chart_part));
    parts.extend(contents.artifacts.iter().map(artifact_part));
    parts.sort_unstable();
    sha1_hex(&format!("{origin}:{}", parts.join("|")))
}

/// The identity of a collection: a digest of the names of its members, in any order.
pub fn collection_id<'a>(freight_names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = freight_names.into_iter().collect();
    names.sort_unstable();
    sha1_hex(&names.join(","))
}

fn commit_part(commit: &GitCommit) -> String {
    let repository = normalize_git(&commit.repo_url);
    let part = if commit.tag.is_empty() {
        format!("{repository}:{}", commit.id)
    } else {
        format!("{repository}:{}:{}", commit.tag, commit.id)
    };
    with_subscription(part, &commit.subscription_name)
}

/// The address of an image is not normalised here; existing names depend on it.
fn image_part(image: &Image) -> String {
    let part = format!("{}:{}@{}", image.repo_url, image.tag, image.digest);
    with_subscription(part, &image.subscription_name)
}

/// Joining as a path collapses the slashes of `https://`; existing names depend on that too.
fn chart_part(chart: &Chart) -> String {
    let location = slash_path::join(&[&normalize_chart(&chart.repo_url), &chart.name]);
    with_subscription(format!("{location}:{}", chart.version), &chart.subscription_name)
}

fn artifact_part(artifact: &ArtifactReference) -> String {
    [artifact.artifact_type.as_str(), &artifact.subscription_name, &artifact.version].join(":")
}

fn with_subscription(part: String, subscription: &str) -> String {
    if subscription.is_empty() { part } else { format!("{part}:{subscription}") }
}

#[cfg(test)]
mod tests {
    use api_kinds::artifact::{ArtifactReference, Chart, GitCommit, Image};
    use api_kinds::origin::FreightOrigin;

    use super::{Contents, collection_id, freight_name};

    const A: &str = "3f1a0f6a5cc6f4ca0e620d9fe9168b8eb724f66e";
    const B: &str = "88e0e4453703045f37144b5a8ed5ecaa56eeafde";

    fn commit(tag: &str) -> GitCommit {
        GitCommit {
            repo_url: "https://github.com/Example/Repo.git".into(),
            id: "abc123".into(),
            tag: tag.into(),
            ..GitCommit::default()
        }
    }

    #[test]
    fn names_follow_from_origin_and_artifacts() {
        let origin = FreightOrigin::warehouse("my-wh");
        let contents = Contents { commits: &[commit("")], ..Contents::default() };
        assert_eq!(freight_name(&origin, &contents), A);
        let contents = Contents {
            commits: &[commit("v1.0.0")],
            images: &[Image {
                repo_url: "ghcr.io/Example/App".into(),
                tag: "v1.2.3".into(),
                digest: "sha256:00ff".into(),
                ..Image::default()
            }],
            charts: &[Chart {
                repo_url: "https://charts.example.com/stable".into(),
                name: "web".into(),
                version: "1.0.0".into(),
                subscription_name: "web-chart".into(),
            }],
            artifacts: &[ArtifactReference {
                artifact_type: "s3".into(),
                subscription_name: "bundle".into(),
                version: "42".into(),
                ..ArtifactReference::default()
            }],
        };
        assert_eq!(freight_name(&origin, &contents), B);
    }

    #[test]
    fn what_does_not_identify_a_commit_does_not_change_the_name() {
        let origin = FreightOrigin::warehouse("my-wh");
        let described = GitCommit {
            branch: "main".into(),
            message: "a change".into(),
            author: "A <a@example.com>".into(),
            ..commit("")
        };
        let contents = Contents { commits: &[described], ..Contents::default() };
        assert_eq!(freight_name(&origin, &contents), A);
    }

    #[test]
    fn a_collection_is_known_by_its_members_in_any_order() {
        let id = "b6cdec91366955d3c1deb6ce424a4868fce1cabb";
        assert_eq!(collection_id([A, B]), id);
        assert_eq!(collection_id([B, A]), id);
    }
}
