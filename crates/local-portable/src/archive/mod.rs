//! A collection in a file: a compressed tar of YAML, as `kubectl get -o yaml` shows objects.
//!
//! `manifest.json` comes first and names every other file with its size and hash, so that a file which is cut, changed
//! or added to is found out before anything is restored from it. There is one file for each kind, numbered in the order
//! in which they are put back. The one with Secrets may be sealed with [age](https://age-encryption.org).
//!
//! Nothing is ever unpacked to a disk: names inside the archive are compared with the manifest and lead nowhere.

mod document;
mod manifest;
mod read;
mod seal;
#[cfg(test)]
mod tests;
mod write;

pub use read::{is_archive, read};
pub use seal::{Key, Seal};
pub use write::write;

/// The name of the first file.
const MANIFEST: &str = "manifest.json";
/// The most that a file inside the archive may hold.
const MAX_FILE: u64 = 512 << 20;
/// The kind whose file is sealed.
const SEALED: &str = "Secret";
