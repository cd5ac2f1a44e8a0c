//! The files of a Promotion: every path is opened beneath a directory handle and cannot leave it.
//!
//! A path means what it would mean if the directory were `/`: `..` stops there, absolute paths and the
//! targets of links start there, and components that do not exist are taken literally. It is walked
//! component by component on open handles, none of which follows a link by itself, so that a link that
//! appears while it is walked leads nowhere. Nothing is written beneath a `.git`, which belongs to git:
//! whoever could write there could run code at the next git step.
//!
//! The methods block. Work on trees and large files goes through [`Jail::blocking`].

mod blocking;
mod change;
mod copy;
mod error;
mod metadata;
mod new_file;
mod quota;
mod read;
mod resolve;
mod walk;

use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::{Mode, OFlags};

use self::{blocking::Cancellation, quota::Quota};
pub use self::{
    error::JailError,
    metadata::{FileKind, Metadata},
    new_file::NewFile,
    walk::{Descend, Entry},
};

/// How deep directories may be nested; each level is a handle while a path is walked.
const MAX_DEPTH: usize = 255;

/// Opens a directory and nothing else, following no link.
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

type Result<T, E = JailError> = std::result::Result<T, E>;

/// A directory that paths of users cannot leave. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Jail {
    root: Arc<OwnedFd>,
    path: Arc<Path>,
    quota: Option<Arc<Quota>>,
    cancellation: Cancellation,
}

impl Jail {
    /// Confines paths to an existing directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let root = rustix::fs::open(&path, DIRECTORY, Mode::empty())?;
        Ok(Self {
            root: Arc::new(root),
            path: path.into(),
            quota: None,
            cancellation: Cancellation::default(),
        })
    }

    /// Refuses to write when all files together would get larger than this.
    pub fn with_quota(mut self, bytes: u64) -> Result<Self> {
        let used = self.usage()?;
        self.quota = Some(Arc::new(Quota::new(self.root.clone(), bytes, used)));
        Ok(self)
    }

    /// A directory of this one as a jail of its own; what is written there counts for both.
    pub fn beneath(&self, path: impl AsRef<Path>) -> Result<Self> {
        let place = self.place(path.as_ref())?;
        let root = place
            .directory
            .ok_or_else(|| JailError::io("enter", &place.path, rustix::io::Errno::NOTDIR))?;
        Ok(Self { root, path: self.path.join(place.path).into(), ..self.clone() })
    }

    /// Where the directory is, without links. For programs that are started in it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a path leads, as programs that are started see it. They walk it again by themselves, so it
    /// is for programs that are confined to the directory or make nothing of it but what it holds.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf> {
        Ok(self.path.join(self.locate(path)?))
    }

    /// Where a path leads, relative to the directory; empty for the directory itself.
    pub fn locate(&self, path: impl AsRef<Path>) -> Result<PathBuf> {
        Ok(self.place(path.as_ref())?.path)
    }

    /// An absolute path without the way to the directory, for messages.
    pub fn relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.path).map_or_else(
            |_| path.file_name().map(PathBuf::from).unwrap_or_default(),
            |inside| if inside.as_os_str().is_empty() { ".".into() } else { inside.to_owned() },
        )
    }

    /// What a program printed, without the way to the directory.
    pub fn hide_root(&self, text: &str) -> String {
        let Some(root) = self.path.to_str() else { return text.to_owned() };
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(root) {
            shown.push_str(before);
            rest = after.strip_prefix('/').unwrap_or(after);
            if after.starts_with(|next: char| next.is_alphanumeric() || "-_.".contains(next)) {
                // Another directory, whose name begins alike.
                shown.push_str(root);
            } else if rest.len() == after.len() {
                shown.push('.');
            }
        }
        shown + rest
    }
}

#[cfg(test)]
mod tests;
