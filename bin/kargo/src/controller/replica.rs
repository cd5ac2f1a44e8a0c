//! Who this replica is among those that could lead.
//!
//! The name is kept in the data directory. One process at a time uses that, so that after a kill the next one is known
//! by the Lease as its holder and goes on at once, instead of waiting for the Lease to run out.

use std::path::Path;

use core_clock::{Entropy, Environment};
use io_runtime::SystemEnvironment;

use crate::{directory::Directory, exit::Failure};

const FILE: &str = "replica";

/// A name that no other replica has, and that the next process here has again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replica(String);

impl Replica {
    /// The replica that works in this directory, of which the caller holds the lock. A copy of the directory on another
    /// host is another replica.
    pub(crate) fn of_directory(path: &Path, entropy: &dyn Entropy) -> Result<Self, Failure> {
        let name = Directory::open(path)?.read_or_write::<Failure>(FILE, || Ok(entropy.uuid()))?;
        Ok(Self(format!("{}_{}", host(), name.trim())))
    }

    /// The name in full.
    pub(crate) fn name(&self) -> &str {
        &self.0
    }
}

/// The name of this machine or container.
pub(crate) fn host() -> String {
    let told = SystemEnvironment.var("HOSTNAME");
    let told = told.or_else(|| std::fs::read_to_string("/proc/sys/kernel/hostname").ok());
    let told = told.map(|host| host.trim().to_owned()).filter(|host| !host.is_empty());
    told.unwrap_or_else(|| "kargo-controller".to_owned())
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    #[test]
    fn a_directory_keeps_its_name_and_another_has_another() {
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let entropy = SeededEntropy::new(1);
        let name = |directory: &tempfile::TempDir| {
            Replica::of_directory(directory.path(), &entropy).unwrap()
        };
        let first = name(&one);
        assert_eq!(name(&one), first);
        assert_ne!(name(&other), first);
        assert!(first.name().starts_with(&format!("{}_", host())));
    }
}
