//! What a clone is, kept where no user path reaches, so that later steps find everything from a path alone.
//!
//! Each `git-clone` step has a directory of its own below the Promotion's private one: this record, the signing key, the
//! bare repository, and a lock that a running `git` holds. The record is written before the first work tree is, with all
//! paths that will be made: whoever runs the step again knows what a killed attempt may have left, and replaces it.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use core_rules::credential::Secret;
use io_exec::Jail;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{error::WorkError, identity::Identity};
use crate::remote::short_hex;

const RECORD: &str = "clone.json";
const SIGNING_KEY: &str = "signing-key";
const LOCK: &str = "lock";

/// Where a Promotion keeps its repositories and its files.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// A directory that no user path reaches.
    pub private: &'a Path,
    /// The files of the Promotion, where work trees are checked out.
    pub files: &'a Jail,
}

/// One clone, as it is written down.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Record {
    /// As the user wrote it; credentials are looked up with it.
    pub(crate) url: String,
    pub(crate) insecure_skip_tls_verify: bool,
    pub(crate) name: String,
    pub(crate) email: String,
    /// Whether ids are SHA-256.
    pub(crate) sha256: bool,
    pub(crate) trees: Vec<Place>,
}

/// One work tree of a clone. Its number in the list is its name inside the repository.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Place {
    /// Relative to the files of the Promotion, without links.
    pub(crate) path: PathBuf,
    /// The directories of a sparse check-out.
    pub(crate) sparse: Vec<String>,
    /// Whether it was checked out completely.
    pub(crate) ready: bool,
}

/// The private directory of one clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home(PathBuf);

impl Home {
    /// The directory of the clone that the step called `key` makes.
    pub(crate) fn of(desk: Desk<'_>, key: &str) -> Self {
        Self(clones(desk).join(short_hex(&Sha256::digest(key))))
    }

    /// All clones of the Promotion.
    pub(crate) fn all(desk: Desk<'_>) -> Vec<Self> {
        let entries = fs::read_dir(clones(desk)).into_iter().flatten().flatten();
        let mut homes: Vec<Self> = entries.map(|entry| Self(entry.path())).collect();
        homes.sort_by(|a, b| a.0.cmp(&b.0));
        homes
    }

    pub(crate) fn create(&self) -> Result<(), WorkError> {
        let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        created.map_err(|error| WorkError::local("the clone has no place", &error))
    }

    pub(crate) fn remove(&self) -> Result<(), WorkError> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(WorkError::local("what an earlier attempt left could not be removed", &error))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.0.join("repository.git")
    }

    /// The part of the repository that belongs to one work tree.
    pub(crate) fn tree(&self, number: usize) -> PathBuf {
        self.repository().join("worktrees").join(number.to_string())
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.0.join(LOCK)
    }

    pub(crate) fn read(&self) -> Option<Record> {
        serde_json::from_slice(&fs::read(self.0.join(RECORD)).ok()?).ok()
    }

    pub(crate) fn write(&self, record: &Record) -> Result<(), WorkError> {
        let written = serde_json::to_vec(record).map_err(io::Error::from);
        written
            .and_then(|text| self.replace(RECORD, &text))
            .map_err(|error| WorkError::local("the clone could not be written down", &error))
    }

    pub(crate) fn write_signing_key(&self, key: &Secret) -> Result<(), WorkError> {
        self.replace(SIGNING_KEY, key.expose().as_bytes())
            .map_err(|error| WorkError::local("the signing key could not be kept", &error))
    }

    /// The identity of a record, with the key that is kept beside it.
    pub(crate) fn identity(&self, record: &Record) -> Result<Identity, WorkError> {
        let signing_key = match fs::read_to_string(self.0.join(SIGNING_KEY)) {
            Ok(key) => Some(Secret::new(key)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(WorkError::local("the signing key could not be read", &error));
            }
        };
        Ok(Identity { name: record.name.clone(), email: record.email.clone(), signing_key })
    }

    /// Writes a file that only we can read, whole or not at all.
    pub(crate) fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let draft = self.0.join(format!("{name}.new"));
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(content)?;
        fs::rename(draft, self.0.join(name))
    }
}

fn clones(desk: Desk<'_>) -> PathBuf {
    desk.private.join("git")
}
