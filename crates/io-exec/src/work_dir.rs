//! Private work directories, gone when they are dropped.

use std::{
    fs::{OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A directory that only we can enter, removed with all it holds on drop.
#[derive(Debug)]
pub struct WorkDir {
    directory: TempDir,
}

impl WorkDir {
    /// Creates a fresh directory inside `parent`; its name begins with `prefix`.
    pub fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix(prefix)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        Ok(Self { directory })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a new file that only we can read, a key for example.
    pub fn write_private(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(content)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_directory_is_private_and_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let directory = WorkDir::create(parent.path(), "git-").unwrap();
        let file = directory.write_private("key", b"secret").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(directory.path()), mode(&file)), (0o700, 0o600));
        let path = directory.path().to_owned();
        drop(directory);
        assert!(!path.exists());
    }

    #[test]
    fn a_private_file_never_replaces_another() {
        let parent = tempfile::tempdir().unwrap();
        let directory = WorkDir::create(parent.path(), "git-").unwrap();
        directory.write_private("key", b"a").unwrap();
        assert!(directory.write_private("key", b"b").is_err());
    }
}
