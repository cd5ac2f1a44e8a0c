//! Which objects a stream or a list is about, and what of them is shown.

use std::sync::Arc;

use api_rest::sse::ChangeType;
use bytes::Bytes;
use core_rules::listing::View;

use crate::mirror::{Change, Object};

/// Says whether an object is one that the client asked for, and how it is shown.
#[derive(Clone)]
pub(crate) struct Filter {
    matches: Arc<dyn Fn(&Object) -> bool + Send + Sync>,
    view: View,
}

impl Filter {
    /// Those that `matches` says.
    pub(crate) fn new(matches: impl Fn(&Object) -> bool + Send + Sync + 'static) -> Self {
        Self { matches: Arc::new(matches), view: View::Whole }
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

    /// The same, shown so.
    pub(crate) fn shown_as(self, view: View) -> Self {
        Self { view, ..self }
    }

    /// Those of them that `matches` says, too.
    pub(crate) fn and(self, matches: impl Fn(&Object) -> bool + Send + Sync + 'static) -> Self {
        let Self { matches: before, view } = self;
        Self { matches: Arc::new(move |object| before(object) && matches(object)), view }
    }

    pub(crate) fn matches(&self, object: &Object) -> bool {
        (self.matches)(object)
    }

    /// The JSON of an object, as far as it is shown.
    pub(super) fn show(&self, object: &Object) -> Bytes {
        object.shown_as(&self.view)
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
