//! Where the repository is.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// The root of the repository: the folder above this crate's.
pub(crate) fn find() -> anyhow::Result<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().map(Path::to_path_buf).context("the crate has no folder above it")
}
