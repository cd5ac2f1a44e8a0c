//! Where objects are kept, as people write it.

use std::{fmt, path::PathBuf, str::FromStr};

use thiserror::Error;
use url::Url;

/// What is said of an address that is none.
const FORMS: &str = "pass s3://BUCKET/PREFIX, with ?endpoint=URL and &region=REGION if needed, or file:///DIRECTORY";

/// Where objects are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// In a bucket.
    Bucket(Bucket),
    /// In a directory.
    Directory(PathBuf),
}

/// A part of a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    pub(crate) name: String,
    /// What all keys begin with, without a slash at either end; empty for the whole bucket.
    pub(crate) prefix: String,
    /// The server, if not that of AWS: scheme, host and port.
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{why}: {FORMS}")]
pub struct AddressError {
    why: String,
}

impl AddressError {
    fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let url = Url::parse(text).map_err(|_| AddressError::new("it is not a URL"))?;
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(AddressError::new("keys and fragments do not belong into it"));
        }
        match url.scheme() {
            "s3" => bucket(&url).map(Self::Bucket),
            "file" => directory(&url).map(Self::Directory),
            other => Err(AddressError::new(format!("{other}:// is not known"))),
        }
    }
}

fn bucket(url: &Url) -> Result<Bucket, AddressError> {
    let name = url.host_str().unwrap_or_default();
    let is_name =
        |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || "-.".contains(one);
    if !(3..=63).contains(&name.len()) || !name.chars().all(is_name) || url.port().is_some() {
        return Err(AddressError::new("it has no name of a bucket"));
    }
    let prefix = percent_encoding::percent_decode_str(url.path().trim_matches('/'));
    let prefix = prefix.decode_utf8().map_err(|_| AddressError::new("its prefix is no text"))?;
    let is_sound = |part: &str| !matches!(part, "" | "." | "..");
    if !prefix.is_empty() && !prefix.split('/').all(is_sound) {
        return Err(AddressError::new("its prefix is no path"));
    }
    let (mut endpoint, mut region) = (None, None);
    for (name, value) in url.query_pairs() {
        match &*name {
            "endpoint" => endpoint = Some(server(&value)?),
            "region" if is_region(&value) => region = Some(value.into_owned()),
            "region" => return Err(AddressError::new("its region is no region")),
            other => {
                return Err(AddressError::new(format!("the parameter {other:?} is not known")));
            }
        }
    }
    Ok(Bucket { name: name.to_owned(), prefix: prefix.into_owned(), endpoint, region })
}

fn is_region(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || one == '-')
}

/// Scheme, host and port of an endpoint.
fn server(text: &str) -> Result<String, AddressError> {
    let wrong = || AddressError::new("its endpoint is not https://HOST[:PORT]");
    let url = Url::parse(text).map_err(|_| wrong())?;
    let is_bare = matches!(url.path(), "" | "/")
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none() || !is_bare {
        return Err(wrong());
    }
    Ok(url.origin().ascii_serialization())
}

fn directory(url: &Url) -> Result<PathBuf, AddressError> {
    if url.query().is_some() {
        return Err(AddressError::new("a directory has no parameters"));
    }
    match url.to_file_path() {
        Ok(path) if path.parent().is_some() => Ok(path),
        _ => Err(AddressError::new("it names no directory of this machine")),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bucket(bucket) => bucket.fmt(f),
            Self::Directory(path) => write!(f, "file://{}", path.display()),
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}", self.name)?;
        if !self.prefix.is_empty() {
            write!(f, "/{}", self.prefix)?;
        }
        match &self.endpoint {
            Some(endpoint) => write!(f, " at {endpoint}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_and_a_directory_are_addresses() {
        let shown = |text: &str| text.parse::<Address>().unwrap().to_string();
        assert_eq!(shown("s3://my-bucket"), "s3://my-bucket");
        assert_eq!(shown("s3://my-bucket/a/b%20c/"), "s3://my-bucket/a/b c");
        assert_eq!(
            shown("s3://my-bucket/a?endpoint=http://127.0.0.1:9000/&region=eu-west-1"),
            "s3://my-bucket/a at http://127.0.0.1:9000"
        );
        assert_eq!(shown("file:///mnt/kargo"), "file:///mnt/kargo");
    }

    #[test]
    fn anything_else_is_refused_with_both_forms() {
        for text in [
            "",
            "/mnt/kargo",
            "http://bucket/a",
            "s3://",
            "s3://B_d/a",
            "s3://key:secret@bucket/a",
            "s3://bucket:80/a",
            "s3://bucket/a//b",
            "s3://bucket/a?endpoint=host",
            "s3://bucket/a?endpoint=https://host/path",
            "s3://bucket/a?region=",
            "s3://bucket/a?acl=public",
            "file://host/mnt",
            "file:///",
            "file:///mnt?a=b",
        ] {
            let told = text.parse::<Address>().unwrap_err().to_string();
            assert!(told.contains("s3://BUCKET/PREFIX"), "{text}: {told}");
            assert!(told.contains("file:///DIRECTORY"), "{text}: {told}");
            assert!(!told.contains("secret"), "{text}: {told}");
        }
    }
}
