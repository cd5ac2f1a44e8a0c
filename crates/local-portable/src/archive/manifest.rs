//! What an archive says about itself.

use serde::{Deserialize, Serialize};

use crate::{LeftOut, Origin, Resource};

/// What the manifest of every version calls itself.
pub(super) const FORMAT: &str = "kargo-portable-backup";
/// The format that is written, and the newest that is read.
pub(super) const FORMAT_VERSION: u64 = 1;

/// What an archive says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub(super) format: String,
    pub(super) format_version: u64,
    pub(super) origin: Origin,
    /// The files, in the order in which they are put back.
    pub(super) files: Vec<File>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<LeftOut>,
}

/// The part of a manifest that every version has.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) format_version: u64,
}

/// One file with the objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    pub(super) path: String,
    /// Plural and group of the kind.
    pub(super) resource: String,
    pub(super) objects: usize,
    pub(super) bytes: u64,
    /// Of the bytes as they are in the archive.
    pub(super) sha256: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) sealed: bool,
}

/// The name of the file of a kind.
pub(super) fn path(rank: usize, resource: &Resource, is_sealed: bool) -> String {
    let end = if is_sealed { ".age" } else { "" };
    format!("objects/{rank:02}-{}.yaml{end}", resource.full_name())
}
