//! What time does to stored objects: events expire.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use emb_meta::GroupResource;
use emb_store::{Entry, Expect, Op, Range};

use crate::state::State;

const INTERVAL: Duration = Duration::from_secs(30);
/// Deletes that share a commit.
const BATCH: usize = 500;

/// Runs until the server stops.
pub(super) async fn run(state: Arc<State>) {
    loop {
        state.clock.sleep(INTERVAL).await;
        expire_events(&state).await;
    }
}

/// Deletes events that were not written for their time to live, and the oldest of namespaces with too many.
async fn expire_events(state: &State) {
    let events = GroupResource::new("", "events");
    let listing = state.store.list(&events, Range::default());
    let now = state.clock.now();
    let mut by_namespace: BTreeMap<Arc<str>, Vec<Arc<Entry>>> = BTreeMap::new();
    let mut expired = Vec::new();
    for entry in listing.entries {
        if now.since(entry.written_at) >= state.limits.event_ttl {
            expired.push(entry);
        } else {
            by_namespace.entry(entry.key.namespace.clone()).or_default().push(entry);
        }
    }
    for mut entries in by_namespace.into_values() {
        let excess = entries.len().saturating_sub(state.limits.events_per_namespace);
        if excess > 0 {
            entries.sort_by_key(|entry| entry.revision);
            entries.truncate(excess);
            expired.extend(entries);
        }
    }
    for batch in expired.chunks(BATCH) {
        remove(state, batch).await;
    }
}

/// Removes entries together; one that was written meanwhile makes the batch fail, and the next round tries again.
async fn remove(state: &State, entries: &[Arc<Entry>]) {
    let ops = entries.iter().map(|entry| Op::Delete {
        key: entry.key.clone(),
        expect: Expect::Revision(entry.revision),
    });
    if let Err(error) = state.commit(ops.collect()).await {
        tracing::debug!(%error, "expired events stay for another round");
    }
}
