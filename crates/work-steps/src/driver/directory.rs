//! The work directory of a Promotion: its files, and what belongs to it but is not for steps' paths.
//!
//! `<root>/promotion-<uid>/files` is what users' paths see; `private` holds homes, keys, logs, and a marker
//! of how far the Promotion was when the directory was last in step with the journal. A directory whose
//! marker lags behind the journal is not what the journal tells of, and is not gone on with.

use std::{
    fs::{DirBuilder, File, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use core_engine::Progress;

use super::error::Error;

/// How far the Promotion was, one line per move.
const MARKER: &str = "reached";
/// Progress that only the directory knows of.
const PROGRESS: &str = "progress.json";
/// What the name of a directory begins with; the uid of the Promotion follows.
const PREFIX: &str = "promotion-";
/// A longer alias is cut in the name of a log.
const MAX_LOG_NAME: usize = 100;

/// The work directory of a Promotion.
pub struct Directory {
    path: PathBuf,
    marker: File,
    reached: usize,
}

/// What was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// Nothing, or nothing whole.
    Fresh,
    /// The directory of an earlier run.
    Adopted {
        /// The step it was at.
        reached: usize,
    },
}

impl Directory {
    /// Makes the directory of a Promotion, or goes on with the one that is there.
    pub fn open(root: &Path, uid: &str) -> Result<(Self, Opened), Error> {
        let path = place(root, uid)?;
        Self::open_at(&path).map_err(|source| Error::Directory { path, source })
    }

    /// Removes the directory of a Promotion, if there is one.
    pub fn remove(root: &Path, uid: &str) -> Result<(), Error> {
        let path = place(root, uid)?;
        remove_all(&path).map_err(|source| Error::Directory { path, source })
    }

    /// The uids of all Promotions that have a directory.
    pub fn all(root: &Path) -> io::Result<Vec<String>> {
        let entries = match std::fs::read_dir(root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut uids = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            uids.extend(
                name.to_str().and_then(|name| name.strip_prefix(PREFIX)).map(str::to_owned),
            );
        }
        uids.sort_unstable();
        Ok(uids)
    }

    fn open_at(path: &Path) -> io::Result<(Self, Opened)> {
        let marker = path.join("private").join(MARKER);
        let append = || OpenOptions::new().create(true).append(true).mode(0o600).open(&marker);
        if let Some(reached) = read_marker(&marker)? {
            let directory = Self { path: path.to_owned(), marker: append()?, reached };
            return Ok((directory, Opened::Adopted { reached }));
        }
        remove_all(path)?;
        for part in ["files", "private"] {
            DirBuilder::new().recursive(true).mode(0o700).create(path.join(part))?;
        }
        // The marker comes last: without it the directory counts as half made.
        let mut directory = Self { path: path.to_owned(), marker: append()?, reached: 0 };
        directory.marker.write_all(b"0\n")?;
        Ok((directory, Opened::Fresh))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What users' paths see.
    pub fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    /// What they do not see.
    pub fn private(&self) -> PathBuf {
        self.path.join("private")
    }

    /// Marks that the Promotion has come to this step.
    pub(super) fn mark_reached(&mut self, position: usize) -> Result<(), Error> {
        if position == self.reached {
            return Ok(());
        }
        self.reached = position;
        let line = format!("{position}\n");
        self.marker.write_all(line.as_bytes()).map_err(|source| self.trouble(source))
    }

    /// Keeps the progress in the directory. It need not survive a power cut: the files would not either.
    pub(super) fn keep_progress(&self, progress: &Progress) -> Result<(), Error> {
        let path = self.private().join(PROGRESS);
        let fresh = path.with_extension("new");
        let keep = || {
            std::fs::write(&fresh, serde_json::to_vec(progress)?)?;
            std::fs::rename(&fresh, &path)
        };
        keep().map_err(|source| self.trouble(source))
    }

    /// The progress that was kept, if it can be read.
    pub(super) fn kept_progress(&self) -> Option<Progress> {
        let bytes = std::fs::read(self.private().join(PROGRESS)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Forgets the progress that was kept, because everything starts over.
    pub(super) fn forget_progress(&self) -> Result<(), Error> {
        match std::fs::remove_file(self.private().join(PROGRESS)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.trouble(error)),
            _ => Ok(()),
        }
    }

    /// What went wrong with the directory.
    pub(super) fn trouble(&self, source: io::Error) -> Error {
        Error::Directory { path: self.path.clone(), source }
    }

    /// Where the log of a step is kept.
    pub(super) fn log_path(&self, position: usize, alias: &str) -> PathBuf {
        let letters = alias.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' });
        let name: String = letters.take(MAX_LOG_NAME).collect();
        self.private().join("logs").join(format!("{position:03}-{name}.log"))
    }

    /// What the steps told, by the name of the log, in the order of the steps.
    pub fn logs(&self) -> Vec<(String, String)> {
        read_logs(&self.path)
    }

    /// The same of a Promotion whose directory is not open; nothing where there is none.
    pub fn logs_of(root: &Path, uid: &str) -> Vec<(String, String)> {
        place(root, uid).map(|path| read_logs(&path)).unwrap_or_default()
    }
}

fn read_logs(directory: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(directory.join("private/logs")).into_iter().flatten().flatten();
    let mut logs: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            Some((name, std::fs::read_to_string(entry.path()).ok()?))
        })
        .collect();
    logs.sort();
    logs
}

fn place(root: &Path, uid: &str) -> Result<PathBuf, Error> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '.';
    if uid.is_empty() || uid.len() > 128 || !uid.chars().all(is_plain) {
        return Err(Error::Uid(uid.to_owned()));
    }
    Ok(root.join(format!("{PREFIX}{uid}")))
}

/// The last whole line of the marker.
fn read_marker(marker: &Path) -> io::Result<Option<usize>> {
    let text = match std::fs::read_to_string(marker) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let whole = text.rfind('\n').and_then(|end| text.get(..end)).unwrap_or_default();
    Ok(whole.lines().next_back().and_then(|line| line.parse().ok()))
}

/// Removes a tree, also where an archive or a program left directories that may not be changed.
fn remove_all(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            unlock(path)?;
            std::fs::remove_dir_all(path)
        }
        result => result,
    }
}

fn unlock(path: &Path) -> io::Result<()> {
    let mut directories = vec![path.to_owned()];
    while let Some(directory) = directories.pop() {
        std::fs::set_permissions(&directory, Permissions::from_mode(0o700))?;
        for entry in std::fs::read_dir(&directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                directories.push(entry.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_private_and_is_gone_on_with_until_it_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let (mut directory, opened) = Directory::open(root.path(), "u-1").unwrap();
        assert_eq!(opened, Opened::Fresh);
        let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(directory.files()), mode(directory.private())), (0o700, 0o700));
        std::fs::write(directory.files().join("a"), "A").unwrap();
        directory.mark_reached(2).unwrap();
        let (directory, opened) = Directory::open(root.path(), "u-1").unwrap();
        assert_eq!(opened, Opened::Adopted { reached: 2 });
        assert!(directory.files().join("a").exists());
        Directory::remove(root.path(), "u-1").unwrap();
        Directory::remove(root.path(), "u-1").unwrap();
        assert_eq!(Directory::open(root.path(), "u-1").unwrap().1, Opened::Fresh);
    }

    #[test]
    fn a_half_made_directory_is_made_anew_and_a_torn_marker_tells_its_last_whole_line() {
        let root = tempfile::tempdir().unwrap();
        let half = root.path().join("promotion-u/files");
        std::fs::create_dir_all(&half).unwrap();
        std::fs::write(half.join("left"), "").unwrap();
        let (directory, opened) = Directory::open(root.path(), "u").unwrap();
        assert_eq!((opened, directory.files().join("left").exists()), (Opened::Fresh, false));
        std::fs::write(directory.private().join(MARKER), "0\n1\n2").unwrap();
        assert_eq!(Directory::open(root.path(), "u").unwrap().1, Opened::Adopted { reached: 1 });
    }

    #[test]
    fn a_uid_leads_nowhere_else() {
        for uid in ["", "..", "../x", "a/b", "a\0b"] {
            let refused = Directory::open(Path::new("/nowhere"), uid).err();
            let is_refused = matches!(refused, Some(Error::Uid(_)));
            // Dots alone stay within the name, because it has a prefix.
            assert!(is_refused || uid == "..", "{uid:?}");
        }
    }
}
