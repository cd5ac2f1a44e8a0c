//! Reading: nothing here changes a file.

use std::{
    ffi::OsStr,
    fs::File,
    io::Read,
    os::fd::{AsFd, OwnedFd},
    path::Path,
    sync::Arc,
};

use rustix::{
    fs::{AtFlags, Mode, OFlags, fstat, openat, statat},
    io::Errno,
};

use super::{FileKind, Jail, JailError, Metadata, Result, resolve::Place};

impl Jail {
    /// Whether a path leads to something that exists, links followed.
    pub fn exists(&self, path: impl AsRef<Path>) -> Result<bool> {
        Ok(self.find(path)?.is_some())
    }

    /// What a path leads to, links followed.
    pub fn metadata(&self, path: impl AsRef<Path>) -> Result<Metadata> {
        let place = self.place(path.as_ref())?;
        place.metadata()
    }

    /// What a path leads to, links followed; `None` when there is nothing.
    pub fn find(&self, path: impl AsRef<Path>) -> Result<Option<Metadata>> {
        present(self.metadata(path))
    }

    /// What a path names; if that is a link, the link.
    pub fn link_metadata(&self, path: impl AsRef<Path>) -> Result<Metadata> {
        self.place_of_link(path.as_ref())?.metadata()
    }

    /// What a path names; if that is a link, the link; `None` when there is nothing.
    pub fn find_link(&self, path: impl AsRef<Path>) -> Result<Option<Metadata>> {
        present(self.link_metadata(path))
    }

    /// Opens a regular file to read it.
    pub fn open_file(&self, path: impl AsRef<Path>) -> Result<File> {
        let Place { path, leaf, .. } = self.place(path.as_ref())?;
        let Some(leaf) = leaf else {
            return Err(JailError::io("read", &path, Errno::ISDIR));
        };
        let parent = leaf.parent().map_err(|error| JailError::io("read", &path, error))?;
        open_regular(&parent, &leaf.name, &path)
    }

    /// Reads a file that is not larger than `limit` bytes.
    pub fn read(&self, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>> {
        let path = path.as_ref();
        let file = self.open_file(path)?;
        let shown = self.locate(path)?;
        read_limited(file, limit, &shown)
    }

    /// Reads a text that is not larger than `limit` bytes.
    pub fn read_text(&self, path: impl AsRef<Path>, limit: u64) -> Result<String> {
        let path = path.as_ref();
        String::from_utf8(self.read(path, limit)?)
            .or_else(|_| Err(JailError::NotText { path: self.locate(path)? }))
    }
}

impl Place {
    /// What is there.
    pub(super) fn metadata(&self) -> Result<Metadata> {
        let stat = match (&self.directory, &self.leaf) {
            (Some(directory), _) => fstat(directory),
            (None, Some(leaf)) => leaf
                .parent()
                .and_then(|parent| statat(parent, &leaf.name, AtFlags::SYMLINK_NOFOLLOW)),
            (None, None) => Err(Errno::NOENT),
        };
        stat.map(Metadata::from).map_err(|error| JailError::io("look at", &self.path, error))
    }
}

impl super::resolve::Leaf {
    /// The directory that the name is in, if it exists.
    pub(super) fn parent(&self) -> Result<Arc<OwnedFd>, Errno> {
        let Some(first) = self.missing.first() else { return Ok(self.existing.clone()) };
        // Tells whether it does not exist or is no directory.
        match statat(&self.existing, first, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Err(Errno::NOTDIR),
            Err(error) => Err(error),
        }
    }
}

fn present(found: Result<Metadata>) -> Result<Option<Metadata>> {
    match found {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a regular file beside a handle. Pipes would keep us waiting, so they are opened without that
/// and then refused.
pub(super) fn open_regular(parent: impl AsFd, name: &OsStr, shown: &Path) -> Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let handle = openat(parent, name, flags, Mode::empty())
        .map_err(|error| JailError::io("read", shown, error))?;
    let stat = fstat(&handle).map_err(|error| JailError::io("read", shown, error))?;
    match Metadata::from(stat).kind {
        FileKind::File => Ok(File::from(handle)),
        FileKind::Directory => Err(JailError::io("read", shown, Errno::ISDIR)),
        _ => Err(JailError::Special { path: shown.to_owned() }),
    }
}

fn read_limited(file: File, limit: u64, shown: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(|error| JailError::io("read", shown, error))?;
    if content.len() as u64 > limit {
        return Err(JailError::TooLarge { path: shown.to_owned(), limit });
    }
    Ok(content)
}
