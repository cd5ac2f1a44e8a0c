//! Discovery: asks the repositories behind a Warehouse's subscriptions what is there, and lets the rules
//! select.
//!
//! What counts and what is better is decided in `core_rules::subscription`; here the repositories are
//! asked for exactly what that needs. One [`Discovery`] serves all Warehouses of a process, so that
//! mirrors, log-ins, budgets and caches are shared. Each subscription is searched on its own: what is
//! wrong with one repository says nothing about another.

mod chart;
mod git;
mod image;
mod other;
mod problem;
mod progress;

use std::sync::Arc;

use api_kinds::warehouse::{GitDiscoveryResult, RepoSubscription, Source};
use core_clock::Clock;
use core_rules::{
    admission::warehouse::CacheByTagPolicy,
    credential::Credential,
    subscription::Verdicts,
    warehouse::{Failure, Finding},
};
use futures::{FutureExt, future::BoxFuture};
use io_creds::{CredentialSource, Kind};
use io_http::outbound::Tls;
use io_oci::Access;
use jiff::Timestamp;

use self::problem::Problem;
pub use self::{
    other::{Found, Subscriber},
    progress::Progress,
};
pub use io_oci::Pace;

/// What discovery works with, shared by all Warehouses.
pub struct Sources {
    pub credentials: Arc<dyn CredentialSource>,
    pub git: io_git::Store,
    pub registries: io_oci::Registries,
    /// Subscription types that are not built in; the first of a name counts.
    pub subscribers: Vec<Arc<dyn Subscriber>>,
    pub cache_by_tag: CacheByTagPolicy,
    pub clock: Arc<dyn Clock>,
}

/// Searches repositories. Cheap to clone.
#[derive(Clone)]
pub struct Discovery {
    sources: Arc<Sources>,
}

/// One search.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Whose credentials are used.
    pub project: &'a str,
    /// Who waits: Warehouses take turns at a registry.
    pub warehouse: &'a str,
    pub subscription: &'a RepoSubscription,
    /// What the last search found, where that may still hold.
    pub previous: Option<&'a GitDiscoveryResult>,
    /// How many candidates are told why they were taken or not.
    pub explained: usize,
    pub progress: &'a Progress,
    /// How fast to ask for what is probably as it was.
    pub pace: &'a Pace,
}

/// What a search found, and what became of the candidates.
pub struct Outcome {
    pub finding: Finding,
    pub verdicts: Verdicts,
}

/// Whoever can search; controllers know no more of discovery.
pub trait Searcher: Send + Sync {
    /// Searches the repository of one subscription. Ends early when it is dropped.
    fn search<'a>(&'a self, search: Search<'a>) -> BoxFuture<'a, Result<Outcome, Failure>>;
}

impl Searcher for Discovery {
    fn search<'a>(&'a self, search: Search<'a>) -> BoxFuture<'a, Result<Outcome, Failure>> {
        async move {
            let source = &search.subscription.source;
            let searched = match source {
                Source::Git(git) => git::search(self, &search, git).boxed(),
                Source::Image(image) => image::search(self, &search, image).boxed(),
                Source::Chart(chart) => chart::search(self, &search, chart).boxed(),
                Source::Other(other) => other::search(self, &search, other).boxed(),
            };
            let outcome = searched.await;
            outcome.map_err(|problem| problem.of(search.subscription))
        }
        .boxed()
    }
}

impl Discovery {
    pub fn new(sources: Sources) -> Self {
        Self { sources: Arc::new(sources) }
    }

    async fn credential(
        &self,
        project: &str,
        kind: Kind,
        url: &str,
    ) -> Result<Option<Credential>, Problem> {
        let found = self.sources.credentials.find(project, kind, url).await;
        found.map_err(Problem::credentials)
    }

    /// Who asks a registry or a chart repository.
    async fn access(
        &self,
        search: &Search<'_>,
        kind: Kind,
        url: &str,
        insecure_skip_tls_verify: bool,
    ) -> Result<Access, Problem> {
        Ok(Access {
            project: search.project.to_owned(),
            warehouse: search.warehouse.to_owned(),
            credential: self.credential(search.project, kind, url).await?,
            tls: Tls::skip_verify(insecure_skip_tls_verify),
        })
    }

    fn now(&self) -> Timestamp {
        let now = self.sources.clock.now();
        Timestamp::from_microsecond(now.as_micros()).unwrap_or_default()
    }
}

impl Search<'_> {
    fn name(&self) -> &str {
        &self.subscription.name
    }

    fn verdicts(&self) -> Verdicts {
        Verdicts::up_to(self.explained)
    }
}
