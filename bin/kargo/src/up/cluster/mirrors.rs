//! Where a run on a cluster keeps mirrors of repositories and answers of registries.

use std::path::PathBuf;

use core_clock::Environment;
use tempfile::TempDir;

use crate::{discovery::cache_directory, exit::Failure};

/// A directory of the user's cache for each cluster, so that several can be worked on at once. A user without a home
/// gets one that vanishes with the process.
pub(super) fn directory(
    environment: &dyn Environment,
    cluster: &str,
) -> Result<(PathBuf, Option<TempDir>), Failure> {
    if let Some(cache) = cache_directory(environment) {
        return Ok((cache.join("clusters").join(name(cluster)), None));
    }
    let temporary = tempfile::Builder::new().prefix("kargo-up-").tempdir()?;
    Ok((temporary.path().to_owned(), Some(temporary)))
}

/// The address of a cluster as the name of a directory.
fn name(cluster: &str) -> String {
    let address = cluster.split_once("://").map_or(cluster, |(_, address)| address);
    let address = address.trim_matches(['/', '.']);
    address.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    #[test]
    fn every_cluster_has_a_directory_of_its_own() {
        let home: FixedEnvironment = [("HOME", "/h")].into_iter().collect();
        let place = |cluster| directory(&home, cluster).unwrap().0;
        let clusters = PathBuf::from("/h/.cache/kargo/clusters");
        assert_eq!(place("https://10.0.0.1:6443/"), clusters.join("10.0.0.1-6443"));
        assert_eq!(place("https://a.b/../c"), clusters.join("a.b-..-c"));
        let nowhere = FixedEnvironment::default();
        assert!(directory(&nowhere, "https://a.b").unwrap().1.is_some());
    }
}
