//! An engine, a controller that works on it, and repositories that do as they are told.

use std::{
    collections::BTreeMap,
    future::{Future, pending},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use api_kinds::{
    Freight, Warehouse,
    warehouse::{DiscoveredCommit, GitDiscoveryResult, Source},
};
use core_clock::{FixedEnvironment, ManualClock};
use core_rules::{
    subscription::Verdicts,
    warehouse::{FailedStep, Failure, Finding},
};
use dev_testkit::engine::Engine;
use futures::{FutureExt, future::BoxFuture};
use io_kube::Ports;
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use svc_controller::{Monitor, Settings};
use work_discovery::{Outcome, Search, Searcher};

const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);

/// What a repository does when it is searched.
#[derive(Clone)]
pub(crate) enum Answer {
    Commit(&'static str),
    Nothing,
    Fails(&'static str),
    /// A commit that is found when the time over which the search is spread is over.
    Spread(&'static str),
    Hangs,
}

/// Repositories by address; those that nobody has set hang.
#[derive(Default)]
pub(crate) struct Repositories {
    answers: Mutex<BTreeMap<String, Answer>>,
    searches: AtomicUsize,
    running: AtomicUsize,
}

impl Repositories {
    pub(crate) fn set(&self, url: &str, answer: Answer) {
        self.answers.lock().insert(url.to_owned(), answer);
    }

    /// How many searches have begun.
    pub(crate) fn searches(&self) -> usize {
        self.searches.load(Ordering::SeqCst)
    }

    /// How many are under way.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }
}

/// Counts one search for as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Searcher for Repositories {
    fn search<'a>(&'a self, search: Search<'a>) -> BoxFuture<'a, Result<Outcome, Failure>> {
        async move {
            self.searches.fetch_add(1, Ordering::SeqCst);
            self.running.fetch_add(1, Ordering::SeqCst);
            let _counted = Counted(&self.running);
            let Source::Git(git) = &search.subscription.source else { panic!("only Git here") };
            let answer = self.answers.lock().get(&git.repo_url).cloned();
            let commits = match answer.unwrap_or(Answer::Hangs) {
                Answer::Hangs => pending().await,
                Answer::Fails(cause) => {
                    let step = FailedStep::Discovery;
                    return Err(Failure::new(search.subscription, step, cause));
                }
                Answer::Nothing => vec![],
                Answer::Commit(id) => commit(id),
                Answer::Spread(id) => {
                    search.pace.moment(1_000, 1_000).await;
                    commit(id)
                }
            };
            let finding = Finding::Git(GitDiscoveryResult {
                commits,
                repo_url: git.repo_url.clone(),
                ..GitDiscoveryResult::default()
            });
            Ok(Outcome { finding, verdicts: Verdicts::none() })
        }
        .boxed()
    }
}

fn commit(id: &str) -> Vec<DiscoveredCommit> {
    vec![DiscoveredCommit { id: id.to_owned(), ..DiscoveredCommit::default() }]
}

pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) clock: ManualClock,
    pub(crate) repositories: Arc<Repositories>,
    _engine: Engine,
}

impl World {
    /// A Project namespace and a controller with these settings.
    pub(crate) async fn start(variables: &[(&str, &str)]) -> Self {
        let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "demo", "labels": {"kargo.akuity.io/project": "true"}},
        });
        let engine =
            Engine::builder().clock(clock.clone()).objects([namespace]).start().await.unwrap();
        let repositories = Arc::new(Repositories::default());
        let environment: FixedEnvironment = variables.iter().copied().collect();
        let ports =
            Ports { clock: engine.clock(), entropy: engine.entropy(), tasks: engine.tasks() };
        let controller = svc_controller::run(
            engine.admin_client(),
            ports.clone(),
            Settings::from_environment(&environment).unwrap(),
            repositories.clone(),
            Monitor::default(),
        );
        ports.tasks.spawn("controller", Box::pin(controller));
        Self { client: engine.admin_client(), clock, repositories, _engine: engine }
    }

    /// Creates a Warehouse that looks at one repository every five minutes.
    pub(crate) async fn create(&self, name: &str, url: &str, labels: Value) {
        self.create_for(name, &[url], labels).await;
    }

    /// Creates a Warehouse that looks at several repositories.
    pub(crate) async fn create_for(&self, name: &str, urls: &[&str], labels: Value) {
        let subscriptions: Vec<_> =
            urls.iter().map(|url| json!({"git": {"repoURL": url}})).collect();
        let warehouse: Warehouse = serde_json::from_value(json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
            "metadata": {"name": name, "namespace": "demo", "labels": labels},
            "spec": {"interval": "5m", "subscriptions": subscriptions},
        }))
        .unwrap();
        self.warehouses().create(&PostParams::default(), &warehouse).await.unwrap();
    }

    /// Asks for a refresh.
    pub(crate) async fn refresh(&self, name: &str, token: &str) {
        let patch = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": token}}});
        let params = PatchParams::default();
        self.warehouses().patch(name, &params, &Patch::Merge(patch)).await.unwrap();
    }

    pub(crate) fn warehouses(&self) -> Api<Warehouse> {
        Api::namespaced(self.client.clone(), "demo")
    }

    pub(crate) async fn warehouse(&self, name: &str) -> Warehouse {
        self.warehouses().get(name).await.unwrap()
    }

    pub(crate) async fn freight(&self) -> Vec<Freight> {
        let freights: Api<Freight> = Api::namespaced(self.client.clone(), "demo");
        freights.list(&kube::api::ListParams::default()).await.unwrap().items
    }

    /// Type, status and reason of a Warehouse's conditions.
    pub(crate) async fn conditions(&self, name: &str) -> Vec<String> {
        let warehouse = self.warehouse(name).await;
        let conditions = warehouse.status.conditions.iter();
        conditions.map(|c| format!("{} {:?} {}", c.r#type, c.status, c.reason)).collect()
    }

    /// Waits until something holds, while no time passes on the clock of the engine.
    pub(crate) async fn until<R: Future<Output = bool>>(&self, what: &str, holds: impl Fn() -> R) {
        let waited = async {
            while !holds().await {
                real_time(POLL).await;
            }
        };
        tokio::time::timeout(PATIENCE, waited).await.unwrap_or_else(|_| panic!("never: {what}"));
    }
}

/// Lets real time go by, in which tasks run; the clock of the engine stands still.
#[expect(clippy::disallowed_methods, reason = "the clock of the engine is the test's")]
pub(crate) async fn real_time(time: Duration) {
    tokio::time::sleep(time).await;
}
