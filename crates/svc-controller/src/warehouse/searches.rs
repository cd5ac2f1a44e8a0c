//! Searches under way. They run beside the workers, so that a slow repository holds up nobody else.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use api_kinds::{
    Warehouse, annotations,
    warehouse::{GitDiscoveryResult, RepoSubscription, Source},
};
use core_rules::warehouse::{FailedStep, Failure, Finding, Pass, shown};
use futures::future::join_all;
use io_kube::{Backoff, ObjectKey, Ports, Queue};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use work_discovery::{Progress, Search, Searcher};

/// No search takes longer, whatever progress it seems to make.
const DEADLINE: Duration = Duration::from_hours(1);

/// How long a Warehouse that cannot be searched is left alone: repositories are not ours.
const BACKOFF: Backoff = Backoff { base: Duration::from_secs(1), max: Duration::from_mins(10) };

/// What each subscription of a Warehouse came to, in their order.
pub(super) type Results = Vec<Result<Finding, Failure>>;

/// One search per Warehouse at most.
#[derive(Default)]
pub(super) struct Searches {
    running: Mutex<BTreeMap<ObjectKey, Running>>,
    failed: Mutex<BTreeMap<ObjectKey, Failed>>,
}

/// Searches that came to nothing, one after the other.
struct Failed {
    cause: Cause,
    count: u32,
    not_before: Duration,
}

/// Why a search is made: for another reason it must be made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cause {
    uid: Option<String>,
    generation: Option<i64>,
    refresh: Option<String>,
}

struct Running {
    cause: Cause,
    results: Arc<Mutex<Option<Results>>>,
    progress: Arc<Vec<Progress>>,
    since: Duration,
    /// Dropped with the search nobody waits for any more.
    _wanted: oneshot::Sender<()>,
}

/// How far a search is.
pub(super) enum State {
    /// There is none for this state of the Warehouse, or the last one failed a while ago.
    Absent {
        is_retry: bool,
    },
    Running {
        since: Duration,
        activities: Vec<String>,
    },
    Done(Results),
    /// The last one failed; the next one waits this long.
    Resting(Duration),
}

impl Searches {
    /// How far the search for this state of a Warehouse is. Its results are handed out once.
    pub(super) fn take(&self, key: &ObjectKey, warehouse: &Warehouse, now: Duration) -> State {
        let cause = Cause::of(warehouse);
        let mut running = self.running.lock();
        let Some(search) = running.get(key).filter(|search| search.cause == cause) else {
            return self.before_search(key, &cause, now);
        };
        let results = search.results.lock().take();
        match results {
            Some(results) => {
                running.remove(key);
                State::Done(results)
            }
            None => {
                State::Running { since: search.since, activities: search.activities(warehouse) }
            }
        }
    }

    /// Forgets a Warehouse, and ends its search.
    pub(super) fn cancel(&self, key: &ObjectKey) {
        self.running.lock().remove(key);
        self.failed.lock().remove(key);
    }

    /// The pass that a search led to ended well.
    pub(super) fn succeeded(&self, key: &ObjectKey) {
        self.failed.lock().remove(key);
    }

    /// It did not. Says how long to wait for the next one: longer each time, until somebody changes
    /// the Warehouse or asks for a refresh.
    pub(super) fn failed(&self, key: &ObjectKey, warehouse: &Warehouse, ports: &Ports) -> Duration {
        let cause = Cause::of(warehouse);
        let mut failed = self.failed.lock();
        let before = failed.get(key).filter(|failed| failed.cause == cause);
        let count = before.map_or(1, |before| before.count.saturating_add(1));
        let wait = BACKOFF.delay(count, &*ports.entropy);
        let not_before = ports.clock.monotonic() + wait;
        failed.insert(key.clone(), Failed { cause, count, not_before });
        wait
    }

    fn before_search(&self, key: &ObjectKey, cause: &Cause, now: Duration) -> State {
        let failed = self.failed.lock();
        let failed = failed.get(key).filter(|failed| failed.cause == *cause);
        let rest = failed.map(|failed| failed.not_before.saturating_sub(now));
        match rest.filter(|rest| !rest.is_zero()) {
            Some(rest) => State::Resting(rest),
            None => State::Absent { is_retry: failed.is_some() },
        }
    }

    /// Starts to search for all subscriptions, in place of an older search. `queue` gets the key when
    /// all have come to something.
    pub(super) fn start(
        &self,
        key: &ObjectKey,
        warehouse: &Arc<Warehouse>,
        searcher: &Arc<dyn Searcher>,
        ports: &Ports,
        queue: &Queue<ObjectKey>,
    ) {
        let (wanted, unwanted) = oneshot::channel();
        let results = Arc::new(Mutex::new(None));
        let count = warehouse.spec.subscriptions.len();
        let progress: Arc<Vec<Progress>> =
            Arc::new((0..count).map(|_| Progress::default()).collect());
        let task = Task {
            warehouse: warehouse.clone(),
            searcher: searcher.clone(),
            ports: ports.clone(),
            progress: progress.clone(),
        };
        let (slot, queue, woken) = (results.clone(), queue.clone(), key.clone());
        let work = async move {
            tokio::select! {
                biased;
                _ = unwanted => {}
                found = task.run() => {
                    *slot.lock() = Some(found);
                    queue.add(woken);
                }
            }
        };
        let since = ports.clock.monotonic();
        let running =
            Running { cause: Cause::of(warehouse), results, progress, since, _wanted: wanted };
        self.running.lock().insert(key.clone(), running);
        ports.tasks.spawn("warehouse search", Box::pin(work));
    }
}

impl Cause {
    fn of(warehouse: &Warehouse) -> Self {
        let metadata = &warehouse.metadata;
        let annotated = metadata.annotations.as_ref();
        Self {
            uid: metadata.uid.clone(),
            generation: metadata.generation,
            refresh: annotated.and_then(|all| all.get(annotations::REFRESH)).cloned(),
        }
    }
}

impl Running {
    fn activities(&self, warehouse: &Warehouse) -> Vec<String> {
        let subscriptions = warehouse.spec.subscriptions.iter().zip(self.progress.iter());
        subscriptions
            .filter_map(|(subscription, progress)| {
                let activity = progress.describe()?;
                Some(format!("{}: {activity}", shown(subscription)))
            })
            .collect()
    }
}

/// The search for all subscriptions of a Warehouse.
struct Task {
    warehouse: Arc<Warehouse>,
    searcher: Arc<dyn Searcher>,
    ports: Ports,
    progress: Arc<Vec<Progress>>,
}

impl Task {
    async fn run(self) -> Results {
        let metadata = &self.warehouse.metadata;
        let project = metadata.namespace.as_deref().unwrap_or_default();
        let name = metadata.name.as_deref().unwrap_or_default();
        let pass = Pass::begin(&self.warehouse);
        let subscriptions = self.warehouse.spec.subscriptions.iter().zip(self.progress.iter());
        let searches = subscriptions.map(|(subscription, progress)| {
            let search = Search {
                project,
                warehouse: name,
                subscription,
                previous: previous(&pass, subscription),
                explained: 0,
                progress,
            };
            self.within_deadline(search)
        });
        join_all(searches).await
    }

    async fn within_deadline(&self, search: Search<'_>) -> Result<Finding, Failure> {
        let outcome = self.ports.within(DEADLINE, self.searcher.search(search)).await;
        let outcome = outcome.unwrap_or_else(|| {
            let cause = format!("gave up after {} minutes", DEADLINE.as_secs() / 60);
            Err(Failure::new(search.subscription, FailedStep::Discovery, cause))
        });
        outcome.map(|outcome| outcome.finding)
    }
}

/// What is known from the last time. Only Git can tell without searching that it still holds.
fn previous<'a>(
    pass: &Pass<'a>,
    subscription: &RepoSubscription,
) -> Option<&'a GitDiscoveryResult> {
    match &subscription.source {
        Source::Git(git) => pass.previous_git(git, &subscription.name),
        _ => None,
    }
}
