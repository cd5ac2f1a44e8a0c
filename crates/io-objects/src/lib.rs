//! Objects under keys: in a bucket that speaks S3, or in a directory.
//!
//! A key is a relative path of plain names. An object appears whole or not at all, and lasts once [`Objects::put`] has
//! returned. Nothing here changes an object or reads a part of one: whoever uses it writes each key once.

mod address;
mod directory;
mod error;
mod keys;
mod s3;

use std::{fmt, path::Path, sync::Arc};

use bytes::Bytes;
use core_clock::{Clock, Environment};
use io_http::outbound::Outbound;

pub use address::{Address, AddressError, Bucket};
pub use error::{Action, Error};
pub use keys::{ComingKeys, KeySource, NoKeys};

use self::{directory::Directory, s3::S3};

/// A place for objects.
pub enum Objects {
    S3(Box<S3>),
    Directory(Directory),
}

impl Objects {
    /// A part of a bucket. Its region is that of its address, else `AWS_REGION`. Nobody is asked yet.
    pub fn in_bucket(
        bucket: &Bucket,
        keys: Arc<dyn KeySource>,
        environment: &dyn Environment,
        outbound: &Outbound,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let bucket = S3::open(bucket, keys, environment, outbound, clock)?;
        Ok(Self::S3(Box::new(bucket)))
    }

    /// A directory, which is made when it is needed.
    pub fn in_directory(path: &Path) -> Self {
        Self::Directory(Directory::new(path))
    }

    /// Makes an object, or puts it into the place of the one there.
    pub async fn put(&self, key: &str, body: Bytes) -> Result<(), Error> {
        check_key(key)?;
        match self {
            Self::S3(bucket) => bucket.put(key, body).await,
            Self::Directory(directory) => directory.put(key, &body).await,
        }
    }

    /// All of an object.
    pub async fn get(&self, key: &str) -> Result<Bytes, Error> {
        check_key(key)?;
        match self {
            Self::S3(bucket) => bucket.get(key).await,
            Self::Directory(directory) => directory.get(key).await,
        }
    }

    /// The keys of all objects, in order.
    pub async fn list(&self) -> Result<Vec<String>, Error> {
        let mut keys = match self {
            Self::S3(bucket) => bucket.list().await?,
            Self::Directory(directory) => directory.list().await?,
        };
        keys.sort_unstable();
        Ok(keys)
    }

    /// Removes an object; that there is none is fine.
    pub async fn delete(&self, key: &str) -> Result<(), Error> {
        check_key(key)?;
        match self {
            Self::S3(bucket) => bucket.delete(key).await,
            Self::Directory(directory) => directory.delete(key).await,
        }
    }
}

/// Where it is.
impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::S3(bucket) => bucket.fmt(f),
            Self::Directory(directory) => directory.fmt(f),
        }
    }
}

/// Refuses a key that leads elsewhere.
fn check_key(key: &str) -> Result<(), Error> {
    let is_name = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one))
    };
    if key.split('/').all(is_name) { Ok(()) } else { Err(Error::Key { key: key.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_relative_path_of_plain_names() {
        for key in ["a", "a/b", "0001-ab/base-01.db.zst"] {
            assert!(check_key(key).is_ok(), "{key}");
        }
        for key in ["", "/a", "a/", "a//b", "..", "a/../b", "./a", ".a", "a b", "a\\b", "é"] {
            assert!(check_key(key).is_err(), "{key}");
        }
    }
}
