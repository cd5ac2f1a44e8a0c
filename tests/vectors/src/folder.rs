//! Where the vectors are.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder beside the repository, seen from this crate.
const BESIDE_REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors");

/// Why vectors cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file or the folder cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why it cannot.
        source: std::io::Error,
    },
    /// A file is not JSON.
    #[error("{path} is not JSON")]
    Json {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
}

/// The folder with one file per family.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder named by `VECTORS_DIR`, else the one beside the repository; `None` when it does
    /// not exist.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("VECTORS_DIR")
            .map_or_else(|| PathBuf::from(BESIDE_REPOSITORY), PathBuf::from);
        path.is_dir().then_some(Self { path })
    }

    /// Whether the folder must exist, so that a missing one is a failure.
    pub fn is_required() -> bool {
        std::env::var_os("CI") == Some(OsString::from("true"))
    }

    /// The families that have a file.
    pub fn families(&self) -> Result<BTreeSet<String>, FolderError> {
        let read_error = |source| FolderError::Read { path: self.path.clone(), source };
        let mut families = BTreeSet::new();
        for entry in std::fs::read_dir(&self.path).map_err(read_error)? {
            let path = entry.map_err(read_error)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let name = path.file_stem().unwrap_or_default();
                families.insert(name.to_string_lossy().into_owned());
            }
        }
        Ok(families)
    }

    /// The file of one family; `None` when there is none.
    pub fn load(&self, family: &str) -> Result<Option<Value>, FolderError> {
        let path = self.path.join(family).with_extension("json");
        if !path.is_file() {
            return Ok(None);
        }
        let text = read(&path)?;
        let parsed = serde_json::from_str(&text);
        parsed.map(Some).map_err(|source| FolderError::Json { path, source })
    }
}

fn read(path: &Path) -> Result<String, FolderError> {
    std::fs::read_to_string(path)
        .map_err(|source| FolderError::Read { path: path.to_owned(), source })
}
