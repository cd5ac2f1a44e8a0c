//! Searches under way. They run beside the workers, so that a slow repository holds up nobody else.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use api_kinds::{
    Warehouse, annotations,
    warehouse::{DiscoveredArtifacts, GitDiscoveryResult, RepoSubscription, Source},
};
use core_rules::warehouse::{FailedStep, Failure, Finding, Pass, shown};
use futures::future::join_all;
use io_kube::{Backoff, ObjectKey, Ports, Queue};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use work_discovery::{Pace, Progress, Search, Searcher};

/// No search takes longer, whatever progress it seems to make.
const DEADLINE: Duration = Duration::from_hours(1);

/// A search is slow when it has worked longer. What is spread does not work most of the time.
pub(super) const SLOW: Duration = Duration::from_secs(2);
/// How often what a slow search does is told anew.
pub(super) const TELL: Duration = Duration::from_secs(30);

/// How long a Warehouse that cannot be searched is left alone: repositories are not ours.
const BACKOFF: Backoff = Backoff { base: Duration::from_secs(1), max: Duration::from_mins(10) };

/// What each subscription of a Warehouse came to, in their order.
pub(super) type Results = Vec<Result<Finding, Failure>>;

/// One search per Warehouse at most.
pub(super) struct Searches {
    searcher: Arc<dyn Searcher>,
    ports: Ports,
    /// Gets the Warehouses whose search has come to something.
    queue: Queue<ObjectKey>,
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
    spread: Duration,
    /// Dropped with the search nobody waits for any more.
    _wanted: oneshot::Sender<()>,
}

/// How far a search is.
pub(super) enum State {
    /// There is none for this state of the Warehouse, or the last one failed a while ago.
    Absent {
        is_retry: bool,
    },
    /// It is not slow; look again after this long.
    Running(Duration),
    Slow {
        activities: Vec<String>,
    },
    Done {
        results: Results,
        /// How much of the time that the search took was meant to be taken.
        spread: Duration,
    },
    /// The last one failed; the next one waits this long.
    Resting(Duration),
}

impl Searches {
    pub(super) fn new(searcher: Arc<dyn Searcher>, ports: Ports, queue: Queue<ObjectKey>) -> Self {
        Self { searcher, ports, queue, running: Mutex::default(), failed: Mutex::default() }
    }

    /// How far the search for this state of a Warehouse is. Its results stay until they are told: a status that could
    /// not be written is no reason to search again.
    pub(super) fn look(&self, key: &ObjectKey, warehouse: &Warehouse) -> State {
        let now = self.ports.clock.monotonic();
        let cause = Cause::of(warehouse);
        let running = self.running.lock();
        let Some(search) = running.get(key).filter(|search| search.cause == cause) else {
            return self.before_search(key, &cause, now);
        };
        let results = search.results.lock().clone();
        let (spread, taken) = (search.spread, now.saturating_sub(search.since));
        let Some(results) = results else {
            return search.state(warehouse, taken);
        };
        State::Done { results, spread: spread.min(taken) }
    }

    /// Forgets a Warehouse, and ends its search.
    pub(super) fn cancel(&self, key: &ObjectKey) {
        self.running.lock().remove(key);
        self.failed.lock().remove(key);
    }

    /// The pass that a search led to ended well.
    pub(super) fn succeeded(&self, key: &ObjectKey) {
        self.put_away(key);
        self.failed.lock().remove(key);
    }

    /// It did not. Says how long to wait for the next one: longer each time, until somebody changes
    /// the Warehouse or asks for a refresh.
    pub(super) fn failed(&self, key: &ObjectKey, warehouse: &Warehouse) -> Duration {
        self.put_away(key);
        let cause = Cause::of(warehouse);
        let mut failed = self.failed.lock();
        let before = failed.get(key).filter(|failed| failed.cause == cause);
        let count = before.map_or(1, |before| before.count.saturating_add(1));
        let wait = BACKOFF.delay(count, &*self.ports.entropy);
        let not_before = self.ports.clock.monotonic() + wait;
        failed.insert(key.clone(), Failed { cause, count, not_before });
        wait
    }

    /// What a search came to is told.
    fn put_away(&self, key: &ObjectKey) {
        let mut running = self.running.lock();
        if running.get(key).is_some_and(|search| search.results.lock().is_some()) {
            running.remove(key);
        }
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

    /// Starts to search for all subscriptions, in place of an older search, over the time of `spread`
    /// as long as nothing has changed. The queue gets the key when all have come to something.
    pub(super) fn start(&self, key: &ObjectKey, warehouse: &Arc<Warehouse>, spread: Duration) {
        let ports = &self.ports;
        let (wanted, unwanted) = oneshot::channel();
        let results = Arc::new(Mutex::new(None));
        let count = warehouse.spec.subscriptions.len();
        let progress: Arc<Vec<Progress>> =
            Arc::new((0..count).map(|_| Progress::default()).collect());
        let task = Task {
            warehouse: warehouse.clone(),
            searcher: self.searcher.clone(),
            ports: ports.clone(),
            progress: progress.clone(),
            pace: Pace::over(spread, ports.clock.clone()),
        };
        let (slot, queue, woken) = (results.clone(), self.queue.clone(), key.clone());
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
        let running = Running {
            cause: Cause::of(warehouse),
            results,
            progress,
            since,
            spread,
            _wanted: wanted,
        };
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
    /// How far a search is that has taken so long.
    fn state(&self, warehouse: &Warehouse, taken: Duration) -> State {
        if taken < SLOW {
            return State::Running(SLOW.saturating_sub(taken));
        }
        let activities = self.activities(warehouse);
        let left = (self.spread + SLOW).saturating_sub(taken);
        if activities.is_empty() && !left.is_zero() {
            return State::Running(left.min(TELL));
        }
        State::Slow { activities }
    }

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
    pace: Pace,
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
                pace: &self.pace,
            };
            self.perform(search)
        });
        join_all(searches).await
    }

    /// Searches. When there is news, nobody keeps it waiting.
    async fn perform(&self, search: Search<'_>) -> Result<Finding, Failure> {
        let found = self.within_deadline(search).await;
        let known = self.warehouse.status.discovered_artifacts.as_ref();
        let is_known = |finding| known.is_some_and(|known| is_among(finding, known));
        if !found.as_ref().is_ok_and(is_known) {
            self.pace.hurry();
        }
        found
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

fn is_among(finding: &Finding, artifacts: &DiscoveredArtifacts) -> bool {
    match finding {
        Finding::Git(result) => artifacts.git.contains(result),
        Finding::Image(result) => artifacts.images.contains(result),
        Finding::Chart(result) => artifacts.charts.contains(result),
        Finding::Other(result) => artifacts.results.contains(result),
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
