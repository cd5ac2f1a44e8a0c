//! Discovery as a controller has it: one store of mirrors and one set of registries for all Warehouses.

use std::{path::Path, sync::Arc};

use anyhow::{Context as _, Result, bail};
use api_kinds::warehouse::{
    GitDiscoveryResult, GitSubscription, ImageDiscoveryResult, ImageSubscription, RepoSubscription,
    Source,
};
use core_clock::{Clock, Environment as _, FixedEnvironment, ManualClock};
use core_rules::{
    admission::warehouse::CacheByTagPolicy, credential::Credential, warehouse::Finding,
};
use futures::{FutureExt as _, future::BoxFuture};
use io_creds::{CredentialError, CredentialSource, Kind};
use io_git::Store;
use io_http::outbound::{self, Outbound};
use io_oci::{Ports, Registries};
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup};
use serde_json::Value;
use work_discovery::{Discovery, Outcome, Pace, Progress, Search, Searcher as _, Sources};

use super::programs::Programs;

/// How many versions a subscription discovers unless it says otherwise.
pub(super) const LIMIT: usize = 20;

/// What differs between measurements.
#[derive(Default)]
pub(super) struct Options {
    /// Requests per second to one registry; `None` leaves the default.
    pub(super) rate_per_second: Option<u32>,
    /// What every repository is asked with.
    pub(super) credential: Option<Credential>,
    /// The time by which registries are given their turns; `None` is the real one.
    pub(super) registry_clock: Option<ManualClock>,
}

/// One process's discovery.
pub(super) struct World {
    pub(super) discovery: Discovery,
    /// Counts the programs that discovery starts.
    pub(super) programs: Programs,
}

impl World {
    /// With mirrors and caches below `root`.
    pub(super) async fn open(root: &Path, options: Options) -> Result<Self> {
        let programs = Programs::create(&root.join("programs"))?;
        let path = SystemEnvironment.var("PATH").context("no PATH")?;
        let environment: FixedEnvironment = [("PATH", programs.path(&path))].into_iter().collect();
        let outbound = Outbound::new(outbound::Settings::default());
        let clock = Arc::new(SystemClock::new());
        let tasks = Arc::new(TaskGroup::new());
        let settings =
            io_git::Settings { allow_local: true, ..io_git::Settings::new(root.join("git")) };
        let git =
            Store::open(settings, outbound.clone(), clock.clone(), tasks.clone(), &environment)
                .await?;
        let mut settings = io_oci::Settings {
            cache_directory: Some(root.join("registry")),
            ..io_oci::Settings::default()
        };
        settings.rate_per_second = options.rate_per_second.unwrap_or(settings.rate_per_second);
        let registry_clock: Arc<dyn Clock> = match options.registry_clock {
            Some(manual) => Arc::new(manual),
            None => clock.clone(),
        };
        let ports = Ports { clock: registry_clock, entropy: Arc::new(SystemEntropy), tasks };
        let discovery = Discovery::new(Sources {
            credentials: Arc::new(Same(options.credential)),
            git,
            registries: Registries::new(settings, outbound, ports),
            subscribers: Vec::new(),
            cache_by_tag: CacheByTagPolicy::Allow,
            clock,
        });
        Ok(Self { discovery, programs })
    }
}

/// The same credential for every repository.
struct Same(Option<Credential>);

impl CredentialSource for Same {
    fn find<'a>(
        &'a self,
        _project: &'a str,
        _kind: Kind,
        _url: &'a str,
    ) -> BoxFuture<'a, Result<Option<Credential>, CredentialError>> {
        async { Ok(self.0.clone()) }.boxed()
    }
}

/// A Warehouse with one subscription.
#[derive(Clone)]
pub(super) struct Warehouse {
    name: String,
    subscription: RepoSubscription,
    previous: Option<GitDiscoveryResult>,
}

impl Warehouse {
    /// Watches commits; `settings` beside the address.
    pub(super) fn git(name: impl Into<String>, url: &str, settings: Value) -> Result<Self> {
        let git = GitSubscription { repo_url: url.to_owned(), ..serde_json::from_value(settings)? };
        Ok(Self::new(name.into(), Source::Git(git)))
    }

    /// Watches images; `settings` beside the address.
    pub(super) fn image(name: impl Into<String>, url: &str, settings: Value) -> Result<Self> {
        let image =
            ImageSubscription { repo_url: url.to_owned(), ..serde_json::from_value(settings)? };
        Ok(Self::new(name.into(), Source::Image(image)))
    }

    fn new(name: String, source: Source) -> Self {
        Self {
            name,
            subscription: RepoSubscription { name: String::new(), source },
            previous: None,
        }
    }

    /// Searches once.
    pub(super) async fn search(&self, discovery: &Discovery) -> Result<Outcome> {
        let search = Search {
            project: "bench",
            warehouse: &self.name,
            subscription: &self.subscription,
            previous: self.previous.as_ref(),
            explained: 0,
            progress: &Progress::default(),
            pace: &Pace::at_once(),
        };
        Ok(discovery.search(search).await?)
    }

    /// Searches for commits and remembers what was found for the next time. Gives the newest.
    pub(super) async fn newest_commit(&mut self, discovery: &Discovery) -> Result<Option<String>> {
        let Finding::Git(found) = self.search(discovery).await?.finding else {
            bail!("not commits");
        };
        let newest = found.commits.first().map(|commit| commit.id.clone());
        self.previous = Some(found);
        Ok(newest)
    }

    /// Searches for images.
    pub(super) async fn images(&self, discovery: &Discovery) -> Result<ImageDiscoveryResult> {
        match self.search(discovery).await?.finding {
            Finding::Image(found) => Ok(found),
            _ => bail!("not images"),
        }
    }
}
