//! One writer for the status of each piece of Freight, shared by all Stages.
//!
//! When a piece enters hundreds of Stages at once, each adds its own keys to the same object. One
//! write is under way at a time; what comes meanwhile goes together as the next one, and under load
//! the next one waits a little. A Stage hands its change over and goes on: it is not planned again
//! before the cache shows it.
//!
//! What is lost when the process ends is found missing, and written, by the first pass of the next.

use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use api_kinds::Freight;
use futures::FutureExt;
use io_kube::{Backoff, Cache, ObjectKey, Ports, is_conflict, is_not_found, status_code};
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};

use super::slot::{Batch, Pace};

/// How long a piece of Freight must be left alone before its next writes go at once again.
const QUIET: Duration = Duration::from_secs(1);
/// Waits after writes that failed.
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(50), max: Duration::from_secs(30) };
/// How long a write may take.
const REQUEST: Duration = Duration::from_secs(30);

/// How many writes are under way at once: a Stage may have something to say about all Freight there is.
const AT_ONCE: usize = 16;

/// When a Stage is planned again whose change was refused.
const REFUSED_RETRY: Duration = Duration::from_secs(30);
/// The same where it only insisted on Freight that has changed since.
const OUTDATED_RETRY: Duration = Duration::from_secs(1);

/// Called for a Stage whose change was refused, so that it is planned again after a time.
type OnRefused = Box<dyn Fn(ObjectKey, Duration) + Send + Sync>;

/// Writes the status of Freight. Clones share it.
#[derive(Clone)]
pub(crate) struct Combiner(Arc<Inner>);

struct Inner {
    client: Client,
    ports: Ports,
    freight: Cache<Freight>,
    slots: Mutex<BTreeMap<ObjectKey, Slot>>,
    permits: Semaphore,
    on_refused: OnRefused,
}

/// A piece of Freight that is being written to.
#[derive(Default)]
struct Slot {
    next: Batch,
    more: Arc<Notify>,
}

/// How a write ended.
enum Written {
    /// With this resourceVersion.
    Done(String),
    /// The Freight is gone or not as it was seen, or the change will not be taken as it is. Look again after this time.
    Refused(Duration),
    /// Trying again may help.
    Failed,
}

impl Combiner {
    /// A writer that tells `on_refused` of Stages whose changes were not taken.
    pub(crate) fn new(
        client: Client,
        ports: Ports,
        freight: Cache<Freight>,
        on_refused: impl Fn(ObjectKey, Duration) + Send + Sync + 'static,
    ) -> Self {
        let (slots, on_refused) = (Mutex::default(), Box::new(on_refused));
        let permits = Semaphore::new(AT_ONCE);
        Self(Arc::new(Inner { client, ports, freight, slots, permits, on_refused }))
    }

    /// Hands over a change that `stage` wants: a merge patch of the status of the Freight, with this
    /// Stage's keys only. With `seen` it is refused unless the Freight still has that resourceVersion. Completes when
    /// the cache shows it, or when it was refused.
    pub(crate) fn submit(
        &self,
        freight: &ObjectKey,
        stage: ObjectKey,
        patch: Value,
        seen: Option<&str>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let seen = seen.and_then(|version| version.parse().ok());
        let written = {
            let mut slots = self.0.slots.lock();
            let is_new = !slots.contains_key(freight);
            let slot = slots.entry(freight.clone()).or_default();
            if is_new {
                let work = write_all(self.0.clone(), freight.clone(), slot.more.clone());
                self.0.ports.tasks.spawn("freight status", Box::pin(work));
            }
            slot.more.notify_one();
            slot.next.add(stage, patch, seen)
        };
        let cache = self.0.freight.clone();
        async move {
            if let Ok(version) = written.await {
                cache.passed(&version).await;
            }
        }
    }
}

impl Inner {
    fn take(&self, freight: &ObjectKey) -> Batch {
        let mut slots = self.slots.lock();
        slots.get_mut(freight).map(|slot| std::mem::take(&mut slot.next)).unwrap_or_default()
    }

    fn put_back(&self, freight: &ObjectKey, batch: Batch) {
        self.slots.lock().entry(freight.clone()).or_default().next.put_back(batch);
    }

    /// Gives the slot up, unless something has come.
    fn is_over(&self, freight: &ObjectKey) -> bool {
        let mut slots = self.slots.lock();
        let is_empty = slots.get(freight).is_none_or(|slot| slot.next.is_empty());
        if is_empty {
            slots.remove(freight);
        }
        is_empty
    }

    async fn write(&self, freight: &ObjectKey, batch: &Batch) -> Written {
        // Nobody closes it.
        let _permit = self.permits.acquire().await;
        let freights: Api<Freight> = Api::namespaced(self.client.clone(), &freight.namespace);
        let patch = Patch::Merge(match batch.seen {
            Some(seen) => {
                json!({"metadata": {"resourceVersion": seen.to_string()}, "status": batch.patch})
            }
            None => json!({"status": batch.patch}),
        });
        let params = PatchParams::default();
        let sent = freights.patch_status(&freight.name, &params, &patch);
        match self.ports.within(REQUEST, sent).await {
            Some(Ok(written)) => {
                Written::Done(written.metadata.resource_version.unwrap_or_default())
            }
            Some(Err(error)) if is_not_found(&error) => Written::Refused(REFUSED_RETRY),
            Some(Err(error)) if batch.seen.is_some() && is_conflict(&error) => {
                Written::Refused(OUTDATED_RETRY)
            }
            Some(Err(error)) if matches!(status_code(&error), Some(400 | 403 | 422)) => {
                tracing::warn!(%freight, %error, "cannot update the status of Freight: check the permissions of the controller");
                Written::Refused(REFUSED_RETRY)
            }
            Some(Err(error)) => {
                tracing::debug!(%freight, %error, "status of Freight not updated; trying again");
                Written::Failed
            }
            None => Written::Failed,
        }
    }
}

/// Writes what comes for one piece of Freight, until nothing comes for a while.
async fn write_all(inner: Arc<Inner>, freight: ObjectKey, more: Arc<Notify>) {
    let mut pace = Pace::default();
    let mut failures = 0;
    loop {
        gather(&inner.ports, &pace, failures).await;
        let batch = inner.take(&freight);
        if batch.is_empty() {
            if !waits(&inner.ports, &more).await && inner.is_over(&freight) {
                return;
            }
            continue;
        }
        match inner.write(&freight, &batch).await {
            Written::Done(version) => {
                for told in batch.told {
                    // Whoever does not wait any more has given up the pass.
                    drop(told.send(version.clone()));
                }
                failures = 0;
            }
            Written::Refused(retry) => {
                batch.stages.into_iter().for_each(|stage| (inner.on_refused)(stage, retry));
            }
            // The next process finds it missing.
            Written::Failed if is_stopping(&inner.ports) => return,
            Written::Failed => {
                inner.put_back(&freight, batch);
                failures += 1;
            }
        }
        pace.wrote();
    }
}

/// Waits before the next write; not when the process is about to end.
async fn gather(ports: &Ports, pace: &Pace, failures: u32) {
    let pause = match failures {
        0 => pace.linger(),
        failures => BACKOFF.delay(failures, &*ports.entropy),
    };
    if pause.is_zero() {
        return;
    }
    tokio::select! {
        biased;
        () = ports.tasks.stopping() => {}
        () = ports.clock.sleep(pause) => {}
    }
}

/// Whether something comes before it has been quiet for long enough.
async fn waits(ports: &Ports, more: &Notify) -> bool {
    tokio::select! {
        biased;
        () = more.notified() => true,
        () = ports.tasks.stopping() => false,
        () = ports.clock.sleep(QUIET) => false,
    }
}

fn is_stopping(ports: &Ports) -> bool {
    ports.tasks.stopping().now_or_never().is_some()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use dev_testkit::engine::Engine;
    use kube::api::PostParams;

    use super::*;

    async fn engine() -> (Engine, Ports) {
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"},
        });
        let engine = Engine::builder().objects([namespace]).start().await.unwrap();
        let (clock, entropy) = (engine.clock(), engine.entropy());
        let ports = Ports { clock, entropy, tasks: engine.tasks() };
        (engine, ports)
    }

    fn freights(engine: &Engine) -> Api<Freight> {
        Api::namespaced(engine.admin_client(), "demo")
    }

    /// A piece called `f`, which no Stage has.
    async fn make_freight(engine: &Engine) -> Freight {
        let piece = json!({
            "metadata": {"name": "f", "namespace": "demo"},
            "origin": {"kind": "Warehouse", "name": "w"},
        });
        let piece = serde_json::from_value(piece).unwrap();
        freights(engine).create(&PostParams::default(), &piece).await.unwrap()
    }

    fn stage(number: usize) -> ObjectKey {
        ObjectKey::new("demo", format!("stage-{number}"))
    }

    fn entry(number: usize) -> Value {
        json!({"currentlyIn": {format!("stage-{number}"): {"since": "2026-01-01T00:00:00Z"}}})
    }

    #[tokio::test]
    async fn a_hundred_stages_cost_a_few_writes() {
        let (engine, ports) = engine().await;
        let client = engine.admin_client();
        make_freight(&engine).await;
        let changes = Arc::new(AtomicUsize::new(0));
        let counted = changes.clone();
        let cache = Cache::builder(client.clone())
            .on_change(move |_, _| {
                counted.fetch_add(1, Ordering::SeqCst);
            })
            .start(&ports);
        cache.synced().await;
        let combiner =
            Combiner::new(client, ports, cache.clone(), |stage, _| panic!("{stage} refused"));

        let key = ObjectKey::new("demo", "f");
        let submitted =
            (0..100).map(|number| combiner.submit(&key, stage(number), entry(number), None));
        futures::future::join_all(submitted).await;
        let shown = cache.get(&key).unwrap();
        assert_eq!(shown.status.currently_in.len(), 100);
        let changes = changes.load(Ordering::SeqCst);
        assert!(changes <= 6, "{changes} changes");
    }

    #[tokio::test]
    async fn a_stage_whose_freight_is_gone_hears_of_it() {
        let (engine, ports) = engine().await;
        let client = engine.admin_client();
        let cache = Cache::builder(client.clone()).start(&ports);
        cache.synced().await;
        let refused = Arc::new(Mutex::new(Vec::new()));
        let noted = refused.clone();
        let combiner =
            Combiner::new(client, ports, cache, move |stage, _| noted.lock().push(stage));
        combiner.submit(&ObjectKey::new("demo", "gone"), stage(1), entry(1), None).await;
        assert_eq!(*refused.lock(), [stage(1)]);
    }

    #[tokio::test]
    async fn a_change_that_insists_on_what_was_seen_is_refused_when_that_has_changed() {
        let (engine, ports) = engine().await;
        let client = engine.admin_client();
        let seen = make_freight(&engine).await.metadata.resource_version.unwrap();
        let cache = Cache::builder(client.clone()).start(&ports);
        cache.synced().await;
        let refused = Arc::new(Mutex::new(Vec::new()));
        let noted = refused.clone();
        let combiner = Combiner::new(client, ports, cache, move |stage, after| {
            noted.lock().push((stage, after));
        });
        let key = ObjectKey::new("demo", "f");
        combiner.submit(&key, stage(1), entry(1), Some(&seen)).await;
        assert_eq!(*refused.lock(), []);
        combiner.submit(&key, stage(2), entry(2), Some(&seen)).await;
        assert_eq!(*refused.lock(), [(stage(2), OUTDATED_RETRY)]);
        let held = freights(&engine).get("f").await.unwrap().status.currently_in;
        assert_eq!(held.keys().collect::<Vec<_>>(), ["stage-1"]);
    }
}
