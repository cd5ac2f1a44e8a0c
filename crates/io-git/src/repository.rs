//! One repository, as a caller with one credential sees it.

use std::{collections::BTreeMap, sync::Arc};

use gix_hash::ObjectId;
use io_exec::WorkDir;

use crate::{
    blocking::blocking,
    error::Error,
    history::Snapshot,
    mirror::{Activity, FetchRequest, Held, Mirror, Vanished, Want, has_all},
    refs::Refs,
    remote::Target,
    store::Shared,
    wire,
};

/// How often a caller whose mirror was taken away in the last moment tries again.
const ATTEMPTS: usize = 3;

/// A repository of a store. Cheap to clone.
#[derive(Clone)]
pub struct Repository {
    pub(crate) shared: Arc<Shared>,
    pub(crate) target: Target,
}

impl Repository {
    /// The refs whose names start with one of `prefixes`; all of them without any. Callers with the same credential and
    /// prefixes share a listing, but never one that began before they asked.
    pub async fn list_refs(&self, prefixes: &[&str]) -> Result<Arc<Refs>, Error> {
        let mut prefixes: Vec<String> = prefixes.iter().map(|&prefix| prefix.to_owned()).collect();
        prefixes.sort();
        prefixes.dedup();
        let key = (self.target.listing_key(), prefixes.clone());
        let convoy = self.shared.listings.lock().entry(key.clone()).or_default().clone();
        let (cx, target) = (self.shared.cx.clone(), self.target.clone());
        let travel = move |_: Vec<()>| {
            let (cx, target, prefixes) = (cx.clone(), target.clone(), prefixes.clone());
            async move { wire::list(&cx, &target, &prefixes).await.map(Arc::new) }
        };
        let listed = convoy.join(self.shared.cx.tasks.as_ref(), (), travel).await;
        if convoy.is_idle() {
            self.shared.listings.lock().remove(&key);
        }
        listed.unwrap_or_else(|| Err(self.interrupted()))
    }

    /// Brings the refs named in full, at least as new as `refs` shows them, and everything behind them into the mirror.
    /// Nothing is dialled when they are there already. Cancel safety: a fetch goes on when its callers give up, and the
    /// next caller finds it further on.
    pub async fn fetch(&self, refs: &Refs, names: &[&str]) -> Result<Snapshot, Error> {
        let wants = self.wants(refs, names)?;
        self.hold(refs, wants, Freshness::AsListed).await
    }

    /// The same for work trees, which need objects rather than refs: what is there under another name will do. A want
    /// may also be named by its id, which servers of today understand.
    pub(crate) async fn borrow(&self, refs: &Refs, wants: Vec<Want>) -> Result<Snapshot, Error> {
        self.hold(refs, wants, Freshness::Present).await
    }

    async fn hold(
        &self,
        refs: &Refs,
        wants: Vec<Want>,
        enough: Freshness,
    ) -> Result<Snapshot, Error> {
        for attempt in 0..ATTEMPTS {
            let mirror = self.shared.mirror(&self.target);
            mirror.used(self.shared.cx.clock.now());
            if let Some(snapshot) = self.snapshot(&mirror, &wants, enough).await {
                if attempt == 0 {
                    mirror.hit();
                }
                return Ok(snapshot);
            }
            let vanished = self.travel(&mirror, refs, wants.clone(), Vec::new()).await?;
            if let Some(gone) = wants.iter().find(|want| vanished.contains(&want.name)) {
                return Err(self.no_such_ref(&gone.name));
            }
            // A ref may have moved on since it was listed; newer is as good.
            if let Some(snapshot) = self.snapshot(&mirror, &wants, Freshness::AfterFetch).await {
                self.shared.enforce_quota().await;
                return Ok(snapshot);
            }
        }
        Err(self.interrupted())
    }

    /// Brings file contents into the mirror that `snapshot` holds on to.
    pub(crate) async fn fetch_contents(
        &self,
        refs: &Refs,
        snapshot: &Snapshot,
        blobs: Vec<ObjectId>,
    ) -> Result<(), Error> {
        if blobs.is_empty() {
            return Ok(());
        }
        self.travel(snapshot.mirror(), refs, Vec::new(), blobs).await.map(drop)
    }

    /// Hands packs of objects that the server has just been given to the mirror, without waiting for it.
    pub(crate) fn give(&self, refs: &Refs, gift: WorkDir) {
        let mirror = self.shared.mirror(&self.target);
        let (target, server) = (self.target.clone(), refs.server.clone());
        let request =
            FetchRequest { target, server, wants: Vec::new(), blobs: Vec::new(), gift: Some(gift) };
        let shared = self.shared.clone();
        let handing = async move {
            let (cx, travelling) = (shared.cx.clone(), mirror.clone());
            let travel = move |requests| travelling.clone().travel(cx.clone(), requests);
            // Nobody depends on it.
            let _ = mirror.journeys.join(shared.cx.tasks.as_ref(), request, travel).await;
        };
        self.shared.cx.tasks.spawn("git gift", Box::pin(handing));
    }

    /// What is on its way for this repository.
    pub fn activity(&self) -> Option<Activity> {
        let mirror = self.shared.mirror(&self.target);
        mirror.activity(self.shared.cx.clock.monotonic())
    }

    /// The address without user name and password.
    pub fn address(&self) -> String {
        self.target.to_string()
    }

    pub(crate) fn wants(&self, refs: &Refs, names: &[&str]) -> Result<Vec<Want>, Error> {
        let each = names.iter().map(|&name| match refs.get(name) {
            Some(found) => Ok(Want { name: found.name.clone(), id: found.id }),
            None => Err(self.no_such_ref(name)),
        });
        each.collect()
    }

    /// The mirror, pinned, when it has all that is wanted.
    async fn snapshot(
        &self,
        mirror: &Arc<Mirror>,
        wants: &[Want],
        freshness: Freshness,
    ) -> Option<Snapshot> {
        let pin = mirror.pin()?;
        if mirror.is_damaged() {
            return None;
        }
        let (git_dir, asked) = (mirror.git_dir(), wants.to_owned());
        let format = wants.first().map_or(gix_hash::Kind::Sha1, |want| want.id.kind());
        let found = blocking(move || {
            if !git_dir.join("objects").is_dir() {
                return None;
            }
            let held = Held::open(git_dir, format);
            match freshness {
                Freshness::AsListed => held.all(&asked),
                Freshness::Present => {
                    let ids: Vec<ObjectId> = asked.iter().map(|want| want.id).collect();
                    let has = has_all(held.git_dir(), format, &ids);
                    has.then(|| asked.into_iter().map(|want| (want.name, want.id)).collect())
                }
                Freshness::AfterFetch => {
                    let newest: BTreeMap<_, _> = held.newest(&asked);
                    (newest.len() == asked.len()).then_some(newest)
                }
            }
        });
        let tips = found.await.flatten()?;
        Some(Snapshot::new(mirror.clone(), tips, self.shared.changes.clone(), pin))
    }

    async fn travel(
        &self,
        mirror: &Arc<Mirror>,
        refs: &Refs,
        wants: Vec<Want>,
        blobs: Vec<ObjectId>,
    ) -> Result<Arc<Vanished>, Error> {
        let (target, server) = (self.target.clone(), refs.server.clone());
        let request = FetchRequest { target, server, wants, blobs, gift: None };
        let (shared, travelling) = (self.shared.clone(), mirror.clone());
        // The store, and with it the lock on its directory, lives until the journey is over.
        let travel = move |requests| travelling.clone().travel(shared.cx.clone(), requests);
        let done = mirror.journeys.join(self.shared.cx.tasks.as_ref(), request, travel).await;
        done.unwrap_or_else(|| Err(self.interrupted()))
    }

    fn no_such_ref(&self, name: &str) -> Error {
        Error::NoSuchRef { repository: self.target.to_string(), name: name.to_owned() }
    }

    fn interrupted(&self) -> Error {
        Error::Interrupted { repository: self.target.to_string() }
    }
}

/// How a mirror's ref must compare to the listing.
#[derive(Clone, Copy)]
enum Freshness {
    AsListed,
    /// Its object is there, whatever the ref says.
    Present,
    AfterFetch,
}
