//! The paths that differ between two trees. File contents are never looked at, so that a mirror without them serves.

use std::{collections::VecDeque, ops::ControlFlow};

use gix_diff::tree::{
    Visit,
    visit::{Action, Change},
};
use gix_object::{
    bstr::{BStr, BString, ByteSlice as _},
    tree::EntryMode,
};

/// How many entries one comparison may visit: a few small trees can unfold into billions of paths.
pub(super) const MAX_ENTRIES: u64 = 1_000_000;

/// Hands each changed path to `found` while the trees are compared.
pub(super) struct Visitor<'a> {
    found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    path: BString,
    waiting: VecDeque<BString>,
    visited: u64,
}

impl<'a> Visitor<'a> {
    pub(super) fn new(found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Self {
        Self { found, path: BString::default(), waiting: VecDeque::new(), visited: 0 }
    }

    /// Whether the comparison ended because it had no end in sight.
    pub(super) fn is_exhausted(&self) -> bool {
        self.visited > MAX_ENTRIES
    }

    fn push(&mut self, component: &BStr) {
        if !component.is_empty() {
            if !self.path.is_empty() {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(component);
        }
    }
}

impl Visit for Visitor<'_> {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.waiting.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push(component);
        self.waiting.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.push(component);
    }

    fn pop_path_component(&mut self) {
        let end = self.path.rfind_byte(b'/').unwrap_or(0);
        self.path.truncate(end);
    }

    fn visit(&mut self, change: Change) -> Action {
        self.visited += 1;
        if self.is_exhausted() {
            return ControlFlow::Break(());
        }
        let is_tree = |mode: EntryMode| mode.is_tree();
        let directory = match &change {
            Change::Addition { entry_mode, .. } | Change::Deletion { entry_mode, .. } => {
                is_tree(*entry_mode)
            }
            Change::Modification { entry_mode, previous_entry_mode, .. } => {
                is_tree(*entry_mode) && is_tree(*previous_entry_mode)
            }
        };
        if directory { ControlFlow::Continue(()) } else { (self.found)(&self.path) }
    }
}
