//! What a directory holds, level by level, always in the same order.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
    sync::Arc,
    vec,
};

use rustix::{
    fs::{AtFlags, Dir, Mode, openat, readlinkat, statat},
    io::Errno,
};

use super::{
    DIRECTORY, FileKind, Jail, JailError, MAX_DEPTH, Metadata, Result, read::open_regular,
};

/// How many files one walk looks at.
const MAX_ENTRIES: usize = 1_000_000;

/// A file found in a directory.
#[derive(Debug)]
pub struct Entry {
    /// Its path, relative to the directory that was walked.
    pub path: PathBuf,
    /// What it is; links are not followed.
    pub metadata: Metadata,
    parent: Arc<OwnedFd>,
}

/// Whether to walk into a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descend {
    /// Walk into it, if it is one.
    Into,
    /// Leave out what it holds.
    Past,
}

impl Entry {
    /// Its name.
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// Opens it to read it; only regular files can be.
    pub fn open_file(&self) -> Result<File> {
        open_regular(&self.parent, self.name(), &self.path)
    }

    /// The target of a link, as it is written.
    pub fn read_link(&self) -> Result<PathBuf> {
        readlinkat(&self.parent, self.name(), Vec::new())
            .map(|target| OsString::from_vec(target.into_bytes()).into())
            .map_err(|error| JailError::io("read the link", &self.path, error))
    }
}

impl Jail {
    /// What a directory holds, by name.
    pub fn read_dir(&self, path: impl AsRef<Path>) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.walk(path, |entry| {
            entries.push(entry);
            Ok::<_, JailError>(Descend::Past)
        })?;
        Ok(entries)
    }

    /// Visits everything beneath a directory: by name, a directory before what it holds, links as
    /// themselves. What disappears meanwhile is passed over.
    pub fn walk<E: From<JailError>>(
        &self,
        path: impl AsRef<Path>,
        mut visit: impl FnMut(Entry) -> Result<Descend, E>,
    ) -> Result<(), E> {
        let place = self.place(path.as_ref())?;
        let failed = |error: Errno| JailError::io("list", &place.path, error);
        let Some(directory) = place.directory.clone() else {
            place.metadata()?;
            return Err(failed(Errno::NOTDIR).into());
        };
        let mut levels = vec![Level::open(directory, PathBuf::new()).map_err(failed)?];
        let mut visited = 0;
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.names.next() else {
                levels.pop();
                continue;
            };
            self.cancellation.check()?;
            visited += 1;
            if visited > MAX_ENTRIES {
                return Err(JailError::TooMany { path: place.path, limit: MAX_ENTRIES }.into());
            }
            let Some(entry) = level.entry(&name).map_err(failed)? else { continue };
            let (parent, inside) = (entry.parent.clone(), entry.path.clone());
            let is_directory = entry.metadata.kind == FileKind::Directory;
            if visit(entry)? == Descend::Past || !is_directory {
                continue;
            }
            if levels.len() >= MAX_DEPTH {
                return Err(JailError::TooDeep { path: inside, limit: MAX_DEPTH }.into());
            }
            levels.extend(Level::enter(&parent, &name, inside).map_err(failed)?);
        }
        Ok(())
    }
}

/// A directory that is being walked.
struct Level {
    directory: Arc<OwnedFd>,
    path: PathBuf,
    names: vec::IntoIter<OsString>,
}

impl Level {
    fn open(directory: Arc<OwnedFd>, path: PathBuf) -> Result<Self, Errno> {
        let names = names(directory.as_fd())?.into_iter();
        Ok(Self { directory, path, names })
    }

    fn enter(parent: &OwnedFd, name: &OsStr, path: PathBuf) -> Result<Option<Self>, Errno> {
        match openat(parent, name, DIRECTORY, Mode::empty()) {
            Ok(directory) => Self::open(Arc::new(directory), path).map(Some),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn entry(&self, name: &OsStr) -> Result<Option<Entry>, Errno> {
        let metadata = match statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Metadata::from(stat),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(Entry { path: self.path.join(name), metadata, parent: self.directory.clone() }))
    }
}

/// The names in a directory, sorted.
pub(super) fn names(directory: impl AsFd) -> Result<Vec<OsString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(OsStr::from_bytes(name).to_owned());
        }
        if names.len() > MAX_ENTRIES {
            return Err(Errno::FBIG);
        }
    }
    names.sort();
    Ok(names)
}
