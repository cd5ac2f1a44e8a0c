//! Freight from the newest of what was found.

use std::fmt;

use api_kinds::{
    Freight, ObjectMeta, Warehouse,
    artifact::{ArtifactReference, Chart, GitCommit, Image},
    origin::FreightOrigin,
    warehouse::{
        ChartDiscoveryResult, DiscoveredArtifacts, DiscoveryResult, GitDiscoveryResult,
        ImageDiscoveryResult,
    },
};

use super::failure::without_user;
use crate::freight::{Contents, freight_name};

/// What was not found, so that there can be no Freight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// Anything.
    #[error("No artifacts discovered")]
    Everything,
    /// Commits of a Git repository.
    #[error("No commits discovered for Git repository {:?}", without_user(.repo_url))]
    Commits {
        /// The repository.
        repo_url: String,
    },
    /// Images of a repository.
    #[error("No references discovered for image repository {repo_url:?}")]
    Images {
        /// The repository.
        repo_url: String,
    },
    /// Versions of a chart.
    #[error("No versions discovered for chart {}from repository {:?}", quoted(.name), without_user(.repo_url))]
    ChartVersions {
        /// The repository, or the chart itself.
        repo_url: String,
        /// The chart's name in it.
        name: String,
    },
    /// Artifacts of another type.
    #[error("No artifacts discovered for subscription {subscription:?}")]
    Artifacts {
        /// The subscription's name.
        subscription: String,
    },
}

/// The Freight that consists of the best version of everything that was found.
pub fn assemble(warehouse: &Warehouse, found: &DiscoveredArtifacts) -> Result<Freight, Missing> {
    let is_empty = found.git.is_empty()
        && found.images.is_empty()
        && found.charts.is_empty()
        && found.results.is_empty();
    if is_empty {
        return Err(Missing::Everything);
    }
    let mut freight = Freight {
        commits: found.git.iter().map(best_commit).collect::<Result<_, _>>()?,
        images: found.images.iter().map(best_image).collect::<Result<_, _>>()?,
        charts: found.charts.iter().map(best_version).collect::<Result<_, _>>()?,
        artifacts: found.results.iter().map(best_artifact).collect::<Result<_, _>>()?,
        origin: FreightOrigin::warehouse(warehouse.metadata.name.clone().unwrap_or_default()),
        ..Freight::default()
    };
    let contents = Contents {
        commits: &freight.commits,
        images: &freight.images,
        charts: &freight.charts,
        artifacts: &freight.artifacts,
    };
    freight.metadata = ObjectMeta {
        name: Some(freight_name(&freight.origin, &contents)),
        namespace: warehouse.metadata.namespace.clone(),
        ..ObjectMeta::default()
    };
    Ok(freight)
}

fn best_commit(result: &GitDiscoveryResult) -> Result<GitCommit, Missing> {
    let repo_url = result.repo_url.clone();
    let Some(best) = result.commits.first() else { return Err(Missing::Commits { repo_url }) };
    Ok(GitCommit {
        author: best.author.clone(),
        branch: best.branch.clone(),
        committer: best.committer.clone(),
        id: best.id.clone(),
        message: best.subject.clone(),
        repo_url,
        subscription_name: result.subscription_name.clone(),
        tag: best.tag.clone(),
    })
}

fn best_image(result: &ImageDiscoveryResult) -> Result<Image, Missing> {
    let repo_url = result.repo_url.clone();
    let Some(best) = result.references.first() else { return Err(Missing::Images { repo_url }) };
    Ok(Image {
        annotations: best.annotations.clone(),
        digest: best.digest.clone(),
        repo_url,
        subscription_name: result.subscription_name.clone(),
        tag: best.tag.clone(),
    })
}

fn best_version(result: &ChartDiscoveryResult) -> Result<Chart, Missing> {
    let (repo_url, name) = (result.repo_url.clone(), result.name.clone());
    let Some(version) = result.versions.first().cloned() else {
        return Err(Missing::ChartVersions { repo_url, name });
    };
    Ok(Chart { name, repo_url, subscription_name: result.subscription_name.clone(), version })
}

fn best_artifact(result: &DiscoveryResult) -> Result<ArtifactReference, Missing> {
    let best = result.artifact_references.first().cloned();
    best.ok_or_else(|| Missing::Artifacts { subscription: result.name.clone() })
}

/// The name in quotation marks with a blank behind it, when there is one.
fn quoted(name: &str) -> impl fmt::Display {
    if name.is_empty() { String::new() } else { format!("{name:?} ") }
}
