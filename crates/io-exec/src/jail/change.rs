//! Directories, links, permissions, removal and renames.

use std::{
    ffi::OsStr,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{
        AtFlags, Mode, OFlags, RawMode, RenameFlags, fchmod, mkdirat, openat, renameat,
        renameat_with, statat, symlinkat, unlinkat,
    },
    io::Errno,
};

use super::{
    DIRECTORY, FileKind, Jail, JailError, MAX_DEPTH, Metadata, Result,
    new_file::temporary_name,
    resolve::{Leaf, refuse_git},
    walk::names,
};

impl Jail {
    /// Creates a directory and those it lies in, 0700; what exists stays as it is.
    pub fn create_dirs(&self, path: impl AsRef<Path>) -> Result<()> {
        self.create_dirs_with(path, 0o700)
    }

    /// Creates a directory and those it lies in, with this mode; what exists stays as it is.
    pub fn create_dirs_with(&self, path: impl AsRef<Path>, mode: u32) -> Result<()> {
        let place = self.place(path.as_ref())?;
        self.create_missing(place.path, mode)
    }

    /// Creates the directories that a file lies in, with this mode; what exists stays as it is.
    pub fn create_parents(&self, path: impl AsRef<Path>, mode: u32) -> Result<()> {
        let place = self.place(path.as_ref())?;
        match place.path.parent() {
            Some(parent) => self.create_missing(parent.to_owned(), mode),
            None => Ok(()),
        }
    }

    fn create_missing(&self, path: PathBuf, mode: u32) -> Result<()> {
        let place = self.place(&path)?;
        let Some(leaf) = place.leaf.filter(|_| place.directory.is_none()) else { return Ok(()) };
        refuse_git(&place.path)?;
        let mode = Mode::from_raw_mode((mode & 0o777) as RawMode);
        let mut parent = leaf.existing;
        for name in leaf.missing.iter().chain([&leaf.name]) {
            let next = ensure_directory(&parent, name, mode)
                .map_err(|error| JailError::io("create", &place.path, error))?;
            parent = Arc::new(next);
        }
        Ok(())
    }

    /// Gives a file or directory these permissions; only the lowest nine bits count.
    pub fn set_mode(&self, path: impl AsRef<Path>, mode: u32) -> Result<()> {
        let (place, leaf) = self.place_to_write(path.as_ref(), "change the permissions of")?;
        let mode = Mode::from_raw_mode((mode & 0o777) as RawMode);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        leaf.parent()
            .and_then(|parent| openat(parent, &leaf.name, flags, Mode::empty()))
            .and_then(|handle| fchmod(handle, mode))
            .map_err(|error| JailError::io("change the permissions of", &place.path, error))
    }

    /// Makes a link with this target, whatever it is: links are only ever followed inside.
    pub fn symlink(&self, target: impl AsRef<Path>, path: impl AsRef<Path>) -> Result<()> {
        let (place, leaf) = self.place_to_replace(path.as_ref(), "replace")?;
        let parent = self.ensure_parent(&leaf, &place.path)?;
        symlinkat(target.as_ref(), parent, &leaf.name)
            .map_err(|error| JailError::io("create", &place.path, error))
    }

    /// Removes what a path names, with all it holds; a link is removed and not followed. `false` when
    /// there was nothing.
    pub fn remove(&self, path: impl AsRef<Path>) -> Result<bool> {
        let place = self.place_of_link(path.as_ref())?;
        let leaf = place.leaf.ok_or(JailError::Root { action: "remove" })?;
        let Ok(parent) = leaf.parent() else { return Ok(false) };
        match self.remove_at(&parent, &leaf.name, 0) {
            Ok(()) => Ok(true),
            Err(Removal::Failed(Errno::NOENT)) => Ok(false),
            Err(Removal::Failed(error)) => Err(JailError::io("remove", &place.path, error)),
            Err(Removal::Refused(error)) => Err(error),
        }
    }

    /// Gives something another name; neither is followed if it is a link.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<()> {
        let (source, source_parent) = self.source(from.as_ref())?;
        let (target_place, target) = self.place_to_replace(to.as_ref(), "replace")?;
        let target_parent = self.ensure_parent(&target, &target_place.path)?;
        renameat(source_parent, &source.name, target_parent, &target.name)
            .map_err(|error| JailError::io("move to", &target_place.path, error))
    }

    /// Puts something in the place of another, whatever that is; the other is removed.
    pub fn swap_in(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<()> {
        let from = from.as_ref();
        let (source, source_parent) = self.source(from)?;
        let (place, target) = self.place_to_replace(to.as_ref(), "replace")?;
        let parent = self.ensure_parent(&target, &place.path)?;
        let failed = |error| JailError::io("replace", &place.path, error);
        if statat(&parent, &target.name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            return renameat(source_parent, &source.name, parent, &target.name).map_err(failed);
        }
        exchange(&source_parent, &source.name, &parent, &target.name).map_err(failed)?;
        self.remove(from).map(drop)
    }

    fn source(&self, path: &Path) -> Result<(Leaf, Arc<OwnedFd>)> {
        let place = self.place_of_link(path)?;
        let leaf = place.leaf.ok_or(JailError::Root { action: "move" })?;
        let parent = leaf.parent().map_err(|error| JailError::io("move", &place.path, error))?;
        Ok((leaf, parent))
    }

    /// The directory of a name, created if need be.
    pub(super) fn ensure_parent(&self, leaf: &Leaf, shown: &Path) -> Result<Arc<OwnedFd>> {
        self.cancellation.check()?;
        let mut parent = leaf.existing.clone();
        for name in &leaf.missing {
            let next = ensure_directory(&parent, name, Mode::RWXU)
                .map_err(|error| JailError::io("create the directory of", shown, error))?;
            parent = Arc::new(next);
        }
        Ok(parent)
    }

    fn remove_at(&self, parent: &OwnedFd, name: &OsStr, depth: usize) -> Result<(), Removal> {
        self.cancellation.check().map_err(Removal::Refused)?;
        let kind = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map(Metadata::from)?.kind;
        if kind != FileKind::Directory {
            return Ok(unlinkat(parent, name, AtFlags::empty())?);
        }
        if depth >= MAX_DEPTH {
            let path = Path::new(name).to_owned();
            return Err(Removal::Refused(JailError::TooDeep { path, limit: MAX_DEPTH }));
        }
        let directory = openat(parent, name, DIRECTORY, Mode::empty())?;
        for child in names(directory.as_fd())? {
            match self.remove_at(&directory, &child, depth + 1) {
                Ok(()) | Err(Removal::Failed(Errno::NOENT)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
    }
}

/// Why a removal ended early.
enum Removal {
    Failed(Errno),
    Refused(JailError),
}

impl From<Errno> for Removal {
    fn from(error: Errno) -> Self {
        Self::Failed(error)
    }
}

pub(super) fn ensure_directory(
    parent: &OwnedFd,
    name: &OsStr,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    match mkdirat(parent, name, mode) {
        Ok(()) | Err(Errno::EXIST) => openat(parent, name, DIRECTORY, Mode::empty()),
        Err(error) => Err(error),
    }
}

/// Exchanges two names at once; where the file system cannot, the second is moved aside first.
fn exchange(
    source_parent: &OwnedFd,
    source: &OsStr,
    target_parent: &OwnedFd,
    target: &OsStr,
) -> Result<(), Errno> {
    let flags = RenameFlags::EXCHANGE;
    match renameat_with(source_parent, source, target_parent, target, flags) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let aside = temporary_name(target);
            renameat(target_parent, target, target_parent, &aside)?;
            renameat(source_parent, source, target_parent, target)?;
            renameat(target_parent, &aside, source_parent, source)
        }
        other => other,
    }
}
