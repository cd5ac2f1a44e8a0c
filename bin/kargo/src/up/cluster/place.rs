//! Where a run on a cluster keeps mirrors of repositories, answers of registries and work directories, and its name.

use std::{
    fs::{DirBuilder, File},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use core_clock::{Entropy, Environment};
use tempfile::TempDir;

use crate::{controller::Replica, discovery::cache_directory, exit::Failure};

const LOCK: &str = "up.lock";

/// A directory for one cluster.
pub(super) struct Place {
    path: PathBuf,
    /// Ours for as long as it is held; gone with the process, however that ends.
    lock: Option<File>,
    _temporary: Option<TempDir>,
}

impl Place {
    /// A directory of the user's cache for each cluster, so that several can be worked on at once. A user without a
    /// home gets one that vanishes with the process.
    pub(super) fn open(environment: &dyn Environment, cluster: &str) -> Result<Self, Failure> {
        let (path, temporary) = if let Some(cache) = cache_directory(environment) {
            (cache.join("clusters").join(name(cluster)), None)
        } else {
            let temporary = tempfile::Builder::new().prefix("kargo-up-").tempdir()?;
            (temporary.path().to_owned(), Some(temporary))
        };
        DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        let file = File::options().create(true).append(true).open(path.join(LOCK))?;
        let lock = file.try_lock().is_ok().then_some(file);
        Ok(Self { path, lock, _temporary: temporary })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of who works here. After a kill the next process has it again, so that it need not wait for the end of
    /// its own Lease. While another process works here there is none.
    pub(super) fn replica(&self, entropy: &dyn Entropy) -> Result<Option<Replica>, Failure> {
        if self.lock.is_none() {
            return Ok(None);
        }
        Replica::of_directory(&self.path, entropy).map(Some)
    }
}

/// The address of a cluster as the name of a directory.
fn name(cluster: &str) -> String {
    let address = cluster.split_once("://").map_or(cluster, |(_, address)| address);
    let address = address.trim_matches(['/', '.']);
    address.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use core_clock::{FixedEnvironment, SeededEntropy};

    use super::*;

    #[test]
    fn every_cluster_has_a_directory_of_its_own() {
        assert_eq!(name("https://10.0.0.1:6443/"), "10.0.0.1-6443");
        assert_eq!(name("https://a.b/../c"), "a.b-..-c");
        let nowhere = Place::open(&FixedEnvironment::default(), "https://a.b").unwrap();
        assert!(nowhere.path().is_dir());
    }

    #[test]
    fn one_process_at_a_time_has_the_name_of_a_place() {
        let home = tempfile::tempdir().unwrap();
        let environment: FixedEnvironment =
            [("HOME", home.path().to_str().unwrap())].into_iter().collect();
        let entropy = SeededEntropy::new(1);
        let open = || Place::open(&environment, "https://a.b").unwrap();
        let first = open();
        let named = first.replica(&entropy).unwrap().unwrap();
        assert_eq!(open().replica(&entropy).unwrap(), None, "another works here");
        drop(first);
        assert_eq!(open().replica(&entropy).unwrap(), Some(named));
    }
}
