//! What becomes of an object whose owners are gone or going.

use std::sync::Arc;

use emb_meta::{ObjectExt, OwnerReference, Status};
use emb_store::Key;
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use super::{
    complaint::complain,
    dependents,
    owner::release_if_free,
    reference::{Owner, Standing, freed, owners},
    settled, waits_for_dependents,
};
use crate::{
    internal::Internal,
    object::delete::{FOREGROUND, ORPHAN},
    registry::Served,
    state::State,
};

const CONCURRENT: usize = 64;

/// Collects the dependents of an object that is gone.
pub(super) async fn collect_all(internal: &Internal, owner_uid: &Arc<str>) -> Result<(), Status> {
    stream::iter(dependents(&internal.state, owner_uid))
        .map(Ok)
        .try_for_each_concurrent(CONCURRENT, |key| async move { collect(internal, &key).await })
        .await
}

/// Looks at a new object: whether it names an owner that is not there.
pub(super) async fn has_absent_owner(internal: &Internal, key: &Key) -> bool {
    let state = &internal.state;
    let Some(entry) = state.store.get(key) else { return false };
    let owners = owners(state, key, &entry.value());
    complain(internal, &entry, &owners).await;
    owners.iter().any(|owner| owner.standing == Standing::Absent)
}

/// Deletes an object without a living owner; of one that still has some, forgets the others.
pub(super) async fn collect(internal: &Internal, key: &Key) -> Result<(), Status> {
    let state = &internal.state;
    let Some(entry) = state.store.get(key) else { return Ok(()) };
    let snapshot = state.registry.snapshot();
    let resource = &key.resource;
    let Some(served) = snapshot.find_stored(&resource.group, &resource.resource) else {
        return Ok(());
    };
    let object = entry.value();
    // What goes anyway is left alone.
    if object.is_terminating() {
        return Ok(());
    }
    let owners = owners(state, key, &object);
    let is = |standing: Standing| owners.iter().any(|owner| owner.standing == standing);
    if !is(Standing::Absent) && !is(Standing::Waiting) {
        return Ok(());
    }
    if is(Standing::Solid) {
        let patch = json!({ "metadata": {
            "ownerReferences": kept(&object, &owners),
            "resourceVersion": entry.revision.to_string(),
        }});
        return settled(internal.merge(served, key, "", &patch).await);
    }
    let dependents = dependents(state, &entry.uid);
    let policy = if is(Standing::Waiting) && !dependents.is_empty() {
        if dependents.iter().any(|dependent| waits(state, dependent)) {
            let unblocked = unblock(internal, served, key, &object).await;
            if let Ok(new) = &unblocked
                && new.resource_version() != object.resource_version()
            {
                release_free(internal, owners, &new.owner_references()).await?;
                return Box::pin(collect(internal, key)).await;
            }
            settled(unblocked)?;
        }
        // What an owner waits for is itself deleted in the foreground, so that the whole tree goes bottom up.
        "Foreground"
    } else {
        policy_of(&object)
    };
    settled(internal.delete(served, key, &entry.uid, policy).await)
}

/// Whether the object there waits for its dependents. One that is both below and above another would wait for itself.
fn waits(state: &State, key: &Key) -> bool {
    state.store.get(key).is_some_and(|entry| waits_for_dependents(&entry.value()))
}

/// Lets no owner wait for an object any more. Of a custom object all references say so then. Of a built-in one only those
/// that said the contrary are sent, and each is merged into the first reference to its owner.
async fn unblock(
    internal: &Internal,
    served: &Served,
    key: &Key,
    object: &Value,
) -> Result<Value, Status> {
    let mut references = without(object, &[]);
    if served.custom.is_none() {
        let blocks = Some(&Value::Bool(true));
        references.retain(|reference| reference.get("blockOwnerDeletion") == blocks);
    }
    for reference in references.iter_mut().filter_map(Value::as_object_mut) {
        reference.insert("blockOwnerDeletion".into(), false.into());
    }
    let patch = json!({ "metadata": { "ownerReferences": references } });
    match served.custom {
        Some(_) => internal.merge(served, key, "", &patch).await,
        None => internal.merge_by_keys(served, key, &patch).await,
    }
}

/// Lets those owners go first that the object has not held back, or holds back no more; what is left of them then decides.
async fn release_free(
    internal: &Internal,
    owners: Vec<Owner>,
    now: &[OwnerReference],
) -> Result<(), Status> {
    let held = owners.iter().filter(|owner| owner.reference.block_owner_deletion);
    let held: Vec<String> = held.map(|owner| owner.reference.uid.clone()).collect();
    let (held, mut free): (Vec<Owner>, Vec<Owner>) =
        owners.into_iter().partition(|owner| held.contains(&owner.reference.uid));
    free.extend(freed(held, now));
    for key in free.into_iter().filter_map(|owner| owner.key) {
        release_if_free(internal, &key).await?;
    }
    Ok(())
}

/// What becomes of the dependents of an object is what its finalizers ask for.
fn policy_of(object: &Value) -> &'static str {
    let has = |wanted: &str| object.finalizers().any(|finalizer| finalizer == wanted);
    if has(ORPHAN) {
        "Orphan"
    } else if has(FOREGROUND) {
        "Foreground"
    } else {
        "Background"
    }
}

fn kept(object: &Value, owners: &[Owner]) -> Vec<Value> {
    let gone: Vec<&str> = owners
        .iter()
        .filter(|owner| owner.standing != Standing::Solid)
        .map(|owner| owner.reference.uid.as_str())
        .collect();
    without(object, &gone)
}

/// The owner references of an object but those to `uids`.
pub(super) fn without(object: &Value, uids: &[&str]) -> Vec<Value> {
    let references = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    references
        .into_iter()
        .flatten()
        .filter(|reference| !uids.contains(&reference.text(&["uid"])))
        .cloned()
        .collect()
}
