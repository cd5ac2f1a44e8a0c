//! Owners by the uids that they have on the target.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::Value;

use crate::object::{self, Key};

/// Which uid an object of the source has on the target.
///
/// A restore is one task, so that nothing here is shared between threads.
#[derive(Default)]
pub(super) struct Owners {
    uids: RefCell<BTreeMap<String, String>>,
    late: RefCell<BTreeSet<Key>>,
}

impl Owners {
    /// Remembers what an object is called on the target.
    pub(super) fn learn(&self, source: &Value, target: &Value) {
        let (old, new) = (object::uid(source).to_owned(), object::uid(target).to_owned());
        self.uids.borrow_mut().insert(old, new);
    }

    /// The owner references as the target has to have them, or `None` as long as an owner is not there.
    pub(super) fn references(&self, object: &Value) -> Option<Vec<Value>> {
        let uids = self.uids.borrow();
        let translate = |owner: &Value| {
            let mut owner = owner.clone();
            let uid = uids.get(object::text(&owner, "/uid"))?.clone();
            owner.as_object_mut()?.insert("uid".to_owned(), uid.into());
            Some(owner)
        };
        object::owners(object).iter().map(translate).collect()
    }

    /// Notes an object that came before one of its owners.
    pub(super) fn postpone(&self, key: Key) {
        self.late.borrow_mut().insert(key);
    }

    /// The objects that came before one of their owners.
    pub(super) fn take_late(&self) -> BTreeSet<Key> {
        self.late.take()
    }
}
