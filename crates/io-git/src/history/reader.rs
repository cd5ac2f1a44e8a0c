//! Reads one mirror on one thread.
//!
//! Packs are mapped, not loaded, and history is walked commit by commit: memory does not grow with the repository.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::ControlFlow,
    path::Path,
    sync::Arc,
};

use gix_hash::ObjectId;
use gix_object::{Find, Kind, TreeRefIter};

use super::{
    changed_paths::{MAX_ENTRIES, Visitor},
    commit::{Annotation, Commit, Tag},
    known_changes::KnownChanges,
};
use crate::{error::Error, mirror::Mirror};

/// What decoded objects may take while deltas are resolved.
const PACK_CACHE: usize = 16 << 20;
/// The largest object that is read: commits, tags and trees are small.
const MAX_OBJECT: usize = 256 << 20;
/// A tag may point to a tag; nobody nests them deeper.
const MAX_NESTING: usize = 16;

/// A view of the refs that one fetch brought, and of everything behind them.
pub struct Reader {
    objects: gix_odb::Handle,
    buffers: RefCell<gix_diff::tree::State>,
    tips: Arc<BTreeMap<String, ObjectId>>,
    /// Where a shallow history ends: these commits count as having no parents.
    shallow: BTreeSet<ObjectId>,
    changes: Arc<KnownChanges>,
    /// The parent that a commit was last compared with: a walk asks for it next.
    parent: Cell<Option<Commit>>,
    mirror: Arc<Mirror>,
}

impl Reader {
    pub(crate) fn open(
        mirror: &Arc<Mirror>,
        tips: Arc<BTreeMap<String, ObjectId>>,
        changes: Arc<KnownChanges>,
    ) -> Result<Self, Error> {
        let directory = mirror.git_dir();
        let options = gix_odb::store::init::Options {
            alloc_limit_bytes: Some(MAX_OBJECT),
            ..gix_odb::store::init::Options::default()
        };
        let kind = tips.values().next().map_or(gix_hash::Kind::Sha1, ObjectId::kind);
        let objects = gix_odb::at_opts(directory.join("objects"), kind, None, options);
        let mut objects =
            objects.map_err(|error| Error::local("the mirror could not be opened", &error))?;
        objects.set_pack_cache(|| {
            Box::new(gix_pack::cache::lru::StaticLinkedList::<64>::new(PACK_CACHE))
        });
        Ok(Self {
            objects,
            buffers: RefCell::default(),
            tips,
            shallow: read_shallow(&directory),
            changes,
            parent: Cell::default(),
            mirror: mirror.clone(),
        })
    }

    /// The object a fetched ref points to.
    pub fn tip(&self, name: &str) -> Result<ObjectId, Error> {
        self.tips.get(name).copied().ok_or_else(|| Error::NoSuchRef {
            repository: self.mirror.repository(),
            name: name.to_owned(),
        })
    }

    /// The commit of this id.
    pub fn commit(&self, id: ObjectId) -> Result<Commit, Error> {
        if let Some(parent) = self.parent.take().filter(|parent| parent.id == id) {
            return Ok(parent);
        }
        let mut data = Vec::new();
        match self.find(id, &mut data)? {
            Kind::Commit => self.decode_commit(id, &data),
            kind => Err(self.damaged(format!("{id} is a {kind} where a commit was expected"))),
        }
    }

    /// The commit an object leads to, through tags; `None` when it leads to something else.
    pub fn commit_at(&self, id: ObjectId) -> Result<Option<Commit>, Error> {
        let mut data = Vec::new();
        let mut id = id;
        for _ in 0..MAX_NESTING {
            match self.kind_of(id)? {
                Some(Kind::Commit) => return self.commit(id).map(Some),
                Some(Kind::Tag) => {
                    self.find(id, &mut data)?;
                    id = self.annotation(id, &data)?.target;
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The tag of a fetched ref, named in full; `None` when it leads to something that is not a commit.
    pub fn tag(&self, name: &str) -> Result<Option<Tag>, Error> {
        let id = self.tip(name)?;
        // What a tag points to may be a file, which a mirror without file contents does not hold.
        let Some(kind) = self.kind_of(id)? else { return Ok(None) };
        let annotation = match kind {
            Kind::Tag => {
                let mut data = Vec::new();
                self.find(id, &mut data)?;
                Some(self.annotation(id, &data)?)
            }
            _ => None,
        };
        let Some(commit) = self.commit_at(id)? else { return Ok(None) };
        let short = name.strip_prefix("refs/tags/").unwrap_or(name).to_owned();
        Ok(Some(match annotation {
            Some(annotation) => Tag {
                name: short,
                created_at: annotation.created_at.unwrap_or(commit.committed_at),
                tagger: annotation.tagger,
                annotation: annotation.subject,
                commit,
            },
            None => Tag {
                name: short,
                created_at: commit.committed_at,
                tagger: None,
                annotation: String::new(),
                commit,
            },
        }))
    }

    /// The history of `tip` along first parents, newest first, read as it is asked for.
    pub fn first_parents(&self, tip: ObjectId) -> FirstParents<'_> {
        FirstParents { reader: self, next: Some(tip) }
    }

    /// Hands each path that differs between a commit and its first parent to `found`, until that says stop. Of a move both
    /// ends are named; of a commit without parent, all there are.
    pub fn each_changed_path(
        &self,
        commit: &Commit,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut before = Vec::new();
        if let Some(parent) = commit.parents.first() {
            let parent = self.commit(*parent)?;
            self.find_tree(parent.tree, &mut before)?;
            self.parent.set(Some(parent));
        }
        let mut after = Vec::new();
        self.find_tree(commit.tree, &mut after)?;
        let kind = commit.id.kind();
        let mut visitor = Visitor::new(found);
        let compared = gix_diff::tree(
            TreeRefIter::from_bytes(&before, kind),
            TreeRefIter::from_bytes(&after, kind),
            &mut *self.buffers.borrow_mut(),
            &self.objects,
            &mut visitor,
        );
        match compared {
            _ if visitor.is_exhausted() => Err(Error::TooLarge {
                repository: self.mirror.repository(),
                limit: MAX_ENTRIES,
                unit: "changed paths in one commit",
            }),
            Ok(()) | Err(gix_diff::tree::Error::Cancelled) => Ok(()),
            Err(error) => Err(self.damaged(error.to_string())),
        }
    }

    /// All paths that differ between a commit and its first parent. Bytes that are not text are replaced.
    pub fn changed_paths(&self, commit: &Commit) -> Result<Vec<String>, Error> {
        // Where a shallow history ends, a commit seems to change everything; elsewhere it does not.
        let changes = (!self.shallow.contains(&commit.id)).then_some(&self.changes);
        if let Some(paths) = changes.and_then(|changes| changes.get(&commit.id)) {
            return Ok(paths.to_vec());
        }
        let mut paths = Vec::new();
        self.each_changed_path(commit, &mut |path| {
            paths.push(String::from_utf8_lossy(path).into_owned());
            ControlFlow::Continue(())
        })?;
        if let Some(changes) = changes {
            changes.remember(commit.id, &paths);
        }
        Ok(paths)
    }

    fn kind_of(&self, id: ObjectId) -> Result<Option<Kind>, Error> {
        let header = gix_odb::Header::try_header(&self.objects, &id);
        let header = header.map_err(|error| self.damaged(error.to_string()))?;
        Ok(header.map(|header| header.kind()))
    }

    fn decode_commit(&self, id: ObjectId, data: &[u8]) -> Result<Commit, Error> {
        let commit = Commit::decode(id, data);
        let mut commit = commit.ok_or_else(|| self.damaged(format!("commit {id} is malformed")))?;
        if self.shallow.contains(&id) {
            commit.parents.clear();
        }
        Ok(commit)
    }

    fn annotation(&self, id: ObjectId, data: &[u8]) -> Result<Annotation, Error> {
        let annotation = Annotation::decode(data);
        annotation.ok_or_else(|| self.damaged(format!("tag {id} is malformed")))
    }

    fn find_tree(&self, id: ObjectId, data: &mut Vec<u8>) -> Result<(), Error> {
        if id == ObjectId::empty_tree(id.kind()) {
            data.clear();
            return Ok(());
        }
        match self.find(id, data)? {
            Kind::Tree => Ok(()),
            kind => Err(self.damaged(format!("{id} is a {kind} where a tree was expected"))),
        }
    }

    fn find(&self, id: ObjectId, data: &mut Vec<u8>) -> Result<Kind, Error> {
        match self.objects.try_find(&id, data) {
            Ok(Some(found)) => Ok(found.kind),
            Ok(None) => Err(self.damaged(format!("object {id} is missing"))),
            Err(error) => Err(self.damaged(error.to_string())),
        }
    }

    /// Remembers the damage, so that the next fetch builds the mirror again.
    fn damaged(&self, reason: String) -> Error {
        self.mirror.mark_damaged();
        Error::Corrupt { repository: self.mirror.repository(), reason }
    }
}

/// The history along first parents.
pub struct FirstParents<'r> {
    reader: &'r Reader,
    next: Option<ObjectId>,
}

impl Iterator for FirstParents<'_> {
    type Item = Result<Commit, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.next.take()?;
        let commit = self.reader.commit(id);
        self.next = commit.as_ref().ok().and_then(|commit| commit.parents.first().copied());
        Some(commit)
    }
}

fn read_shallow(directory: &Path) -> BTreeSet<ObjectId> {
    let text = fs::read_to_string(directory.join("shallow")).unwrap_or_default();
    text.lines().filter_map(|line| ObjectId::from_hex(line.trim().as_bytes()).ok()).collect()
}
