//! A namespace that is deleted is emptied first, kind by kind.
//!
//! The order matters: what the embedding program names goes first and one after the other, accounts and permissions last,
//! so that the controllers that hold finalizers can still act while there is something to finalize.

mod condition;

use std::{collections::BTreeMap, sync::Arc};

use emb_meta::{ObjectExt, Reason, Scope, Status};
use emb_store::{Change, Entry, Range};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::{Queue, again};
use crate::{internal::Internal, registry::Served, state::State};

/// What goes last, so that permissions outlive what they permit.
const LAST: [(&str, &str); 3] = [
    ("", "serviceaccounts"),
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "rolebindings"),
];

/// Names of namespaces that may have something to do.
#[derive(Default)]
pub(super) struct Feed {
    terminating: Mutex<BTreeSet<Arc<str>>>,
    queue: Queue<Arc<str>>,
}

impl super::Feed for Feed {
    fn note(&self, change: Change, entry: &Entry) {
        let key = &entry.key;
        let is_namespace = key.resource.group.is_empty() && &*key.resource.resource == "namespaces";
        if is_namespace {
            if change == Change::Deleted {
                self.terminating.lock().remove(&key.name);
            } else if entry.value().is_terminating() {
                self.terminating.lock().insert(key.name.clone());
                self.queue.push(key.name.clone());
            }
        } else if change == Change::Deleted
            && !key.namespace.is_empty()
            && self.terminating.lock().contains(&key.namespace)
        {
            self.queue.push(key.namespace.clone());
        }
    }
}

/// What is left in a namespace, after everything was asked to go.
#[derive(Default)]
struct Remaining {
    /// The names of the objects of each resource.
    objects: BTreeMap<String, Vec<Arc<str>>>,
    /// How many objects wait for each finalizer.
    finalizers: BTreeMap<String, usize>,
}

/// Runs until the server stops.
pub(super) async fn run(state: Arc<State>, feed: Arc<Feed>) {
    let internal = Internal::new(&state, "namespace-controller");
    loop {
        let name = feed.queue.pop().await;
        if let Err(status) = finalize(&internal, &name).await {
            tracing::warn!(namespace = &*name, %status, "namespace cannot be finalized");
            let feed = feed.clone();
            again(&state, move || feed.queue.push(name));
        }
    }
}

async fn finalize(internal: &Internal, name: &str) -> Result<(), Status> {
    let state = &internal.state;
    let snapshot = state.registry.snapshot();
    let Some(namespaces) = snapshot.find("", "v1", "namespaces") else { return Ok(()) };
    let Some(entry) = state.store.get(&namespaces.key("", name)) else { return Ok(()) };
    let namespace = namespaces.value(&entry);
    if !namespace.is_terminating() || spec_finalizers(&namespace).next().is_none() {
        return Ok(());
    }
    let mut remaining = Remaining::default();
    for wave in waves(state) {
        for served in &wave {
            empty(internal, served, name, &mut remaining).await?;
        }
        if !remaining.objects.is_empty() {
            break;
        }
    }
    let result = if remaining.objects.is_empty() {
        let mut finalized = namespace.clone();
        if let Some(members) = finalized.as_object_mut() {
            members.insert("spec".into(), json!({}));
        }
        internal.update(namespaces, &finalized, "finalize").await
    } else {
        let conditions = condition::conditions(&namespace, &remaining, state.clock.now());
        let patch = json!({ "status": { "conditions": conditions } });
        internal.merge(namespaces, &entry.key, "status", &patch).await
    };
    match result {
        Err(status) if !matches!(status.reason, Reason::NotFound | Reason::Conflict) => Err(status),
        _ => Ok(()),
    }
}

fn spec_finalizers(namespace: &Value) -> impl Iterator<Item = &str> {
    let list = namespace.pointer("/spec/finalizers").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

/// The namespaced resources in the order in which they go; each wave waits for the one before.
fn waves(state: &State) -> Vec<Vec<Arc<Served>>> {
    let snapshot = state.registry.snapshot();
    let mut stored: BTreeMap<(String, String), Arc<Served>> = BTreeMap::new();
    for served in snapshot.iter() {
        if served.resource.scope == Scope::Namespaced && served.resource.is_stored() {
            let key = (served.storage.group.to_string(), served.storage.resource.to_string());
            stored.entry(key).or_insert_with(|| served.clone());
        }
    }
    let mut take = |group: &str, resource: &str| {
        stored.remove(&(group.to_owned(), resource.to_owned())).into_iter().collect::<Vec<_>>()
    };
    let mut waves: Vec<Vec<Arc<Served>>> =
        state.deletion_order.iter().map(|first| take(&first.group, &first.resource)).collect();
    let last = LAST.iter().flat_map(|(group, resource)| take(group, resource)).collect();
    waves.push(stored.into_values().collect());
    waves.push(last);
    waves
}

/// Asks every object of a resource to go, and notes what stays.
async fn empty(
    internal: &Internal,
    served: &Arc<Served>,
    namespace: &str,
    remaining: &mut Remaining,
) -> Result<(), Status> {
    let store = &internal.state.store;
    let list = || {
        let range = Range { namespace: Some(namespace), ..Range::default() };
        store.list(&served.storage, range).entries
    };
    internal.delete_all(served, list()).await?;
    let left = list();
    if left.is_empty() {
        return Ok(());
    }
    let names = left.iter().map(|entry| entry.key.name.clone()).collect();
    remaining.objects.insert(served.group_resource.to_string(), names);
    for entry in left {
        for finalizer in entry.value().finalizers() {
            *remaining.finalizers.entry(finalizer.to_owned()).or_default() += 1;
        }
    }
    Ok(())
}
