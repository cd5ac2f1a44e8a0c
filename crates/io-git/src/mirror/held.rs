//! Which refs a mirror holds, and under which names.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use gix_hash::ObjectId;
use sha2::{Digest, Sha256};

use super::Want;
use crate::remote::short_hex;

/// The refs of one mirror.
pub(crate) struct Held {
    refs: gix_ref::file::Store,
}

impl Held {
    /// The refs of the mirror at `git_dir`, as they are on disk now.
    pub(crate) fn open(git_dir: PathBuf, format: gix_hash::Kind) -> Self {
        Self { refs: gix_ref::file::Store::at(git_dir, format) }
    }

    pub(crate) fn git_dir(&self) -> &Path {
        self.refs.git_dir()
    }

    /// The object that the server's ref `name` pointed to when it was last fetched.
    pub(crate) fn get(&self, name: &str) -> Option<ObjectId> {
        let own = own_name(name);
        // A ref that cannot be read is one that must be fetched.
        let found = self.refs.try_find(own.as_str()).ok().flatten()?;
        found.target.try_id().map(ToOwned::to_owned)
    }

    pub(crate) fn has(&self, want: &Want) -> bool {
        self.get(&want.name) == Some(want.id)
    }

    /// All of `wants` at the states they are wanted in, or nothing.
    pub(crate) fn all(&self, wants: &[Want]) -> Option<BTreeMap<String, ObjectId>> {
        let each = wants.iter().map(|want| self.has(want).then(|| (want.name.clone(), want.id)));
        each.collect()
    }

    /// What the mirror has of `names`, whatever its state.
    pub(crate) fn newest(&self, wants: &[Want]) -> BTreeMap<String, ObjectId> {
        let each = wants.iter().filter_map(|want| Some((want.name.clone(), self.get(&want.name)?)));
        each.collect()
    }
}

/// One flat name per ref: `a` and `a/b` may follow each other on a server, but cannot both be files here.
pub(super) fn own_name(name: &str) -> String {
    format!("refs/mirror/{}", short_hex(&Sha256::digest(name)))
}
