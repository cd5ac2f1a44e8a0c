//! Stages: what they hold, how it is, and what comes next.
//!
//! | what changes | who is woken |
//! |---|---|
//! | a Stage comes, or its spec, labels, deletion, or a request in its annotations changes | itself |
//! | a Stage begins or ceases to only pass Freight on | the Stages after it |
//! | a Promotion or PromotionRequest comes, gets on or goes | its Stage |
//! | Freight comes or goes | who asks for Freight of its Warehouse, who holds it |
//! | Freight enters, leaves or is verified in a Stage | that Stage, the Stages after it |
//! | Freight is approved for a Stage | that Stage |
//! | a Warehouse comes or goes | who asks for its Freight |
//! | the settings of a Project change | all its Stages |
//! | a Target comes, goes or is labelled | the Stages with Targets |
//! | an AnalysisRun gets on or goes | its Stage |
//! | an Application changes in a way that counts | the Stages that it authorizes |
//! | a time comes that a plan waits for | that Stage |
//!
//! A pass observes, lets `core_rules::stage` plan, and executes the plan.

mod deletion;
mod execute;
mod observe;
mod runs;
mod verify;
mod wake;

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use api_kinds::{Freight, Stage, finalizer::FINALIZER};
use core_rules::{
    argo_cd::stages_to_wake,
    stage::{self, FreightUpdate, is_control_flow},
    ulid::{MonotonicUlids, Ulid},
};
use io_kube::{
    Cache, Controller, EventRecorder, Failure, Next, Object, ObjectKey, Pass, Queue, Workers,
    add_finalizer,
};
use parking_lot::Mutex;

use self::{execute::Execution, observe::Observed, runs::Runs};
use crate::{
    caches::Caches,
    freight::{self, Combiner},
    shared,
};

const CONTROLLER: &str = "stage-controller";
/// When to look again for what a cache does not show yet.
const CACHE_LAG: Duration = Duration::from_secs(1);

/// What passes work with.
pub(crate) struct Context {
    shared: shared::Cx,
    queues: Queues,
    combiner: Combiner,
    runs: Runs,
    events: EventRecorder,
    ulids: Mutex<MonotonicUlids>,
    /// Stages for which something may have been created without our hearing of it.
    doubts: Mutex<BTreeSet<ObjectKey>>,
    /// What we are called in events.
    component: String,
    /// Whether changes wake anybody yet; until then all Stages are about to be woken anyway.
    is_started: AtomicBool,
}

/// Shared by all passes.
type Cx = Arc<Context>;

/// Stages that only pass Freight on have workers of their own, so that they never wait for others.
#[derive(Clone)]
struct Queues {
    regular: Queue<ObjectKey>,
    control_flow: Queue<ObjectKey>,
}

impl Queues {
    fn of(&self, stage: &Stage) -> &Queue<ObjectKey> {
        if is_control_flow(stage) { &self.control_flow } else { &self.regular }
    }
}

impl Context {
    fn new(shared: &shared::Cx) -> Cx {
        let (client, ports) = (&shared.client, &shared.ports);
        let queue = |name| Queue::fair(name, ports, |key: &ObjectKey| key.namespace.clone());
        let queues = Queues {
            regular: queue(CONTROLLER),
            control_flow: queue("control-flow-stage-controller"),
        };
        let component = shared.component(CONTROLLER);
        let retry = queues.regular.clone();
        let combiner = Combiner::new(
            client.clone(),
            ports.clone(),
            shared.caches.freight.clone(),
            move |stage, after| retry.add_after(stage, after),
        );
        Arc::new(Self {
            queues,
            combiner,
            runs: Runs::new(client.clone()),
            events: EventRecorder::start(client.clone(), &component, ports),
            ulids: Mutex::default(),
            doubts: Mutex::default(),
            component,
            is_started: AtomicBool::new(false),
            shared: shared.clone(),
        })
    }

    /// The Stage, if it is ours.
    fn own(&self, key: &ObjectKey) -> Option<Arc<Stage>> {
        self.shared.caches.stages.get(key).filter(|stage| self.shared.owns(&**stage))
    }

    /// Lets workers look at those of the Stages that exist and are ours.
    fn wake(&self, keys: impl IntoIterator<Item = ObjectKey>) {
        if !self.is_started.load(Ordering::Acquire) {
            return;
        }
        for key in keys {
            if let Some(stage) = self.own(&key) {
                self.queues.of(&stage).add(key);
            }
        }
    }

    fn ulid(&self) -> Ulid {
        let mut random = [0; 16];
        self.shared.ports.entropy.fill(&mut random);
        let milliseconds = u64::try_from(self.shared.now().as_millis()).unwrap_or_default();
        self.ulids.lock().next(milliseconds, u128::from_le_bytes(random))
    }

    /// Hands a change of Freight over; the Stage is not planned again before it is to be seen.
    /// Returns whether there is one: then it wakes the Stage.
    fn update_freight(
        &self,
        pass: &Pass,
        stage: &Stage,
        piece: &Freight,
        update: &FreightUpdate,
    ) -> bool {
        let key = ObjectKey::of(stage);
        let Some(patch) = freight::patch(&piece.status, &key.name, update) else { return false };
        let seen = piece.metadata.resource_version.as_deref().filter(|_| update.as_seen);
        pass.awaits(self.combiner.submit(&ObjectKey::of(piece), key, patch, seen));
        true
    }
}

/// Starts the workers, after all there is is known.
pub(crate) async fn start(shared: &shared::Cx) -> [Workers; 2] {
    let cx = Context::new(shared);
    let waker = cx.clone();
    let on_run =
        Arc::new(move |old: Option<&_>, new: Option<&_>| waker.wake(wake::by_run(old, new)));
    cx.runs.open(shared, on_run).await;
    register(&cx);
    let (settings, queues) = (&shared.settings.workers, &cx.queues);
    let counts = [
        (queues.regular.clone(), settings.stages),
        (queues.control_flow.clone(), settings.control_flow_stages),
    ];
    counts.map(|(queue, count)| {
        let cx = cx.clone();
        Controller::new(queue.clone(), count)
            .start(&shared.ports, move |key, pass| reconcile(cx.clone(), queue.name(), key, pass))
    })
}

/// Listens to everything that wakes Stages. Stages come last and wake all: what happened before is
/// seen by their first passes.
fn register(cx: &Cx) {
    let caches = &cx.shared.caches;
    listen(cx, &caches.promotions, wake::by_promotion);
    listen(cx, &caches.promotion_requests, wake::by_request);
    listen(cx, &caches.freight, wake::by_freight);
    listen(cx, &caches.warehouses, wake::by_warehouse);
    listen(cx, &caches.project_configs, wake::by_project_config);
    listen(cx, &caches.targets, wake::by_target);
    if let Some(applications) = &cx.shared.applications {
        let waker = cx.clone();
        applications.on_change(move |old, new| {
            let stages = stages_to_wake(old, new).into_iter();
            waker.wake(stages.map(|stage| ObjectKey::new(stage.project, stage.stage)));
        });
    }
    cx.is_started.store(true, Ordering::Release);
    listen(cx, &caches.stages, wake::by_stage);
}

fn listen<K: Object>(
    cx: &Cx,
    cache: &Cache<K>,
    woken: fn(&Caches, Option<&K>, Option<&K>) -> wake::Keys,
) {
    let waker = cx.clone();
    cache.on_change(move |old, new| waker.wake(woken(&waker.shared.caches, old, new)));
}

async fn reconcile(
    cx: Cx,
    queue: &'static str,
    key: ObjectKey,
    pass: Pass,
) -> Result<Next, Failure> {
    let Some(stage) = cx.own(&key) else {
        cx.doubts.lock().remove(&key);
        return Ok(Next::Done);
    };
    let right = cx.queues.of(&stage);
    if right.name() != queue {
        // It has become a Stage of the other sort meanwhile.
        right.add(key);
        return Ok(Next::Done);
    }
    if stage.metadata.deletion_timestamp.is_some() {
        return deletion::go_on(&cx, &pass, &stage).await;
    }
    let Some(stage) = with_finalizer(&cx, &pass, stage).await? else { return Ok(Next::Done) };
    if observe::misses_current(&cx, &stage).await? {
        return Ok(Next::After(CACHE_LAG));
    }
    if cx.doubts.lock().contains(&key) {
        if observe::misses_created(&cx, &stage).await? {
            return Ok(Next::After(CACHE_LAG));
        }
        cx.doubts.lock().remove(&key);
    }
    let observed = Observed::take(&cx, stage).await;
    let plan = stage::plan(&observed.world(), cx.shared.now());
    Execution::new(&cx, &pass, &observed, plan).run().await
}

/// The Stage with our finalizer, which it gets if it does not have it; `None` when it is gone.
async fn with_finalizer(
    cx: &Context,
    pass: &Pass,
    stage: Arc<Stage>,
) -> Result<Option<Arc<Stage>>, Failure> {
    let finalizers = stage.metadata.finalizers.as_ref();
    if finalizers.is_some_and(|all| all.iter().any(|finalizer| finalizer == FINALIZER)) {
        return Ok(Some(stage));
    }
    let shared = &cx.shared;
    let written = add_finalizer(&shared.client, &shared.ports, &*stage, FINALIZER).await?;
    if let Some(written) = &written {
        pass.wrote(&shared.caches.stages, written);
    }
    Ok(written.map(Arc::new))
}
