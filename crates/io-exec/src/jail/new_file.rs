//! Files appear whole: written under a name of their own beside the target, then renamed over it.

use std::{
    collections::hash_map::DefaultHasher,
    ffi::{OsStr, OsString},
    fs::{File, Permissions},
    hash::{Hash, Hasher},
    io::{self, Write},
    os::{fd::OwnedFd, unix::fs::PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use rustix::{
    fs::{AtFlags, Mode, OFlags, openat, renameat, statat, unlinkat},
    io::Errno,
};

use super::{FileKind, Jail, JailError, Metadata, Result};

/// A file on its way; it takes its place with [`NewFile::commit`] and is gone when it is dropped before.
///
/// The name that it has until then follows from the target's, so that what a killed process left behind
/// is replaced by the next attempt.
#[derive(Debug)]
pub struct NewFile {
    jail: Jail,
    file: File,
    parent: Arc<OwnedFd>,
    temporary: OsString,
    name: OsString,
    path: PathBuf,
    is_placed: bool,
}

impl Jail {
    /// Starts a file; an existing one keeps its mode, a new one gets 0600 and its directories 0700.
    pub fn create(&self, path: impl AsRef<Path>) -> Result<NewFile> {
        let (place, leaf) = self.place_to_write(path.as_ref(), "write to")?;
        let parent = self.ensure_parent(&leaf, &place.path)?;
        self.create_at(parent, leaf.name, place.path)
    }

    /// Writes a file as a whole.
    pub fn write(&self, path: impl AsRef<Path>, content: &[u8]) -> Result<()> {
        let mut file = self.create(path)?;
        file.append(content)?;
        file.commit()
    }

    pub(super) fn create_at(
        &self,
        parent: Arc<OwnedFd>,
        name: OsString,
        path: PathBuf,
    ) -> Result<NewFile> {
        self.cancellation.check()?;
        let failed = |error: Errno| JailError::io("write to", &path, error);
        let mode = existing_mode(&parent, &name).map_err(failed)?.unwrap_or(0o600);
        let temporary = temporary_name(&name);
        let handle = open_new(&parent, &temporary).map_err(failed)?;
        let file = NewFile {
            jail: self.clone(),
            file: File::from(handle),
            parent,
            temporary,
            name,
            path,
            is_placed: false,
        };
        file.with_mode(mode)
    }
}

impl NewFile {
    /// Where it will be, relative to the work directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a path is where a file will be, or where it is until then.
    pub(crate) fn is_for(target: &Path, path: &Path) -> bool {
        path.parent() == target.parent()
            && (path == target
                || path.file_name() == target.file_name().map(temporary_name).as_deref())
    }

    /// With these permissions; only the lowest nine bits count.
    pub fn with_mode(self, mode: u32) -> Result<Self> {
        let permissions = Permissions::from_mode(mode & 0o777);
        self.file.set_permissions(permissions).map_err(|error| self.failed(error))?;
        Ok(self)
    }

    /// Writes on.
    pub fn append(&mut self, content: &[u8]) -> Result<()> {
        self.write_all(content).map_err(|error| self.failed(error))
    }

    /// Puts the file in its place.
    pub fn commit(mut self) -> Result<()> {
        renameat(&self.parent, &self.temporary, &self.parent, &self.name)
            .map_err(|error| self.failed(error))?;
        self.is_placed = true;
        Ok(())
    }

    /// Puts the file in its place once the disk has it.
    pub fn commit_durably(self) -> Result<()> {
        self.file.sync_all().map_err(|error| self.failed(error))?;
        self.commit()
    }

    /// Puts the file in its place with this time of its last change.
    pub fn commit_modified(self, modified: SystemTime) -> Result<()> {
        self.file.set_modified(modified).map_err(|error| self.failed(error))?;
        self.commit()
    }

    fn failed(&self, error: impl Into<io::Error>) -> JailError {
        JailError::io("write to", &self.path, error)
    }
}

impl Write for NewFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.jail.cancellation.check()?;
        self.jail.reserve(buffer.len() as u64)?;
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_placed {
            // Nobody is left to be told, and the next attempt replaces it.
            let _ = unlinkat(&self.parent, &self.temporary, AtFlags::empty());
        }
    }
}

fn existing_mode(parent: &OwnedFd, name: &OsStr) -> Result<Option<u32>, Errno> {
    match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map(Metadata::from) {
        Ok(Metadata { kind: FileKind::Directory, .. }) => Err(Errno::ISDIR),
        Ok(Metadata { kind: FileKind::File, mode, .. }) => Ok(Some(mode)),
        Ok(_) | Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

fn open_new(parent: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(parent, name, flags, Mode::RUSR | Mode::WUSR);
    match open() {
        Err(Errno::EXIST) => {
            unlinkat(parent, name, AtFlags::empty())?;
            open()
        }
        opened => opened,
    }
}

/// The hash keeps it short for the longest of names.
pub(super) fn temporary_name(name: &OsStr) -> OsString {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    format!(".kargo-{:016x}.tmp", hasher.finish()).into()
}
