//! The controllers that a cluster runs beside its API server, as tasks of this one: deletion of namespaces, definitions
//! and dependents, token Secrets, aggregated roles, housekeeping.
//!
//! They are fed by the commits themselves. What was left undone by an earlier process is found by looking through the
//! store once at the start.

mod aggregation;
mod definition;
mod garbage;
mod housekeeping;
mod namespace;
mod queue;
mod token_secret;

use std::{sync::Arc, time::Duration};

use core_clock::BoxTask;
use emb_store::{Change, Entry, Event, Range};
use futures::FutureExt;

use crate::state::State;

use queue::Queue;

/// Feeds a controller: told of every commit, and of every stored object at the start.
trait Feed: Send + Sync {
    /// Takes note of an object that was written or removed; must be quick, as commits wait for it.
    fn note(&self, change: Change, entry: &Entry);

    /// Takes note of what an object was before it was written anew; must be quick as well.
    fn note_replaced(&self, _previous: &Entry, _entry: &Entry) {}
}

/// How long after a failure the same work is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Puts work back after a wait. No commit brings it back: the failure was ours, the object did not change.
fn again(state: &State, put_back: impl FnOnce() + Send + 'static) {
    let (wait, stopping) = (state.clock.sleep(RETRY), state.tasks.stopping());
    let task = futures::future::select(wait, stopping).map(|_| put_back());
    state.tasks.spawn("controller-retry", task.boxed());
}

/// Controllers that listen but do not act yet.
pub(crate) struct Controllers {
    garbage: Arc<garbage::Feed>,
    namespace: Arc<namespace::Feed>,
    definition: Arc<definition::Feed>,
    token_secret: Arc<token_secret::Feed>,
    aggregation: Arc<aggregation::Feed>,
}

/// Starts to listen to commits, so that nothing is missed between now and the start.
pub(crate) fn prepare(state: &Arc<State>) -> Controllers {
    let controllers = Controllers {
        garbage: Arc::new(garbage::Feed::new(state)),
        namespace: Arc::default(),
        definition: Arc::new(definition::Feed::new(state)),
        token_secret: Arc::default(),
        aggregation: Arc::default(),
    };
    let feeds: [Arc<dyn Feed>; 5] = [
        controllers.garbage.clone(),
        controllers.namespace.clone(),
        controllers.definition.clone(),
        controllers.token_secret.clone(),
        controllers.aggregation.clone(),
    ];
    for resource in state.store.resources() {
        for entry in state.store.list(&resource, Range::default()).entries {
            for feed in &feeds {
                feed.note(Change::Created, &entry);
            }
        }
    }
    state.store.on_commit(Arc::new(move |events: &[Arc<Event>]| {
        for event in events {
            for feed in &feeds {
                feed.note(event.change, &event.entry);
                if let (Change::Updated, Some(previous)) = (event.change, &event.previous) {
                    feed.note_replaced(previous, &event.entry);
                }
            }
        }
    }));
    controllers
}

impl Controllers {
    /// Runs each controller as a task of its own.
    pub(crate) fn start(self, state: &Arc<State>) {
        let tasks: [(&'static str, BoxTask); 6] = [
            ("garbage-collector", garbage::run(state.clone(), self.garbage).boxed()),
            ("namespace-controller", namespace::run(state.clone(), self.namespace).boxed()),
            ("definition-controller", definition::run(state.clone(), self.definition).boxed()),
            (
                "token-secret-controller",
                token_secret::run(state.clone(), self.token_secret).boxed(),
            ),
            ("role-aggregation", aggregation::run(state.clone(), self.aggregation).boxed()),
            ("housekeeping", housekeeping::run(state.clone()).boxed()),
        ];
        for (name, task) in tasks {
            let stopping = state.tasks.stopping();
            let task = futures::future::select(task, stopping).map(|_| ()).boxed();
            state.tasks.spawn(name, task);
        }
    }
}
