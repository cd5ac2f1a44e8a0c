//! A store in a temporary directory, and a server to point it at.

use std::{path::PathBuf, sync::Arc, time::Duration};

use core_clock::{Environment as _, FixedEnvironment};
use core_rules::credential::Credential;
use dev_testkit::server::GitHttp;
use io_git::{Remote, Repository, Settings, Snapshot, Store};
use io_http::outbound::{Outbound, Tls};
use io_runtime::{SystemClock, SystemEnvironment, TaskGroup};

pub(crate) struct World {
    pub(crate) server: GitHttp,
    pub(crate) store: Store,
    pub(crate) root: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let root = tempfile::tempdir().unwrap();
        let mut settings = Settings::new(root.path());
        change(&mut settings);
        let tasks = TaskGroup::new();
        let store = open(settings, &tasks).await.unwrap();
        Self { server: GitHttp::start().await.unwrap(), store, root }
    }

    pub(crate) fn repository(&self, name: &str) -> Repository {
        self.store.repository(&remote(&self.server.url(name), None)).unwrap()
    }

    pub(crate) fn login(&self, name: &str, credential: Credential) -> Repository {
        self.store.repository(&remote(&self.server.url(name), Some(credential))).unwrap()
    }

    /// The directories of all mirrors.
    pub(crate) fn mirrors(&self) -> Vec<PathBuf> {
        mirrors_below(self.root.path())
    }
}

pub(crate) fn mirrors_below(root: &std::path::Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join("mirrors")).unwrap();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path().join("repository.git")).collect();
    paths.sort();
    paths
}

pub(crate) async fn open(settings: Settings, tasks: &TaskGroup) -> Result<Store, io_git::Error> {
    let path = SystemEnvironment.var("PATH").unwrap_or_default();
    let environment: FixedEnvironment = [("PATH", path)].into_iter().collect();
    let outbound = Outbound::new(io_http::outbound::Settings::default());
    let clock = Arc::new(SystemClock::new());
    Store::open(settings, outbound, clock, Arc::new(tasks.clone()), &environment).await
}

pub(crate) fn remote(url: &str, credential: Option<Credential>) -> Remote {
    Remote { url: url.to_owned(), credential, tls: Tls::default() }
}

/// Lists and fetches one branch.
pub(crate) async fn fetch(
    repository: &Repository,
    branch: &str,
) -> Result<Snapshot, io_git::Error> {
    let refs = repository.list_refs(&[branch]).await?;
    repository.fetch(&refs, &[branch]).await
}

/// The subjects of a branch, newest first.
pub(crate) async fn subjects(
    snapshot: &Snapshot,
    branch: &'static str,
) -> Result<Vec<String>, io_git::Error> {
    snapshot
        .read(move |reader| {
            let tip = reader.tip(branch)?;
            reader.first_parents(tip).map(|commit| Ok(commit?.subject)).collect()
        })
        .await
}

pub(crate) const SECOND: Duration = Duration::from_secs(1);
