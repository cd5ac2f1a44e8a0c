//! Applications as one watch shows them, for those who look at many of them often.
//!
//! Argo CD may not be installed, or its cluster may not answer. Neither stops a controller: it is told why it
//! sees nothing, and the watch begins as soon as it can.

use std::{
    collections::BTreeSet,
    error::Error as _,
    sync::{Arc, Weak},
    time::Duration,
};

use core_rules::argo_cd::{Application, ApplicationName, HealthReport, check_health};
use io_kube::{Backoff, Cache, ObjectKey};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use crate::{Applications, Error, kept::Kept};

/// How often a cluster without Argo CD is asked whether it has one now.
const LOOK_AGAIN: Duration = Duration::from_mins(1);
/// Waits while the cluster does not answer.
const BACKOFF: Backoff = Backoff { base: Duration::from_secs(1), max: Duration::from_secs(30) };
/// How long a controller waits for a first sight of Applications before it begins without.
const PATIENCE: Duration = Duration::from_secs(10);

/// Called with an Application before and after a change; one of them is `None` when it came or went.
type Hook = Box<dyn Fn(Option<&Application>, Option<&Application>) + Send + Sync>;

/// The Applications that there are. Clones share one watch.
#[derive(Clone)]
pub struct Watched {
    shared: Arc<Shared>,
}

struct Shared {
    applications: Applications,
    sight: Mutex<Sight>,
    /// Whether the cluster has answered, whatever it was.
    answered: watch::Sender<bool>,
    /// Applications that are being asked to compare again.
    refreshing: Mutex<BTreeSet<ApplicationName>>,
}

/// What is seen.
enum Sight {
    /// Nothing, and who wants to know when that changes.
    None { why: Blindness, hooks: Vec<Hook> },
    /// Everything.
    Watch(Cache<Kept>),
}

/// Why nothing is seen.
#[derive(Clone)]
enum Blindness {
    NotAsked,
    NotServed,
    Unreachable(String),
}

impl Watched {
    pub(crate) fn start(applications: Applications) -> Self {
        let ports = applications.ports.clone();
        let sight = Sight::None { why: Blindness::NotAsked, hooks: Vec::new() };
        let shared = Arc::new(Shared {
            applications,
            sight: Mutex::new(sight),
            answered: watch::Sender::new(false),
            refreshing: Mutex::default(),
        });
        let (stopping, opening) = (ports.tasks.stopping(), open(Arc::downgrade(&shared)));
        ports.tasks.spawn(
            "applications",
            Box::pin(async move {
                tokio::select! {
                    biased;
                    () = stopping => {}
                    () = opening => {}
                }
            }),
        );
        Self { shared }
    }

    /// Completes when Applications are seen, or it is known that there are none, or a while has passed: what
    /// Argo CD's cluster does not tell must not keep a controller from its work.
    pub async fn settled(&self) {
        let settling = async {
            // The sender lives as long as `self`.
            let _ = self.shared.answered.subscribe().wait_for(|answered| *answered).await;
            if let Some(cache) = self.cache() {
                cache.synced().await;
            }
        };
        self.shared.applications.ports.within(PATIENCE, settling).await;
    }

    /// Whether the cluster has Argo CD, as far as is known.
    pub fn is_serving(&self) -> bool {
        self.cache().is_some()
    }

    /// The Application of this name, or why it is not known whether there is one.
    pub fn get(&self, name: &ApplicationName) -> Result<Option<Arc<Application>>, String> {
        let cache = match &*self.shared.sight.lock() {
            Sight::Watch(cache) => cache.clone(),
            Sight::None { why, .. } => return Err(why.text()),
        };
        if !cache.is_synced() {
            let why = if cache.is_refused() {
                "the controller may not list and watch Applications"
            } else {
                "Applications have not been listed yet"
            };
            return Err(why.to_owned());
        }
        let found = cache.get(&ObjectKey::new(&name.namespace, &name.name));
        Ok(found.map(|kept| kept.application.clone()))
    }

    /// All Applications, by namespace and name; none while none are seen.
    pub fn list(&self) -> Vec<Arc<Application>> {
        let kept = self.cache().map(|cache| cache.list()).unwrap_or_default();
        kept.into_iter().map(|kept| kept.application.clone()).collect()
    }

    /// Calls `hook` on every change, first with what is there already. It must not block.
    pub fn on_change(
        &self,
        hook: impl Fn(Option<&Application>, Option<&Application>) + Send + Sync + 'static,
    ) {
        match &mut *self.shared.sight.lock() {
            Sight::None { hooks, .. } => hooks.push(Box::new(hook)),
            Sight::Watch(cache) => cache.on_change(adapted(Box::new(hook))),
        }
    }

    /// Carries out a health check about Applications.
    pub fn health(&self, config: Option<&Value>) -> HealthReport {
        let is_off =
            matches!(&*self.shared.sight.lock(), Sight::None { why: Blindness::NotServed, .. });
        if is_off {
            return HealthReport::without_integration();
        }
        let namespace = self.shared.applications.default_namespace();
        check_health(config, namespace, |name| self.get(name))
    }

    /// Asks Argo CD to compare these again, in the background. If that fails, whoever looks next asks again.
    pub fn refresh(&self, names: &[ApplicationName]) {
        for name in names {
            if !self.shared.refreshing.lock().insert(name.clone()) {
                continue;
            }
            let (shared, name) = (self.shared.clone(), name.clone());
            let refreshing = async move {
                if let Err(error) = shared.applications.refresh(&name).await {
                    let error = with_cause(&error);
                    tracing::warn!(application = %name, error, "could not ask Argo CD to compare again");
                }
                shared.refreshing.lock().remove(&name);
            };
            self.shared.applications.ports.tasks.spawn("refresh", Box::pin(refreshing));
        }
    }

    fn cache(&self) -> Option<Cache<Kept>> {
        match &*self.shared.sight.lock() {
            Sight::Watch(cache) => Some(cache.clone()),
            Sight::None { .. } => None,
        }
    }
}

/// Asks the cluster until it has Applications, then watches them. Ends when nobody is interested any more.
async fn open(shared: Weak<Shared>) {
    let mut failures = 0;
    loop {
        let Some(here) = shared.upgrade() else { return };
        let ports = here.applications.ports.clone();
        let pause = match here.applications.probe().await {
            Ok(()) => {
                here.watch();
                return;
            }
            Err(Error::NotServed) => {
                failures = 0;
                here.see_nothing(Blindness::NotServed);
                LOOK_AGAIN
            }
            Err(error) => {
                failures += 1;
                let error = with_cause(&error);
                if u32::is_power_of_two(failures) {
                    tracing::warn!(
                        error,
                        failures,
                        "Argo CD's cluster does not tell; trying again"
                    );
                }
                here.see_nothing(Blindness::Unreachable(error));
                BACKOFF.delay(failures, &*ports.entropy)
            }
        };
        drop(here);
        ports.clock.sleep(pause).await;
    }
}

impl Shared {
    fn watch(&self) {
        let Applications { client, ports, .. } = &self.applications;
        let mut builder = Cache::builder(client.clone());
        if let Some(namespace) = self.applications.only_namespace() {
            builder = builder.namespace(namespace);
        }
        let mut sight = self.sight.lock();
        if let Sight::None { hooks, .. } = &mut *sight {
            for hook in std::mem::take(hooks) {
                builder = builder.on_change(adapted(hook));
            }
        }
        *sight = Sight::Watch(builder.start(ports));
        drop(sight);
        tracing::info!("watching Applications of Argo CD");
        self.answered.send_replace(true);
    }

    fn see_nothing(&self, reason: Blindness) {
        let is_news = matches!(reason, Blindness::NotServed);
        if let Sight::None { why, .. } = &mut *self.sight.lock() {
            let was_news = matches!(why, Blindness::NotServed);
            if is_news && !was_news {
                tracing::info!("no Argo CD: its cluster does not serve Applications");
            }
            *why = reason;
        }
        if is_news {
            self.answered.send_replace(true);
        }
    }
}

impl Blindness {
    fn text(&self) -> String {
        match self {
            Self::NotAsked => "Argo CD's cluster has not answered yet".to_owned(),
            Self::NotServed => Error::NotServed.to_string(),
            Self::Unreachable(error) => error.clone(),
        }
    }
}

fn adapted(hook: Hook) -> impl Fn(Option<&Kept>, Option<&Kept>) + Send + Sync + 'static {
    move |old, new| hook(old.map(|it| &*it.application), new.map(|it| &*it.application))
}

fn with_cause(error: &Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
