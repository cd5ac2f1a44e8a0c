//! The data directory: keys, certificates and kubeconfigs beside the database.
//!
//! Every file here is private (0600), written whole or not at all, and on disk before anything depends on it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// A directory that only its owner can enter.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Opens the directory and creates it (0700) when it is missing.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Ok(Self { path: path.canonicalize()? })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads a text file; `None` when it is not there.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<String>> {
        match fs::read_to_string(self.file(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a private file atomically: a crash leaves the old one or the new one.
    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let target = self.file(name);
        let folder = target.parent().unwrap_or(&self.path).to_owned();
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let temporary = target.with_extension("new");
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, &target)?;
        File::open(&folder)?.sync_all()
    }

    /// Reads a file, or makes its content, writes it and returns it.
    pub(crate) fn read_or_write<E: From<io::Error>>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<String, E>,
    ) -> Result<String, E> {
        if let Some(text) = self.read(name)? {
            return Ok(text);
        }
        let text = make()?;
        self.write(name, &text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn files_are_private_and_kept() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(&temporary.path().join("a/b")).unwrap();
        let made =
            directory.read_or_write("pki/key", || Ok::<_, io::Error>("first".into())).unwrap();
        let kept =
            directory.read_or_write("pki/key", || Ok::<_, io::Error>("second".into())).unwrap();
        assert_eq!((made.as_str(), kept.as_str()), ("first", "first"));
        let mode = fs::metadata(directory.file("pki/key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!directory.file("pki/key.new").exists());
    }
}
