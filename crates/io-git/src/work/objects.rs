//! The objects of a clone, read and written in process: its own and those it borrows.

use std::{
    collections::{BTreeSet, HashSet, VecDeque},
    fmt::Write as _,
    path::Path,
};

use gix_hash::ObjectId;
use gix_object::{Find as _, Kind, TreeRefIter, Write as _};

use super::{
    cone::{Cone, Share},
    error::WorkError,
};
use crate::history::Commit;

/// The largest object that is read: commits and trees are small.
const MAX_OBJECT: usize = 256 << 20;
/// Most files of one check-out.
const MAX_FILES: usize = 1_000_000;
/// Deeper directories than this are an attack on our stack.
const MAX_DEPTH: usize = 256;

/// The object database of one repository, for one thread.
pub(crate) struct Objects(gix_odb::Handle);

/// A commit that is about to be written.
pub(crate) struct Draft<'a> {
    pub(crate) tree: ObjectId,
    pub(crate) parents: &'a [ObjectId],
    /// Author and committer, as [`super::identity::Identity::line`] writes them.
    pub(crate) person: &'a str,
    pub(crate) message: &'a str,
}

impl Objects {
    pub(crate) fn open(repository: &Path, format: gix_hash::Kind) -> Result<Self, WorkError> {
        let options = gix_odb::store::init::Options {
            alloc_limit_bytes: Some(MAX_OBJECT),
            ..gix_odb::store::init::Options::default()
        };
        let handle = gix_odb::at_opts(repository.join("objects"), format, None, options);
        let mut handle =
            handle.map_err(|error| WorkError::local("the clone cannot be opened", &error))?;
        // A handle lives for one look. Without this each object that is not there would have all packs listed again.
        handle.refresh_never();
        Ok(Self(handle))
    }

    pub(crate) fn has(&self, id: ObjectId) -> bool {
        self.0.exists_without_refresh(&id)
    }

    /// The commit of this id.
    pub(crate) fn commit(&self, id: ObjectId) -> Result<Commit, WorkError> {
        let mut data = Vec::new();
        match self.find(id, &mut data)? {
            Kind::Commit => Commit::decode(id, &data)
                .ok_or_else(|| damaged(format!("commit {id} is malformed"))),
            kind => Err(damaged(format!("{id} is a {kind} where a commit was expected"))),
        }
    }

    /// The commit that `id`, a commit or a tag, leads to; `None` when it leads to none.
    pub(crate) fn peel(&self, mut id: ObjectId) -> Result<Option<ObjectId>, WorkError> {
        let mut data = Vec::new();
        for _ in 0..MAX_NESTING {
            match self.find(id, &mut data)? {
                Kind::Commit => return Ok(Some(id)),
                Kind::Tag => {
                    let target = gix_object::TagRefIter::from_bytes(&data, id.kind()).target_id();
                    id = target.map_err(|error| damaged(error.to_string()))?;
                }
                Kind::Tree | Kind::Blob => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The one commit whose id begins with `part`; `None` when there are several or none.
    pub(crate) fn find_abbreviated(&self, part: &str) -> Result<Option<ObjectId>, WorkError> {
        let prefix =
            gix_hash::Prefix::from_hex(part).map_err(|error| damaged(error.to_string()))?;
        let mut candidates = HashSet::new();
        let looked = self.0.lookup_prefix(prefix, Some(&mut candidates));
        looked.map_err(|error| damaged(error.to_string()))?;
        let mut data = Vec::new();
        let mut commits = Vec::new();
        for id in candidates {
            if self.find(id, &mut data)? == Kind::Commit {
                commits.push(id);
            }
        }
        Ok(match commits.as_slice() {
            [only] => Some(*only),
            _ => None,
        })
    }

    /// Whether `ancestor` is among the latest commits of `tip`. A `false` decides nothing.
    pub(crate) fn is_recent_ancestor(&self, ancestor: ObjectId, tip: ObjectId) -> bool {
        let mut next = VecDeque::from([tip]);
        let mut seen = BTreeSet::new();
        while let Some(id) = next.pop_front() {
            if id == ancestor {
                return true;
            }
            if seen.len() < RECENT
                && seen.insert(id)
                && let Ok(commit) = self.commit(id)
            {
                next.extend(commit.parents);
            }
        }
        false
    }

    /// The files that checking out `commit` needs and that are not here, and its submodules.
    pub(crate) fn survey(&self, commit: ObjectId, cone: &Cone) -> Result<Survey, WorkError> {
        let mut survey = Survey::default();
        let root = self.commit(commit)?.tree;
        self.walk(root, String::new(), 0, cone, &mut survey)?;
        Ok(survey)
    }

    fn walk(
        &self,
        tree: ObjectId,
        path: String,
        depth: usize,
        cone: &Cone,
        survey: &mut Survey,
    ) -> Result<(), WorkError> {
        let share = cone.share(&path);
        if share == Share::Nothing || tree == ObjectId::empty_tree(tree.kind()) {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(damaged(format!("its directories are nested deeper than {MAX_DEPTH}")));
        }
        let mut data = Vec::new();
        if self.find(tree, &mut data)? != Kind::Tree {
            return Err(damaged(format!("{tree} is not a tree")));
        }
        for entry in TreeRefIter::from_bytes(&data, tree.kind()) {
            let entry = entry.map_err(|error| damaged(error.to_string()))?;
            let below = || {
                let name = String::from_utf8_lossy(entry.filename);
                if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") }
            };
            if entry.mode.is_tree() {
                self.walk(entry.oid.to_owned(), below(), depth + 1, cone, survey)?;
            } else if entry.mode.is_commit() {
                survey.submodules.push((below(), entry.oid.to_owned()));
            } else {
                survey.files += 1;
                if survey.files > MAX_FILES {
                    return Err(damaged(format!("it has more than {MAX_FILES} files")));
                }
                if !self.has(entry.oid.to_owned()) {
                    survey.missing.push(entry.oid.to_owned());
                }
            }
        }
        Ok(())
    }

    /// The bytes of a file of `commit`; `None` when there is no such file or it is too large.
    pub(crate) fn file(
        &self,
        commit: ObjectId,
        name: &str,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, WorkError> {
        let mut data = Vec::new();
        let root = self.commit(commit)?.tree;
        if root == ObjectId::empty_tree(root.kind()) {
            return Ok(None);
        }
        self.find(root, &mut data)?;
        let mut entries = TreeRefIter::from_bytes(&data, root.kind()).filter_map(Result::ok);
        let found = entries.find(|entry| entry.filename == name && entry.mode.is_blob());
        let Some(id) = found.map(|entry| entry.oid.to_owned()) else { return Ok(None) };
        let mut content = Vec::new();
        self.find(id, &mut content)?;
        Ok((content.len() <= limit).then_some(content))
    }

    /// Writes a tag object, or a commit that was already put into words.
    pub(crate) fn write(&self, kind: Kind, text: &str) -> Result<ObjectId, WorkError> {
        let written = self.0.write_buf(kind, text.as_bytes());
        written.map_err(|error| WorkError::Local {
            what: "an object could not be written",
            reason: error.to_string(),
        })
    }

    /// Writes the tree without entries, which a clone may lack.
    pub(crate) fn write_empty_tree(&self) -> Result<ObjectId, WorkError> {
        self.write(Kind::Tree, "")
    }

    pub(super) fn find(&self, id: ObjectId, data: &mut Vec<u8>) -> Result<Kind, WorkError> {
        match self.0.try_find(&id, data) {
            Ok(Some(found)) => Ok(found.kind),
            Ok(None) => Err(damaged(format!("object {id} is missing"))),
            Err(error) => Err(damaged(error.to_string())),
        }
    }
}

/// What checking out a commit takes.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) missing: Vec<ObjectId>,
    /// Path and commit of each.
    pub(crate) submodules: Vec<(String, ObjectId)>,
    files: usize,
}

/// How many commits are searched for an ancestor before git is asked.
const RECENT: usize = 64;
/// A tag may point to a tag; nobody nests them deeper.
const MAX_NESTING: usize = 16;

impl Draft<'_> {
    /// The commit as text, to be signed or written.
    pub(crate) fn text(&self, signature: Option<&str>) -> String {
        let mut text = format!("tree {}\n", self.tree);
        for parent in self.parents {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "parent {parent}");
        }
        let _ = writeln!(text, "author {0}\ncommitter {0}", self.person);
        if let Some(signature) = signature {
            let header =
                if self.tree.kind() == gix_hash::Kind::Sha256 { "gpgsig-sha256" } else { "gpgsig" };
            let _ = writeln!(text, "{header} {}", signature.trim_end().replace('\n', "\n "));
        }
        let _ = write!(text, "\n{}", with_last_line(self.message));
        text
    }
}

/// A message as git keeps it: exactly the user's words, with the last line ended.
pub(crate) fn with_last_line(message: &str) -> String {
    let message = message.replace('\0', "");
    if message.ends_with('\n') { message } else { message + "\n" }
}

fn damaged(reason: String) -> WorkError {
    WorkError::Local { what: "the clone cannot be read", reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_folded_into_its_header() {
        let tree = ObjectId::empty_tree(gix_hash::Kind::Sha1);
        let draft = Draft { tree, parents: &[tree], person: "A <a@b> 1 +0000", message: "m" };
        assert_eq!(
            draft.text(Some("-----BEGIN\nx\n-----END\n")),
            format!(
                "tree {tree}\nparent {tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\
                 gpgsig -----BEGIN\n x\n -----END\n\nm\n"
            )
        );
    }

    #[test]
    fn a_message_keeps_its_words() {
        assert_eq!(with_last_line("a\n\n# b\n\n"), "a\n\n# b\n\n");
        assert_eq!(with_last_line("a"), "a\n");
    }
}
