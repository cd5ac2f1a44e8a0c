//! How the tags of images and Git repositories are read as versions.

use crate::version::Version;

/// Which tags count as versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagReading {
    /// Anything the lenient parser accepts, such as `v1` or `2024.01.05`.
    Lenient,
    /// Only full versions, with at most one leading `v`.
    Strict,
}

/// The version a tag stands for, with the tag as its original text; `None` when it is no version.
pub fn version_of_tag(tag: &str, reading: TagReading) -> Option<Version> {
    let version = Version::parse_lenient(tag).ok()?;
    let is_accepted = match reading {
        TagReading::Lenient => true,
        TagReading::Strict => Version::parse_strict(tag.strip_prefix('v').unwrap_or(tag)).is_ok(),
    };
    is_accepted.then_some(version)
}
