//! Garbage collection: objects whose owners are all gone go too, owners deleted in the foreground wait for their
//! dependents, orphaned dependents forget their owner.

mod complaint;
mod dependent;
mod owner;
mod reference;

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use emb_meta::{ObjectExt, Reason, Status};
use emb_store::{Change, Entry, Key};
use futures::FutureExt;
use serde_json::Value;

use super::{Queue, again};
use crate::{
    internal::Internal,
    object::delete::{FOREGROUND, ORPHAN},
    state::State,
};

/// How long a dependent may point to an owner that is not there: a restore may bring children before their parents.
const ABSENCE_GRACE: Duration = Duration::from_secs(2);
/// The member of an owner reference by which an object holds its owner back.
const BLOCKS: &str = "blockOwnerDeletion";

/// Work for the collector. Owners come first: their finalizers decide what happens to their dependents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// A terminating object that waits for its dependents.
    Owner(Key),
    /// Dependents of an object that is gone, by its uid.
    Gone(Arc<str>),
    /// A new dependent, whose owners should exist.
    New(Key),
    /// A dependent whose owners did not exist a while ago.
    Overdue(Key),
}

/// What the collector has to look at.
pub(super) struct Feed {
    state: Weak<State>,
    queue: Queue<Work>,
}

impl Feed {
    pub(super) fn new(state: &Arc<State>) -> Self {
        Self { state: Arc::downgrade(state), queue: Queue::default() }
    }

    fn note_present(&self, entry: &Entry) {
        if !entry.owners.is_empty() {
            self.queue.push(Work::New(entry.key.clone()));
        }
        // Finalizers are few; a look at the bytes spares parsing every write.
        if contains(&entry.body, FOREGROUND) || contains(&entry.body, ORPHAN) {
            let object = entry.value();
            if object.is_terminating()
                && object.finalizers().any(|f| f == FOREGROUND || f == ORPHAN)
            {
                self.queue.push(Work::Owner(entry.key.clone()));
            }
        }
    }

    fn note_gone(&self, entry: &Entry) {
        let Some(state) = self.state.upgrade() else { return };
        if !dependents(&state, &entry.uid).is_empty() {
            self.queue.push(Work::Gone(entry.uid.clone()));
        }
        if !entry.owners.is_empty() {
            for owner in reference::owners(&state, &entry.key, &entry.value()) {
                self.queue.extend(owner.key.map(Work::Owner));
            }
        }
    }
}

impl super::Feed for Feed {
    fn note(&self, change: Change, entry: &Entry) {
        if is_left_alone(&entry.key) {
            return;
        }
        match change {
            Change::Created | Change::Updated => self.note_present(entry),
            Change::Deleted => self.note_gone(entry),
        }
    }

    /// Owners that this object held back, and holds back no more, may have waited for nothing else.
    fn note_replaced(&self, previous: &Entry, entry: &Entry) {
        if is_left_alone(&entry.key) || !contains(&previous.body, BLOCKS) {
            return;
        }
        let Some(state) = self.state.upgrade() else { return };
        let before = reference::owners(&state, &previous.key, &previous.value());
        let now = entry.value().owner_references();
        let freed = reference::freed(before, &now).filter_map(|owner| owner.key);
        self.queue.extend(freed.map(Work::Owner));
    }
}

/// What depends on an object and is for the collector to look at.
fn dependents(state: &State, owner_uid: &str) -> Vec<Key> {
    let mut keys = state.store.dependents(owner_uid);
    keys.retain(|key| !is_left_alone(key));
    keys
}

/// Events expire by themselves, whatever owns them.
fn is_left_alone(key: &Key) -> bool {
    key.resource.group.is_empty() && &*key.resource.resource == "events"
}

/// Runs until the server stops.
pub(super) async fn run(state: Arc<State>, feed: Arc<Feed>) {
    let internal = Internal::new(&state, "generic-garbage-collector")
        .in_the_name_of("kube-controller-manager");
    loop {
        let work = feed.queue.pop().await;
        let result = match work.clone() {
            Work::Owner(key) => owner::release(&internal, &key).await,
            Work::Gone(uid) => dependent::collect_all(&internal, &uid).await,
            Work::New(key) => {
                if dependent::has_absent_owner(&internal, &key).await {
                    look_again_later(&state, &feed, key);
                }
                Ok(())
            }
            Work::Overdue(key) => dependent::collect(&internal, &key).await,
        };
        if let Err(status) = result {
            tracing::warn!(?work, %status, "garbage cannot be collected");
            let feed = feed.clone();
            again(&state, move || feed.queue.push(work));
        }
    }
}

fn look_again_later(state: &Arc<State>, feed: &Arc<Feed>, key: Key) {
    let sleep = state.clock.sleep(ABSENCE_GRACE);
    let feed = feed.clone();
    let wait = sleep.map(move |()| feed.queue.push(Work::Overdue(key)));
    let task = futures::future::select(wait, state.tasks.stopping()).map(|_| ()).boxed();
    state.tasks.spawn("garbage-grace", task);
}

/// Whether an object is being deleted in the foreground: it goes after its dependents.
fn waits_for_dependents(object: &Value) -> bool {
    object.is_terminating() && object.finalizers().any(|finalizer| finalizer == FOREGROUND)
}

/// What another writer did first is not an error: its event brings the object back.
fn settled(result: Result<Value, Status>) -> Result<(), Status> {
    match result {
        Err(status) if !matches!(status.reason, Reason::NotFound | Reason::Conflict) => Err(status),
        _ => Ok(()),
    }
}

fn contains(body: &[u8], word: &str) -> bool {
    memchr::memmem::find(body, word.as_bytes()).is_some()
}
