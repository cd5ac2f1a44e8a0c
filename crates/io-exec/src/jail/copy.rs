//! Copies files and trees inside the jail.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Mode, RawMode, fchmod},
    io::Errno,
};

use super::{
    Descend, Entry, FileKind, Jail, JailError, Result,
    change::ensure_directory,
    resolve::{Leaf, Place, refuse_git},
};
use crate::IgnoreRules;

impl Jail {
    /// Copies a file, or a directory into another one, which keeps what else it holds. Permissions come
    /// along; links and devices beneath a directory do not. A `.git` that the rules take back is copied,
    /// since only git has written to it.
    pub fn copy(
        &self,
        from: impl AsRef<Path>,
        to: impl AsRef<Path>,
        rules: &IgnoreRules,
    ) -> Result<()> {
        let metadata = self.metadata(&from)?;
        let (source, target) = (self.locate(&from)?, self.locate(to)?);
        refuse_git(&target)?;
        match metadata.kind {
            FileKind::File | FileKind::Directory if source == target => Ok(()),
            FileKind::File => self.copy_content(self.open_file(from)?, metadata.mode, &target),
            FileKind::Directory if target.starts_with(&source) => {
                Err(JailError::IntoItself { path: source })
            }
            FileKind::Directory => self.copy_tree(&source, &target, metadata.mode, rules),
            FileKind::Symlink | FileKind::Special => Err(JailError::Special { path: source }),
        }
    }

    fn copy_tree(
        &self,
        source: &Path,
        target: &Path,
        mode: u32,
        rules: &IgnoreRules,
    ) -> Result<()> {
        self.copy_directory(target, mode)?;
        let mut directories = vec![(target.to_owned(), mode)];
        self.walk(source, |entry| {
            let mode = entry.metadata.mode;
            let is_directory = entry.metadata.kind == FileKind::Directory;
            if rules.ignores(&entry.path, is_directory) {
                return Ok(Descend::Past);
            }
            let destination = target.join(&entry.path);
            match entry.metadata.kind {
                FileKind::Directory => {
                    self.copy_directory(&destination, mode)?;
                    directories.push((destination, mode));
                }
                FileKind::File => self.copy_entry(&entry, &destination)?,
                FileKind::Symlink | FileKind::Special => {}
            }
            Ok::<_, JailError>(Descend::Into)
        })?;
        // Last, and from the inside out: a directory may forbid to write into it.
        directories.iter().rev().try_for_each(|(path, mode)| self.give_mode(path, *mode))
    }

    fn copy_entry(&self, entry: &Entry, destination: &Path) -> Result<()> {
        match entry.open_file() {
            Ok(file) => self.copy_content(file, entry.metadata.mode, destination),
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn copy_content(&self, mut file: File, mode: u32, destination: &Path) -> Result<()> {
        let (path, leaf) = self.place_of_copy(destination)?;
        let leaf = leaf.ok_or(JailError::Root { action: "write to" })?;
        let parent = self.ensure_parent(&leaf, &path)?;
        let mut copy = self.create_at(parent, leaf.name, path)?.with_mode(mode)?;
        io::copy(&mut file, &mut io::BufWriter::with_capacity(1 << 16, &mut copy))
            .map_err(|error| JailError::io("copy to", destination, error))?;
        copy.commit()
    }

    /// Creates a directory that can be written to until all of it is there.
    fn copy_directory(&self, path: &Path, mode: u32) -> Result<()> {
        let (shown, leaf) = self.place_of_copy(path)?;
        let Some(leaf) = leaf else { return Ok(()) };
        let parent = self.ensure_parent(&leaf, &shown)?;
        ensure_directory(&parent, &leaf.name, Mode::RWXU)
            .and_then(|directory| fchmod(directory, permissions(mode | 0o700)))
            .map_err(|error| JailError::io("create", &shown, error))
    }

    fn give_mode(&self, path: &Path, mode: u32) -> Result<()> {
        let Place { path, directory, leaf } = self.place(path)?;
        if leaf.is_none() {
            return Ok(());
        }
        let directory = directory.ok_or_else(|| JailError::io("create", &path, Errno::NOTDIR))?;
        fchmod(directory, permissions(mode)).map_err(|error| JailError::io("create", &path, error))
    }

    /// Where a part of a copy goes. A `.git` is fine where the copy has one, not where a link leads to one.
    fn place_of_copy(&self, path: &Path) -> Result<(PathBuf, Option<Leaf>)> {
        let place = self.place(path)?;
        if place.path != path {
            refuse_git(&place.path)?;
        }
        Ok((place.path, place.leaf))
    }
}

fn permissions(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o777) as RawMode)
}
