//! AnalysisRuns: known only where verification is wanted and the cluster serves them.
//!
//! Whether it does is asked at the start, and every minute while it does not: installing Argo Rollouts
//! later needs no restart.

use std::{fmt, sync::Arc, time::Duration};

use api_analysis::{AnalysisRun, AnalysisTemplate};
use api_kinds::{Stage, labels};
use core_rules::{
    stage::{RunLookup, RunSource, current_collection},
    verification::run_view,
};
use io_kube::{Backoff, Cache, ObjectKey, status_code};
use kube::{Api, Client, api::ListParams};
use parking_lot::RwLock;
use tokio::sync::watch;

use crate::{caches::beside, shared};

/// How often to ask again whether AnalysisRuns are served.
const PROBE_INTERVAL: Duration = Duration::from_mins(1);
/// Waits after a question that was not answered.
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(200), max: Duration::from_secs(30) };
/// How long to wait for the first list.
const FIRST_LIST: Duration = Duration::from_secs(10);

/// Called with an AnalysisRun before and after a change.
type Hook = Arc<dyn Fn(Option<&AnalysisRun>, Option<&AnalysisRun>) + Send + Sync>;

/// The AnalysisRuns of Stages. Clones share them.
#[derive(Clone)]
pub(super) struct Runs {
    client: Client,
    cache: Arc<RwLock<Option<Cache<AnalysisRun>>>>,
    answered: watch::Sender<bool>,
}

/// Whether the cluster serves them.
enum Served {
    Yes,
    No,
    Unanswered,
}

impl Runs {
    pub(super) fn new(client: Client) -> Self {
        Self { client, cache: Arc::default(), answered: watch::Sender::new(false) }
    }

    /// Asks whether AnalysisRuns are served, until they are, and then watches them. Completes when
    /// the first answer is there.
    pub(super) async fn open(&self, shared: &shared::Cx, on_change: Hook) {
        if !shared.settings.verification.rollouts_enabled {
            return;
        }
        let work = watch_when_served(self.clone(), shared.clone(), on_change);
        shared.ports.tasks.spawn("analysis runs", Box::pin(work));
        let mut answered = self.answered.subscribe();
        // An error says that the task has ended, because the process does.
        let _ = answered.wait_for(|answered| *answered).await;
    }

    /// The cache, where there is one.
    pub(super) fn cache(&self) -> Option<Cache<AnalysisRun>> {
        self.cache.read().clone()
    }

    /// What is known of the AnalysisRuns of a Stage. What the cache does not show is asked for: it is
    /// gone only when the API server says so.
    pub(super) async fn look_at(&self, stage: &Stage) -> Option<RunsSeen> {
        let cache = self.cache()?;
        let namespace = stage.metadata.namespace.clone().unwrap_or_default();
        let missing = awaited_run(stage)
            .filter(|name| cache.get(&ObjectKey::new(&*namespace, name)).is_none());
        let asked = match missing {
            Some(name) => Some((name.clone(), self.ask(&beside(stage, &name)).await)),
            None => None,
        };
        Some(RunsSeen { cache, namespace, asked })
    }

    async fn ask(&self, key: &ObjectKey) -> RunLookup {
        let runs: Api<AnalysisRun> = Api::namespaced(self.client.clone(), &key.namespace);
        match runs.get_opt(&key.name).await {
            Ok(Some(run)) => RunLookup::Found(run_view(&run)),
            Ok(None) => RunLookup::Gone,
            Err(error) => {
                tracing::warn!(run = %key, %error, "cannot read AnalysisRun");
                RunLookup::NotSeen
            }
        }
    }
}

/// The AnalysisRun whose end the Stage waits for.
fn awaited_run(stage: &Stage) -> Option<String> {
    let newest = current_collection(&stage.status)?.verification_history.first()?;
    let is_awaited = !newest.phase.is_terminal();
    newest.analysis_run.as_ref().filter(|_| is_awaited).map(|run| run.name.clone())
}

async fn watch_when_served(runs: Runs, shared: shared::Cx, on_change: Hook) {
    let mut failures = 0;
    loop {
        let pause = match probe(&shared.client).await {
            Served::Yes => break,
            Served::No => {
                if !runs.answered.send_replace(true) {
                    tracing::info!(
                        "AnalysisTemplates are not served: verification is off until they are"
                    );
                }
                PROBE_INTERVAL
            }
            Served::Unanswered => {
                failures += 1;
                BACKOFF.delay(failures, &*shared.ports.entropy)
            }
        };
        tokio::select! {
            biased;
            () = shared.ports.tasks.stopping() => return,
            () = shared.ports.clock.sleep(pause) => {}
        }
    }
    let cache = Cache::builder(shared.client.clone())
        .labels(labels::STAGE)
        .on_change(move |old, new| on_change(old, new))
        .start(&shared.ports);
    if shared.ports.within(FIRST_LIST, cache.synced()).await.is_none() {
        tracing::warn!("AnalysisRuns are not listed yet; check the permissions of the controller");
    }
    *runs.cache.write() = Some(cache);
    tracing::info!("verification is on");
    runs.answered.send_replace(true);
}

/// Whether the kind of templates is known. Who may not ask has no use for it.
async fn probe(client: &Client) -> Served {
    let templates: Api<AnalysisTemplate> = Api::all(client.clone());
    match templates.list(&ListParams::default().limit(1)).await {
        Ok(_) => Served::Yes,
        Err(error) if status_code(&error) == Some(404) => Served::No,
        Err(error) if status_code(&error) == Some(403) => {
            tracing::warn!(%error, "AnalysisTemplates may not be listed: verification is off; grant the controller access to them");
            Served::No
        }
        Err(error) => {
            tracing::warn!(%error, "cannot ask whether AnalysisTemplates are served; trying again");
            Served::Unanswered
        }
    }
}

/// The AnalysisRuns that a pass sees.
pub(super) struct RunsSeen {
    cache: Cache<AnalysisRun>,
    namespace: String,
    /// What the API server said about one that the cache does not show.
    asked: Option<(String, RunLookup)>,
}

impl RunsSeen {
    /// Whether the Stage waits for an AnalysisRun that the watch does not show, so that it will not tell
    /// of its end either.
    pub(super) fn is_blind(&self) -> bool {
        self.asked.is_some()
    }
}

impl fmt::Debug for RunsSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunsSeen").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl RunSource for RunsSeen {
    fn find(&self, name: &str) -> RunLookup {
        if let Some(run) = self.cache.get(&ObjectKey::new(&*self.namespace, name)) {
            return RunLookup::Found(run_view(&run));
        }
        match &self.asked {
            Some((asked, lookup)) if asked == name => lookup.clone(),
            _ => RunLookup::NotSeen,
        }
    }
}
