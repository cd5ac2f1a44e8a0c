//! Which objects a stream is about.

use std::sync::Arc;

use api_rest::sse::ChangeType;

use crate::mirror::{Change, Object};

/// Says whether an object is one that the client asked for.
#[derive(Clone)]
pub(crate) struct Filter(Arc<dyn Fn(&Object) -> bool + Send + Sync>);

impl Filter {
    /// Those that `matches` says.
    pub(crate) fn new(matches: impl Fn(&Object) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(matches))
    }

    /// All of the namespace.
    pub(crate) fn all() -> Self {
        Self::new(|_| true)
    }

    /// One by its name.
    pub(crate) fn name(name: &str) -> Self {
        let name = name.to_owned();
        Self::new(move |object| object.name == name)
    }

    pub(crate) fn matches(&self, object: &Object) -> bool {
        (self.0)(object)
    }

    /// What a change means to the client; `None` when nothing.
    pub(super) fn meaning(&self, change: &Change) -> Option<ChangeType> {
        let before = change.old.as_ref().is_some_and(|old| self.matches(old));
        let after = !change.is_deleted && self.matches(&change.new);
        match (before, after) {
            (false, false) => None,
            (false, true) => Some(ChangeType::Added),
            (true, true) => Some(ChangeType::Modified),
            (true, false) => Some(ChangeType::Deleted),
        }
    }
}
