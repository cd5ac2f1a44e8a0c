//! Owners that wait: for their dependents to go, or to be let go.

use emb_meta::{ObjectExt, Status};
use emb_store::{Entry, Key};
use serde_json::json;

use super::{dependent, dependents, settled, waits_for_dependents};
use crate::{
    internal::Internal,
    object::delete::{FOREGROUND, ORPHAN},
};

/// Does what an owner waits for and takes its finalizer off when that is done.
pub(super) async fn release(internal: &Internal, key: &Key) -> Result<(), Status> {
    let state = &internal.state;
    let Some(entry) = state.store.get(key) else { return Ok(()) };
    let object = entry.value();
    if !object.is_terminating() {
        return Ok(());
    }
    if object.finalizers().any(|finalizer| finalizer == ORPHAN) {
        orphan_dependents(internal, &entry.uid).await?;
        return drop_finalizer(internal, &entry, ORPHAN).await;
    }
    if waits_for_dependents(&object) {
        dependent::collect_all(internal, &entry.uid).await?;
        return release_if_free(internal, key).await;
    }
    Ok(())
}

/// Lets an owner go that waits for its dependents, if none of them holds it any more.
pub(super) async fn release_if_free(internal: &Internal, key: &Key) -> Result<(), Status> {
    let Some(entry) = internal.state.store.get(key) else { return Ok(()) };
    if !waits_for_dependents(&entry.value()) || is_blocked(internal, &entry.uid) {
        return Ok(());
    }
    drop_finalizer(internal, &entry, FOREGROUND).await
}

/// Whether a dependent that must go first is still there.
fn is_blocked(internal: &Internal, uid: &str) -> bool {
    let state = &internal.state;
    dependents(state, uid).iter().filter_map(|key| state.store.get(key)).any(|entry| {
        let references = entry.value().owner_references();
        references.iter().any(|reference| reference.uid == uid && reference.block_owner_deletion)
    })
}

async fn orphan_dependents(internal: &Internal, uid: &str) -> Result<(), Status> {
    let state = &internal.state;
    let snapshot = state.registry.snapshot();
    for key in dependents(state, uid) {
        let resource = &key.resource;
        let served = snapshot.find_stored(&resource.group, &resource.resource);
        let (Some(served), Some(entry)) = (served, state.store.get(&key)) else { continue };
        let patch = json!({ "metadata": {
            "ownerReferences": dependent::without(&entry.value(), &[uid]),
            "uid": &*entry.uid,
        }});
        settled(internal.merge(served, &key, "", &patch).await)?;
    }
    Ok(())
}

async fn drop_finalizer(internal: &Internal, entry: &Entry, finalizer: &str) -> Result<(), Status> {
    let resource = &entry.key.resource;
    let snapshot = internal.state.registry.snapshot();
    let Some(served) = snapshot.find_stored(&resource.group, &resource.resource) else {
        return Ok(());
    };
    let object = entry.value();
    let kept: Vec<&str> = object.finalizers().filter(|kept| *kept != finalizer).collect();
    let patch = json!({ "metadata": {
        "finalizers": kept, "resourceVersion": entry.revision.to_string()
    }});
    settled(internal.merge(served, &entry.key, "", &patch).await)
}
