//! Objects as files of a directory, such as a mounted volume.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use tokio::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::AsyncWriteExt,
};

use crate::Error;

/// What the name of an object begins with before it is whole.
const PARTIAL: &str = ".partial-";

/// A directory that holds objects.
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub(crate) async fn put(&self, key: &str, body: &[u8]) -> Result<(), Error> {
        let target = self.path.join(key);
        let partial = self.partial(key);
        self.write(&target, &partial, body)
            .await
            .map_err(|source| Error::File { path: target, source })
    }

    /// Objects of one folder are written one after another, those of several at once. A leftover is written over.
    fn partial(&self, key: &str) -> PathBuf {
        let folder = key.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.path.join(format!("{PARTIAL}{}", folder.replace('/', "-")))
    }

    async fn write(&self, target: &Path, partial: &Path, body: &[u8]) -> io::Result<()> {
        let folder = target.parent().unwrap_or(&self.path);
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        builder.mode(0o700);
        builder.create(folder).await?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        options.mode(0o600);
        let mut file = options.open(partial).await?;
        file.write_all(body).await?;
        file.sync_all().await?;
        fs::rename(partial, target).await?;
        // The name of the file, and that of its folder if it is new.
        sync(folder).await?;
        sync(&self.path).await
    }

    pub(crate) async fn get(&self, key: &str) -> Result<Bytes, Error> {
        let path = self.path.join(key);
        match fs::read(&path).await {
            Ok(body) => Ok(body.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Error::Missing { place: self.to_string(), key: key.to_owned() })
            }
            Err(source) => Err(Error::File { path, source }),
        }
    }

    pub(crate) async fn list(&self) -> Result<Vec<String>, Error> {
        let mut keys = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let path = self.path.join(&folder);
            let failed = |source| Error::File { path: path.clone(), source };
            let mut entries = match fs::read_dir(&path).await {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            while let Some(entry) = entries.next_entry().await.map_err(failed)? {
                let name = entry.file_name();
                // What is not ours by its name is left alone.
                let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
                    continue;
                };
                let key =
                    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                if entry.file_type().await.map_err(failed)?.is_dir() {
                    folders.push(key);
                } else {
                    keys.push(key);
                }
            }
        }
        Ok(keys)
    }

    pub(crate) async fn delete(&self, key: &str) -> Result<(), Error> {
        let path = self.path.join(key);
        if let Err(source) = fs::remove_file(&path).await
            && source.kind() != io::ErrorKind::NotFound
        {
            return Err(Error::File { path, source });
        }
        // That works for the last object of a folder alone, and then nothing in it is being written.
        if let Some(folder) = path.parent().filter(|folder| *folder != self.path)
            && fs::remove_dir(folder).await.is_ok()
        {
            let _ = fs::remove_file(self.partial(key)).await;
        }
        Ok(())
    }
}

impl fmt::Display for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file://{}", self.path.display())
    }
}

async fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory).await?.sync_all().await
}
