//! Warehouses: search for artifacts, and make Freight of the newest.
//!
//! | what changes | what happens |
//! |---|---|
//! | a Warehouse comes, or its spec, shard or refresh request changes | a pass |
//! | its search has come to something | a pass |
//! | its interval is over | a pass |
//!
//! A pass decides and writes; searches run beside the passes ([`searches`]).

mod freight;
mod searches;

use std::{sync::Arc, time::Duration};

use api_kinds::{Warehouse, annotations};
use core_rules::warehouse::{self, Assessment, End, Plan, Reason, Schedule};
use io_kube::{
    Controller, EventRecorder, Failure, Next, ObjectKey, Pass, Precondition, Queue, Workers,
    patch_status,
};
use kube::ResourceExt;
use work_discovery::Searcher;

use self::searches::{Results, SLOW, Searches, State, TELL};
use crate::shared;

/// What nobody waits for takes up to this part of the interval, as long as nothing has changed.
const SPREAD_PART: u32 = 2;
/// It takes no longer, whatever the interval.
const LONGEST_SPREAD: Duration = Duration::from_mins(30);

/// What passes work with.
pub(crate) struct Context {
    shared: shared::Cx,
    schedule: Schedule,
    queue: Queue<ObjectKey>,
    searches: Searches,
    events: EventRecorder,
    /// What we are called in events.
    component: String,
}

/// Shared by all passes.
pub(crate) type Cx = Arc<Context>;

impl Context {
    fn new(shared: &shared::Cx, searcher: Arc<dyn Searcher>) -> Cx {
        let (ports, settings) = (&shared.ports, &shared.settings);
        let component = warehouse::component(settings.shard.name());
        let queue =
            Queue::fair("warehouse-controller", ports, |key: &ObjectKey| key.namespace.clone());
        Arc::new(Self {
            schedule: Schedule::new(settings.min_warehouse_interval, ports.entropy.below(u64::MAX)),
            searches: Searches::new(searcher, ports.clone(), queue.clone()),
            queue,
            events: EventRecorder::start(shared.client.clone(), &component, ports),
            component,
            shared: shared.clone(),
        })
    }

    /// The Warehouse, if it is ours.
    fn own(&self, key: &ObjectKey) -> Option<Arc<Warehouse>> {
        let warehouse = self.shared.caches.warehouses.get(key)?;
        self.shared.owns(&*warehouse).then_some(warehouse)
    }
}

/// Starts the workers, after all there is is known.
pub(crate) fn start(shared: &shared::Cx, searcher: Arc<dyn Searcher>) -> Workers {
    let cx = Context::new(shared, searcher);
    let waker = cx.clone();
    cx.shared.caches.warehouses.on_change(move |old, new| {
        let own = |warehouse: &&Warehouse| waker.shared.owns(*warehouse);
        wake(&waker, old.filter(own), new.filter(own));
    });
    Controller::new(cx.queue.clone(), shared.settings.workers.warehouses)
        .start(&shared.ports, move |key, pass| reconcile(cx.clone(), key, pass))
}

fn wake(cx: &Context, old: Option<&Warehouse>, new: Option<&Warehouse>) {
    match (old, new) {
        (None, Some(new)) => {
            let delay = cx.schedule.startup_delay(new, cx.shared.now());
            cx.queue.add_after(ObjectKey::of(new), delay);
        }
        (Some(old), Some(new)) if what_counts(old) != what_counts(new) => {
            cx.queue.add(ObjectKey::of(new));
        }
        (Some(old), None) => cx.queue.add(ObjectKey::of(old)),
        _ => {}
    }
}

/// What a pass depends on, besides its own status.
fn what_counts(warehouse: &Warehouse) -> (Option<&String>, Option<i64>, bool, Option<&String>) {
    let metadata = &warehouse.metadata;
    (
        metadata.uid.as_ref(),
        metadata.generation,
        metadata.deletion_timestamp.is_some(),
        warehouse.annotations().get(annotations::REFRESH),
    )
}

async fn reconcile(cx: Cx, key: ObjectKey, pass: Pass) -> Result<Next, Failure> {
    let Some(warehouse) = cx.own(&key) else {
        cx.searches.cancel(&key);
        return Ok(Next::Done);
    };
    match warehouse::plan(&warehouse, &cx.schedule, cx.shared.now()) {
        Plan::Leave => {
            cx.searches.cancel(&key);
            Ok(Next::Done)
        }
        Plan::Reuse => conclude(&cx, &pass, &warehouse, None).await,
        Plan::Discover(reason) => discover(&cx, &key, &pass, &warehouse, reason).await,
    }
}

async fn discover(
    cx: &Cx,
    key: &ObjectKey,
    pass: &Pass,
    warehouse: &Arc<Warehouse>,
    reason: Reason,
) -> Result<Next, Failure> {
    match cx.searches.look(key, warehouse) {
        State::Done { results, spread } => {
            conclude(cx, pass, warehouse, Some((results, spread))).await
        }
        State::Resting(rest) => Ok(Next::After(rest)),
        State::Slow { activities } => {
            // A search that nobody asked for is announced only now.
            tell(cx, pass, warehouse, reason, &activities).await?;
            Ok(Next::After(TELL))
        }
        State::Running(left) => Ok(Next::After(left)),
        State::Absent { is_retry } => {
            let may_wait = reason.is_routine() && !is_retry;
            let spread = if may_wait { spread(cx, warehouse) } else { Duration::ZERO };
            cx.searches.start(key, warehouse, spread);
            // What is repeated, or what nobody waits for, need not change what people see.
            if !is_retry && !reason.is_routine() {
                tell(cx, pass, warehouse, reason, &[]).await?;
            }
            Ok(Next::After(SLOW))
        }
    }
}

/// Over how much time a search is spread that is due only because its interval is over.
fn spread(cx: &Context, warehouse: &Warehouse) -> Duration {
    let wanted = Duration::try_from(warehouse.spec.interval).unwrap_or_default();
    let interval = wanted.max(cx.shared.settings.min_warehouse_interval);
    (interval / SPREAD_PART).min(LONGEST_SPREAD)
}

/// Tells of a search under way.
async fn tell(
    cx: &Context,
    pass: &Pass,
    warehouse: &Warehouse,
    reason: Reason,
    activities: &[String],
) -> Result<(), Failure> {
    let mut draft = warehouse::Pass::begin(warehouse);
    let status = draft.announce(reason, activities, cx.shared.now()).clone();
    write(cx, pass, warehouse, status).await.map(drop)
}

/// Decides what follows from what was found, or from what is known when nothing was searched for.
async fn conclude(
    cx: &Context,
    pass: &Pass,
    warehouse: &Warehouse,
    search: Option<(Results, Duration)>,
) -> Result<Next, Failure> {
    let mut draft = warehouse::Pass::begin(warehouse);
    let now = cx.shared.now();
    if let Some((results, spread)) = search {
        // The interval goes from beginning to beginning of searches that were spread.
        let is_whole = results.iter().all(Result::is_ok);
        let discovered_at = if is_whole { now - spread } else { now };
        draft = match draft.discovered(results, discovered_at) {
            Ok(draft) => draft,
            Err(end) => return finish(cx, pass, warehouse, *end).await,
        };
    }
    let end = match draft.assess(now) {
        Assessment::Done(end) => end,
        Assessment::Create(creation) => freight::ensure(cx, pass, creation).await,
    };
    finish(cx, pass, warehouse, end).await
}

async fn finish(
    cx: &Context,
    pass: &Pass,
    warehouse: &Warehouse,
    end: End,
) -> Result<Next, Failure> {
    let written = write(cx, pass, warehouse, end.status).await?;
    let key = ObjectKey::of(warehouse);
    if let Some(reason) = end.error {
        let after = cx.searches.failed(&key, warehouse);
        return Err(Failure::Waiting { after, reason });
    }
    cx.searches.succeeded(&key);
    Ok(Next::After(cx.schedule.requeue(&written, cx.shared.now())))
}

async fn write(
    cx: &Context,
    pass: &Pass,
    warehouse: &Warehouse,
    status: api_kinds::warehouse::WarehouseStatus,
) -> Result<Warehouse, Failure> {
    let new = Warehouse { status, ..warehouse.clone() };
    match patch_status(&cx.shared.client, warehouse, &new, Precondition::Version).await? {
        Some(written) => {
            pass.wrote(&cx.shared.caches.warehouses, &written);
            Ok(written)
        }
        None => Ok(new),
    }
}
