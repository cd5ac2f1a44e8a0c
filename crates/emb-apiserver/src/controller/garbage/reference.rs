//! What an owner reference points to.

use emb_meta::{GroupVersion, ObjectExt, OwnerReference, Scope};
use emb_store::Key;
use serde_json::Value;

use super::waits_for_dependents;
use crate::state::State;

/// The owner that a reference names.
pub(super) struct Owner {
    pub(super) reference: OwnerReference,
    /// Where it is stored; `None` when its kind is not served or cannot own this object.
    pub(super) key: Option<Key>,
    /// Where owners of its kind live; `None` when it is not served.
    scope: Option<Scope>,
    pub(super) standing: Standing,
}

impl Owner {
    /// Whether an object outside of all namespaces names an owner inside one, which cannot be.
    pub(super) fn is_impossible(&self, dependent: &Key) -> bool {
        self.scope == Some(Scope::Namespaced) && dependent.namespace.is_empty()
    }
}

/// How an owner stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is there, or nobody can tell.
    Solid,
    /// It is not there, or another object has its name.
    Absent,
    /// It is being deleted and waits for its dependents.
    Waiting,
}

/// The owners of an object.
pub(super) fn owners(state: &State, dependent: &Key, object: &Value) -> Vec<Owner> {
    object
        .owner_references()
        .into_iter()
        .map(|reference| owner(state, dependent, reference))
        .collect()
}

/// The owners that an object held back before, and does not hold back by what it names now. Of references to one owner the
/// last one counts of those before, and the first one now.
pub(super) fn freed(before: Vec<Owner>, now: &[OwnerReference]) -> impl Iterator<Item = Owner> {
    let mut last: Vec<Owner> = Vec::with_capacity(before.len());
    for owner in before {
        last.retain(|other| other.reference.uid != owner.reference.uid);
        last.push(owner);
    }
    last.into_iter().filter(move |owner| {
        let first = now.iter().find(|reference| reference.uid == owner.reference.uid);
        owner.reference.block_owner_deletion
            && !first.is_some_and(|reference| reference.block_owner_deletion)
    })
}

fn owner(state: &State, dependent: &Key, reference: OwnerReference) -> Owner {
    let (scope, key) = owner_key(state, dependent, &reference);
    let standing = key.as_ref().map_or(Standing::Solid, |key| match state.store.get(key) {
        Some(entry) if *entry.uid == *reference.uid => {
            if waits_for_dependents(&entry.value()) {
                Standing::Waiting
            } else {
                Standing::Solid
            }
        }
        _ => Standing::Absent,
    });
    Owner { reference, key, scope, standing }
}

fn owner_key(
    state: &State,
    dependent: &Key,
    reference: &OwnerReference,
) -> (Option<Scope>, Option<Key>) {
    let Some(version) = GroupVersion::parse(&reference.api_version) else { return (None, None) };
    let snapshot = state.registry.snapshot();
    let Some(served) = snapshot.find_kind(&version.group, &reference.kind) else {
        return (None, None);
    };
    let scope = served.resource.scope;
    let key = match scope {
        Scope::Cluster => Some(served.key("", &reference.name)),
        // A cluster-scoped object cannot be owned from inside a namespace; it is never collected.
        Scope::Namespaced if dependent.namespace.is_empty() => None,
        Scope::Namespaced => Some(served.key(&dependent.namespace, &reference.name)),
    };
    (Some(scope), key)
}
