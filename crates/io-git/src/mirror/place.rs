//! Where a mirror lives on disk, who may change it, and how it survives a kill at any moment.
//!
//! `git` holds the mirror's lock through its own output, so that a fetch which outlived a killed controller is noticed and
//! waited for. What an interrupted git leaves (lock files, halves of packs) is removed by whoever gets the lock next.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use core_clock::Time;
use parking_lot::Mutex;
use rustix::fs::{FlockOperation, flock};

use super::check;
use crate::{blocking::blocking, context::Context, error::Error, session};

const REPOSITORY: &str = "repository.git";
const ADDRESS: &str = "address";
const USED: &str = "used";
const LOCK: &str = "lock";
const WHOLE: &str = "whole";

/// How long to wait for a git of an earlier run, and how often to look.
const LOCK_PATIENCE: Duration = Duration::from_mins(1);
const LOCK_INTERVAL: Duration = Duration::from_millis(100);
const INIT_DEADLINE: Duration = Duration::from_mins(1);

/// The directory of one mirror.
pub(crate) struct Place {
    directory: PathBuf,
    address: String,
    lock: Mutex<Option<File>>,
}

impl Place {
    pub(crate) fn new(directory: PathBuf, address: String) -> Self {
        Self { directory, address, lock: Mutex::default() }
    }

    /// A mirror that an earlier run left: its place, when it was last used, and its size.
    pub(crate) fn found(directory: PathBuf) -> Option<(Self, Time, u64)> {
        let address = fs::read_to_string(directory.join(ADDRESS)).ok()?;
        let used = fs::metadata(directory.join(USED)).and_then(|file| file.modified()).ok()?;
        let used = used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let bytes = size(&directory);
        Some((Self::new(directory, address), Time::default() + used, bytes))
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn git_dir(&self) -> PathBuf {
        self.directory.join(REPOSITORY)
    }

    /// Notes that the mirror is of use, for the order of eviction after a restart.
    pub(crate) fn touch(&self) {
        if self.directory.exists() {
            // Losing the note costs at worst a fetch.
            let _ = fs::write(self.directory.join(USED), b"");
        }
    }

    /// Whether file contents are fetched as well, because the server cannot be trusted to leave out only those.
    pub(super) fn is_whole(&self) -> bool {
        self.directory.join(WHOLE).exists()
    }

    pub(super) fn mark_whole(&self) {
        // Losing the note costs a second attempt.
        let _ = fs::write(self.directory.join(WHOLE), b"");
    }

    /// Another handle on the lock, to be held by a child.
    pub(super) fn lock_handle(&self) -> Option<File> {
        self.lock.lock().as_ref().and_then(|file| file.try_clone().ok())
    }

    /// Makes the mirror ours: locked, without leftovers, whole. The first call after a start does the work.
    pub(super) async fn prepare(&self, cx: &Context, format: gix_hash::Kind) -> Result<(), Error> {
        if self.lock.lock().is_none() {
            self.claim(cx).await?;
            self.clear_leftovers().await;
        }
        let git_dir = self.git_dir();
        let usable = blocking(move || is_usable(&git_dir, format)).await.unwrap_or(false);
        if usable { Ok(()) } else { self.rebuild(cx, format).await }
    }

    /// Removes what an interrupted git leaves. Only while no git of ours runs here.
    pub(super) async fn clear_leftovers(&self) {
        let directory = self.directory.clone();
        let _ = blocking(move || clear(&directory)).await;
    }

    /// What is wrong with the mirror, if anything.
    pub(super) async fn damage(&self, format: gix_hash::Kind) -> Option<String> {
        let git_dir = self.git_dir();
        blocking(move || check::damage(&git_dir, format)).await.flatten()
    }

    /// Starts over with an empty repository.
    pub(super) async fn rebuild(&self, cx: &Context, format: gix_hash::Kind) -> Result<(), Error> {
        let fresh = self.directory.join("fresh.git");
        discard(cx, &fresh).await?;
        let command = session::harmless(cx.command("git init", "git"))
            .args(["init", "--bare", "--quiet", "--template=", "--initial-branch=main"])
            .args([format!("--object-format={}", format_name(format))])
            .args([&fresh])
            .env("HOME", &self.directory)
            .limits(io_exec::Limits { deadline: Some(INIT_DEADLINE), idle: None });
        let made = cx.exec.run(command).await;
        made.map_err(|error| Error::Local {
            what: "a mirror could not be created",
            reason: error.to_string(),
        })?;
        discard(cx, &self.git_dir()).await?;
        fs::rename(&fresh, self.git_dir())
            .map_err(|error| Error::local("a mirror could not be created", &error))
    }

    async fn claim(&self, cx: &Context) -> Result<(), Error> {
        let local =
            |error: io::Error| Error::local("the mirror's directory cannot be used", &error);
        fs::create_dir_all(&self.directory).map_err(local)?;
        fs::write(self.directory.join(ADDRESS), &self.address).map_err(local)?;
        self.touch();
        let path = self.directory.join(LOCK);
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(local)?;
        let start = cx.clock.monotonic();
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if cx.clock.monotonic().saturating_sub(start) > LOCK_PATIENCE {
                let path = self.directory.display().to_string();
                return Err(Error::InUse { path });
            }
            cx.clock.sleep(LOCK_INTERVAL).await;
        }
        *self.lock.lock() = Some(file);
        Ok(())
    }
}

/// Moves a directory out of the way at once and removes it at leisure.
pub(crate) async fn discard(cx: &Context, path: &Path) -> Result<(), Error> {
    if !path.exists() {
        return Ok(());
    }
    let failed = |error: io::Error| Error::local("a mirror could not be removed", &error);
    let grave = tempfile_in(&cx.settings.root.join("trash")).map_err(failed)?;
    fs::rename(path, grave.path().join("old")).map_err(failed)?;
    cx.tasks.spawn(
        "git trash",
        Box::pin(async move {
            let _ = blocking(move || drop(grave)).await;
        }),
    );
    Ok(())
}

fn tempfile_in(parent: &Path) -> io::Result<io_exec::WorkDir> {
    io_exec::WorkDir::create(parent, "old-")
}

fn format_name(format: gix_hash::Kind) -> &'static str {
    match format {
        gix_hash::Kind::Sha256 => "sha256",
        _ => "sha1",
    }
}

fn is_usable(git_dir: &Path, format: gix_hash::Kind) -> bool {
    let config = fs::read_to_string(git_dir.join("config")).unwrap_or_default();
    let sha256 = config.to_ascii_lowercase().contains("objectformat = sha256");
    sha256 == (format == gix_hash::Kind::Sha256) && check::damage(git_dir, format).is_none()
}

fn clear(directory: &Path) {
    let git_dir = directory.join(REPOSITORY);
    each_file(&git_dir, 0, &mut |path| {
        if is_leftover(path) {
            // What cannot be removed now is tried again next time.
            let _ = fs::remove_file(path);
        }
    });
}

/// Lock files, unfinished packs and objects, and marks that keep a pack from being repacked.
fn is_leftover(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let without_index =
        name.starts_with("pack-") && extension == "pack" && !path.with_extension("idx").exists();
    matches!(extension, "lock" | "keep")
        || name.starts_with("tmp_")
        || name.starts_with(".tmp-")
        || without_index
}

/// The size of everything below `directory`.
pub(crate) fn size(directory: &Path) -> u64 {
    let mut bytes = 0;
    each_file(directory, 0, &mut |path| {
        bytes += fs::symlink_metadata(path).map_or(0, |file| file.len());
    });
    bytes
}

fn each_file(directory: &Path, depth: usize, visit: &mut dyn FnMut(&Path)) {
    // A mirror is at most four levels deep; links are never followed.
    if depth > 8 {
        return;
    }
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => each_file(&entry.path(), depth + 1, visit),
            Ok(_) => visit(&entry.path()),
            Err(_) => {}
        }
    }
}
