//! Gives the mirror what was pushed, so that the next one who needs it does not fetch it.

use std::{fs, path::Path};

use io_exec::{Input, Output, WorkDir};

use super::{error::WorkError, tree::WorkTree};
use crate::{blocking::blocking, refs::Refs, repository::Repository};

/// More new objects than this are better fetched by whoever wants them.
const MAX_OBJECTS: usize = 10_000;

impl WorkTree {
    /// Hands the objects of this clone on, in the background: nothing depends on it.
    pub(super) async fn share(&self, repository: &Repository, refs: &Refs) {
        match self.pack_new_objects().await {
            Ok(Some(pack)) => repository.give(refs, pack),
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "what was pushed will be fetched when needed"),
        }
    }

    /// A directory with one pack of everything that was made here; `None` when that is nothing, or too much.
    async fn pack_new_objects(&self) -> Result<Option<WorkDir>, WorkError> {
        let objects = self.home.repository().join("objects");
        let Some(Some(ids)) = blocking(move || loose(&objects)).await else { return Ok(None) };
        let local = |error| WorkError::local("what was pushed could not be packed", &error);
        // Not at home: a Promotion that ends takes its directories along.
        let directory = WorkDir::create(&self.cx().work(), "pack-").map_err(local)?;
        let command = self
            .git("git pack-objects")
            .args(["pack-objects", "--quiet"])
            .args([directory.path().join("pack")])
            .directory(self.home.path())
            .input(Input::Bytes(ids.join("\n").into_bytes()))
            .output(Output::Discard);
        let done = self.cx().exec.run(command).await;
        done.map_err(|error| WorkError::git("git pack-objects", &error))?;
        Ok(Some(directory))
    }
}

/// The ids of all objects that are files of their own: those that were made in the clone.
fn loose(objects: &Path) -> Option<Vec<String>> {
    let mut ids = Vec::new();
    for directory in fs::read_dir(objects).ok()?.flatten() {
        let Some(start) =
            directory.file_name().to_str().filter(|name| name.len() == 2).map(str::to_owned)
        else {
            continue;
        };
        for file in fs::read_dir(directory.path()).ok()?.flatten() {
            let rest = file.file_name();
            let is_object =
                rest.to_str().filter(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()));
            ids.extend(is_object.map(|rest| format!("{start}{rest}")));
            if ids.len() > MAX_OBJECTS {
                return None;
            }
        }
    }
    (!ids.is_empty()).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_that_were_made_here_are_counted() {
        let root = tempfile::tempdir().unwrap();
        for directory in ["ab", "pack", "info"] {
            fs::create_dir(root.path().join(directory)).unwrap();
        }
        assert_eq!(loose(root.path()), None);
        for file in ["ab/cdef01", "ab/tmp_obj_x", "pack/pack-1.pack"] {
            fs::write(root.path().join(file), "").unwrap();
        }
        assert_eq!(loose(root.path()), Some(vec!["abcdef01".to_owned()]));
    }
}
