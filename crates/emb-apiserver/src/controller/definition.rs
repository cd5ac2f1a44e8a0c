//! A definition that is deleted takes its objects with it: they go first, their finalizers are honoured. The names it
//! held are then free for others.

use std::sync::{Arc, Weak};

use emb_kinds::crd::CLEANUP_FINALIZER;
use emb_meta::{ObjectExt, Reason, Status};
use emb_store::{Change, Entry, Range};
use serde_json::json;

use super::{Queue, again};
use crate::{
    internal::Internal,
    object::kind,
    registry::{DEFINITIONS, Served},
    state::State,
};

/// What there may be to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// A definition is being deleted.
    Finalize(String),
    /// Names of a group have become free.
    Names(String),
}

/// Work for the controller.
pub(super) struct Feed {
    state: Weak<State>,
    queue: Queue<Work>,
}

impl Feed {
    pub(super) fn new(state: &Arc<State>) -> Self {
        Self { state: Arc::downgrade(state), queue: Queue::default() }
    }
}

impl super::Feed for Feed {
    fn note(&self, change: Change, entry: &Entry) {
        if entry.key.resource == *DEFINITIONS {
            let object = entry.value();
            if change == Change::Deleted {
                self.queue.push(Work::Names(object.text(&["spec", "group"]).to_owned()));
            } else if object.is_terminating() {
                self.queue.push(Work::Finalize(entry.key.name.to_string()));
            }
        } else if change == Change::Deleted
            && let Some(state) = self.state.upgrade()
        {
            let resource = &entry.key.resource;
            let snapshot = state.registry.snapshot();
            let served = snapshot.find_stored(&resource.group, &resource.resource);
            let custom = served.and_then(|served| served.custom.as_ref());
            if let Some(custom) = custom.filter(|custom| custom.terminating) {
                self.queue.push(Work::Finalize(custom.definition.clone()));
            }
        }
    }
}

/// Runs until the server stops.
pub(super) async fn run(state: Arc<State>, feed: Arc<Feed>) {
    let internal = Internal::new(&state, "crd-finalizer");
    loop {
        let work = feed.queue.pop().await;
        let result = match &work {
            Work::Finalize(name) => finalize(&internal, name).await,
            Work::Names(group) => accept_names(&internal, group).await,
        };
        if let Err(status) = result {
            tracing::warn!(?work, %status, "custom resource definition cannot be kept in order");
            let feed = feed.clone();
            again(&state, move || feed.queue.push(work));
        }
    }
}

async fn finalize(internal: &Internal, name: &str) -> Result<(), Status> {
    let state = &internal.state;
    let snapshot = state.registry.snapshot();
    let Some(definitions) =
        snapshot.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    else {
        return Ok(());
    };
    let key = definitions.key("", name);
    let Some(entry) = state.store.get(&key) else { return Ok(()) };
    let object = entry.value();
    let waits = object.finalizers().any(|finalizer| finalizer == CLEANUP_FINALIZER);
    if !object.is_terminating() || !waits {
        return Ok(());
    }
    let instances = snapshot
        .iter()
        .find(|served| served.custom.as_ref().is_some_and(|custom| custom.definition == name));
    if let Some(served) = instances
        && delete_instances(internal, served).await? > 0
    {
        return Ok(());
    }
    let finalizers: Vec<&str> =
        object.finalizers().filter(|finalizer| *finalizer != CLEANUP_FINALIZER).collect();
    let patch = json!({ "metadata": {
        "finalizers": finalizers, "resourceVersion": entry.revision.to_string()
    }});
    match internal.merge(definitions, &key, "", &patch).await {
        // Changed meanwhile: its event brings it back.
        Err(status) if matches!(status.reason, Reason::Conflict | Reason::NotFound) => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Looks again at the definitions of a group, which may have waited for names.
async fn accept_names(internal: &Internal, group: &str) -> Result<(), Status> {
    let state = &internal.state;
    let snapshot = state.registry.snapshot();
    let Some(definitions) =
        snapshot.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    else {
        return Ok(());
    };
    for entry in state.store.list(&DEFINITIONS, Range::default()).entries {
        let mut object = definitions.value(&entry);
        let waits = object.text(&["spec", "group"]) == group && !object.is_terminating();
        if !waits || !kind::accept_names(state, &mut object) {
            continue;
        }
        match internal.update(definitions, &object, "status").await {
            // Changed meanwhile, by a write that looked at the names itself.
            Err(status) if matches!(status.reason, Reason::Conflict | Reason::NotFound) => {}
            other => drop(other?),
        }
    }
    Ok(())
}

/// Asks every instance to go; returns how many are still there.
async fn delete_instances(internal: &Internal, served: &Arc<Served>) -> Result<usize, Status> {
    let store = &internal.state.store;
    internal.delete_all(served, store.list(&served.storage, Range::default()).entries).await?;
    Ok(store.count(&served.storage))
}
