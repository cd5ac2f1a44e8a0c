//! The files of a Promotion: every path is opened beneath a directory handle and cannot leave it.

use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{Mode, OFlags};

/// A directory that paths of users cannot leave. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Jail {
    root: Arc<OwnedFd>,
    path: PathBuf,
}

impl Jail {
    /// Confines paths to an existing directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { root: Arc::new(root), path: path.to_owned() })
    }

    /// Where the directory is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
