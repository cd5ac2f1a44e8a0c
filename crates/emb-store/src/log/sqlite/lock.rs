//! One process per data directory: an advisory lock on a file that also says who holds it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Seek, Write},
    path::Path,
};

use crate::OpenError;

const FILE: &str = "lock";

/// Held until dropped, also when the process dies.
pub(super) struct DirectoryLock {
    file: File,
}

impl DirectoryLock {
    /// Takes the lock, or says who has it. `address` is where this process serves.
    pub(super) fn take(directory: &Path, address: &str) -> Result<Self, OpenError> {
        let path = directory.join(FILE);
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut lock = Self { file: options.map_err(|error| failed(&path, &error))? };
        match lock.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(holder(&path)),
            Err(TryLockError::Error(error)) => return Err(failed(&path, &error)),
        }
        lock.announce(address).map_err(|error| failed(&path, &error))?;
        Ok(lock)
    }

    /// Writes down who holds the lock.
    pub(super) fn announce(&mut self, address: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(format!("{}\n{address}\n", std::process::id()).as_bytes())
    }
}

fn holder(path: &Path) -> OpenError {
    // The holder may be about to write its name: then it is unknown, but still the holder.
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines();
    let pid = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    OpenError::Locked { pid, address: lines.next().unwrap_or_default().to_owned() }
}

fn failed(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Io(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_taker_learns_who_holds_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let mut lock = DirectoryLock::take(directory.path(), "127.0.0.1:1").unwrap();
        lock.announce("127.0.0.1:6443").unwrap();
        let Err(OpenError::Locked { pid, address }) = DirectoryLock::take(directory.path(), "x")
        else {
            panic!("taken twice")
        };
        assert_eq!((pid, address.as_str()), (std::process::id(), "127.0.0.1:6443"));
        drop(lock);
        assert!(DirectoryLock::take(directory.path(), "x").is_ok());
    }
}
