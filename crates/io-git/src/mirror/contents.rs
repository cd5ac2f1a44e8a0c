//! Which objects a mirror has. Mirrors are fetched without file contents; what work trees check out is added as needed.

use std::{collections::BTreeSet, path::Path};

use gix_hash::ObjectId;

/// Those of `ids` that the repository at `git_dir` does not have.
pub(super) fn absent(
    git_dir: &Path,
    format: gix_hash::Kind,
    ids: BTreeSet<ObjectId>,
) -> Vec<ObjectId> {
    let Ok(objects) = gix_odb::at(git_dir.join("objects"), format) else {
        return ids.into_iter().collect();
    };
    // A fresh handle has seen every pack there is; without this each miss would list them again.
    ids.into_iter().filter(|id| !objects.exists_without_refresh(id)).collect()
}

/// Whether the repository at `git_dir` has all of `ids`.
pub(crate) fn has_all(git_dir: &Path, format: gix_hash::Kind, ids: &[ObjectId]) -> bool {
    absent(git_dir, format, ids.iter().copied().collect()).is_empty()
}
