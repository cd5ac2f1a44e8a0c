//! What a server says it has.

use std::sync::Arc;

use gix_hash::ObjectId;
use url::Url;

use crate::wire::Connection;

/// One ref of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The full name: `HEAD`, `refs/heads/main`, `refs/tags/v1`.
    pub name: String,
    /// The object it points to; of an annotated tag, the tag object.
    pub id: ObjectId,
    /// What an annotated tag leads to in the end.
    pub peeled: Option<ObjectId>,
}

/// The refs that were asked for, sorted by name. Over SSH the connection stays open while they are held.
#[derive(Clone, Debug)]
pub struct Refs {
    entries: Vec<Ref>,
    head: Option<String>,
    pub(crate) server: Server,
}

/// What listing taught about the server; a fetch needs it.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// Where the repository really is, after redirects; `None` when it is where the URL says.
    pub(crate) moved_to: Option<Url>,
    /// Whether it can leave out file contents.
    pub(crate) filter: bool,
    pub(crate) object_format: gix_hash::Kind,
    /// The log-in that listed, over SSH.
    pub(crate) connection: Option<Arc<Connection>>,
}

impl Refs {
    pub(crate) fn new(mut entries: Vec<Ref>, head: Option<String>, server: Server) -> Self {
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|a, b| a.name == b.name);
        Self { entries, head, server }
    }

    /// All refs, sorted by name.
    pub fn iter(&self) -> std::slice::Iter<'_, Ref> {
        self.entries.iter()
    }

    /// The ref of this full name.
    pub fn get(&self, name: &str) -> Option<&Ref> {
        let at = self.entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok()?;
        self.entries.get(at)
    }

    /// The branch that `HEAD` stands for, when `HEAD` was asked for; known even when that branch has no commit yet.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

impl<'a> IntoIterator for &'a Refs {
    type Item = &'a Ref;
    type IntoIter = std::slice::Iter<'a, Ref>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
