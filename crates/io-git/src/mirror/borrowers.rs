//! Who borrows a mirror's objects.
//!
//! Work trees live for as long as a Promotion, which is longer than this process may: a pin in memory would be lost with
//! it. So each borrower is a file beside the mirror that names the borrowing repository. The borrower is there for as long
//! as its directory is, and needs no farewell: a Promotion that ends removes its directory, whoever runs it by then.
//!
//! A borrower registers while it holds a pin, and its directory exists before the file does. Hence a mirror that is neither
//! pinned nor borrowed when its door is closed stays so until the door opens again. A mirror that turns out to be damaged
//! is built again all the same: its borrowers could not read it either, and a repeated clone heals them.

use std::{
    fs, io,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::remote::short_hex;

const DIRECTORY: &str = "borrowers";

/// Notes that the repository at `borrower`, an existing directory, relies on the objects of the mirror at `mirror`.
pub(crate) fn register(mirror: &Path, borrower: &Path) -> io::Result<()> {
    let directory = mirror.join(DIRECTORY);
    fs::create_dir_all(&directory)?;
    let name = short_hex(&Sha256::digest(borrower.as_os_str().as_bytes()));
    fs::write(directory.join(name), borrower.as_os_str().as_bytes())
}

/// Whether anybody relies on the objects of the mirror at `mirror`. Forgets those who are gone.
pub(super) fn any(mirror: &Path) -> bool {
    let Ok(entries) = fs::read_dir(mirror.join(DIRECTORY)) else { return false };
    let mut found = false;
    for file in entries.flatten().map(|entry| entry.path()) {
        if is_there(&file) {
            found = true;
        } else {
            // What stays is looked at again next time.
            let _ = fs::remove_file(&file);
        }
    }
    found
}

/// A record that cannot be read may stand for somebody.
fn is_there(file: &Path) -> bool {
    match fs::read(file) {
        Ok(path) if path.is_empty() => false,
        Ok(path) => PathBuf::from(std::ffi::OsString::from_vec(path)).exists(),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_borrower_counts_for_as_long_as_its_directory_exists() {
        let root = tempfile::tempdir().unwrap();
        let borrower = root.path().join("promotion");
        fs::create_dir(&borrower).unwrap();
        assert!(!any(root.path()));
        register(root.path(), &borrower).unwrap();
        register(root.path(), &borrower).unwrap();
        assert!(any(root.path()) && any(root.path()));
        fs::remove_dir(&borrower).unwrap();
        assert!(!any(root.path()));
        assert_eq!(fs::read_dir(root.path().join(DIRECTORY)).unwrap().count(), 0);
    }

    #[test]
    fn half_a_record_holds_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(DIRECTORY)).unwrap();
        fs::write(root.path().join(DIRECTORY).join("x"), b"").unwrap();
        assert!(!any(root.path()));
    }
}
