//! Files that appear whole or not at all, and outlast a loss of power.

use std::{
    fs::{self, DirBuilder, File},
    io,
    path::{Path, PathBuf},
};

use crate::OpenError;

/// Makes the data directory, for its owner alone.
pub(super) fn create_directory(directory: &Path) -> Result<(), OpenError> {
    let failed = |error: io::Error| open_error(directory, &error);
    if directory.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(failed)?;
    sync_parent(directory).map_err(failed)
}

/// Gives a complete file its name.
pub(super) fn put_in_place(partial: &Path, to: &Path) -> io::Result<()> {
    File::open(partial)?.sync_all()?;
    fs::rename(partial, to)?;
    sync_parent(to)
}

/// Moves `database` aside, with the side files that belong to it, and `incoming` into its place. Returns where the old one
/// is now, if there was one.
pub(super) fn swap(database: &Path, incoming: &Path, aside: &Path) -> io::Result<Option<PathBuf>> {
    for suffix in ["-shm", "-wal", ""] {
        let (from, to) = (with_suffix(database, suffix), with_suffix(aside, suffix));
        remove_if_there(&to)?;
        if from.exists() {
            fs::rename(from, to)?;
        }
    }
    put_in_place(incoming, database)?;
    Ok(aside.exists().then(|| aside.to_owned()))
}

/// `path` with `suffix` at the end of its last part.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Removes a file; that there is none is fine.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What a failure with a file means for opening a store.
pub(super) fn open_error(path: &Path, error: &io::Error) -> OpenError {
    let text = format!("{}: {error}", path.display());
    if error.kind() == io::ErrorKind::StorageFull {
        OpenError::DiskFull(text)
    } else {
        OpenError::Io(text)
    }
}

/// Makes the name of a new file or directory durable.
fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}
