//! Releases of the application: which there are, kept in one file.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::Error;

const FILE: &str = "releases.json";

/// One release: a commit and an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Counts from 0.
    pub number: u32,
    /// When it was made.
    pub created: Timestamp,
    /// The commit with its manifests.
    pub commit: String,
}

impl Release {
    /// The tag of its image.
    pub fn version(&self) -> String {
        version(self.number)
    }
}

/// The version of a release.
pub(crate) fn version(number: u32) -> String {
    format!("1.0.{number}")
}

/// All releases.
pub(crate) struct Releases {
    file: PathBuf,
    list: Mutex<Vec<Release>>,
}

impl Releases {
    /// Those of a directory.
    pub(crate) fn open(directory: &Path) -> Result<Self, Error> {
        let file = directory.join(FILE);
        let list = match std::fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|source| Error::Damaged { path: file.clone(), source })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(Error::Directory { path: file, source }),
        };
        Ok(Self { file, list: Mutex::new(list) })
    }

    /// All of them, oldest first.
    pub(crate) fn list(&self) -> Vec<Release> {
        self.list.lock().clone()
    }

    /// The number of the next one.
    pub(crate) fn next_number(&self) -> u32 {
        self.list.lock().last().map_or(0, |last| last.number.saturating_add(1))
    }

    /// Adds one; it is on disk before anybody sees it.
    pub(crate) fn add(&self, release: Release) -> Result<Release, Error> {
        let mut list = self.list.lock();
        let mut longer = list.clone();
        longer.push(release.clone());
        let text = serde_json::to_vec_pretty(&longer)
            .map_err(|source| Error::Damaged { path: self.file.clone(), source })?;
        write_private(&self.file, &text)?;
        *list = longer;
        Ok(release)
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        self.list.lock().clear();
    }
}

/// Writes a file that only its owner can read, whole or not at all.
pub(crate) fn write_private(file: &Path, content: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::Directory { path: file.to_owned(), source };
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(directory).map_err(failed)?;
    temporary.write_all(content).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(file).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_count_on_after_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let releases = Releases::open(directory.path()).unwrap();
        let release = |number| Release {
            number,
            created: Timestamp::UNIX_EPOCH,
            commit: "c0ffee".to_owned(),
        };
        assert_eq!(releases.next_number(), 0);
        releases.add(release(0)).unwrap();
        let again = Releases::open(directory.path()).unwrap();
        assert_eq!((again.list(), again.next_number()), (vec![release(0)], 1));
        assert_eq!(release(3).version(), "1.0.3");
    }

    #[test]
    fn a_damaged_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(FILE), "[{").unwrap();
        let error = Releases::open(directory.path()).err().unwrap().to_string();
        assert!(error.contains("releases.json is damaged; remove it"), "{error}");
    }
}
