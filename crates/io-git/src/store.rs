//! The store of one process: all its mirrors, under one lock and one quota.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use core_clock::{Clock, Environment, Tasks, Time};
use io_http::outbound::Outbound;
use parking_lot::Mutex;
use rustix::fs::{FlockOperation, flock};

use crate::{
    blocking::blocking,
    context::Context,
    convoy::Convoy,
    error::Error,
    history::KnownChanges,
    mirror::{Activity, Mirror, Place, discard},
    refs::Refs,
    remote::{Address, Remote, Target},
    repository::Repository,
    settings::Settings,
    work::BranchLocks,
};

/// How long a lock of the store may outlive the process that held it, and how often to look.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const LOCK_INTERVAL: Duration = Duration::from_millis(50);

/// A listing that several callers may share: who asks, and for which refs.
pub(crate) type ListingKey = (String, Vec<String>);
pub(crate) type Listings = Convoy<(), Result<Arc<Refs>, Error>>;

/// All mirrors of one process. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) cx: Arc<Context>,
    mirrors: Mutex<BTreeMap<String, Arc<Mirror>>>,
    pub(crate) listings: Mutex<HashMap<ListingKey, Arc<Listings>>>,
    pub(crate) changes: Arc<KnownChanges>,
    pub(crate) branches: BranchLocks,
    evictions: AtomicU64,
    // Held for as long as the store lives.
    _lock: File,
}

/// What a store holds, for metrics and for people.
#[derive(Clone, Debug)]
pub struct Usage {
    /// One entry per mirror, by address.
    pub mirrors: Vec<MirrorUsage>,
    /// What they take together.
    pub bytes: u64,
    /// What they may take.
    pub quota_bytes: u64,
    /// How many were removed for space since the start.
    pub evictions: u64,
}

/// One mirror.
#[derive(Clone, Debug)]
pub struct MirrorUsage {
    /// The repository's address, without user name and password.
    pub address: String,
    /// What it takes.
    pub bytes: u64,
    /// How often something was fetched since the start.
    pub fetches: u64,
    /// How often everything wanted was there already.
    pub hits: u64,
    /// How often it was damaged and built again.
    pub rebuilds: u64,
    /// When something was last fetched since the start.
    pub last_fetch: Option<Time>,
    /// When it was last of use.
    pub last_used: Time,
    /// What is under way.
    pub activity: Option<Activity>,
}

impl Store {
    /// Opens the store at `settings.root`, creating it where needed. Fails when another process has it open.
    pub async fn open(
        settings: Settings,
        outbound: Outbound,
        clock: Arc<dyn Clock>,
        tasks: Arc<dyn Tasks>,
        environment: &dyn Environment,
    ) -> Result<Self, Error> {
        let (lock, mirrors) = open_patiently(&settings.root, &*clock).await?;
        let cx = Context::new(settings, outbound, clock, tasks, environment);
        let shared = Shared {
            cx: Arc::new(cx),
            mirrors: Mutex::new(mirrors),
            listings: Mutex::default(),
            changes: Arc::default(),
            branches: BranchLocks::default(),
            evictions: AtomicU64::new(0),
            _lock: lock,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// A repository to list, fetch and read. Nothing is dialled yet.
    pub fn repository(&self, remote: &Remote) -> Result<Repository, Error> {
        let target = Target::of(remote)?;
        if matches!(target.address, Address::File(_)) && !self.shared.cx.settings.allow_local {
            return Err(Error::Address { reason: "only http, https and ssh are known" });
        }
        Ok(Repository { shared: self.shared.clone(), target })
    }

    /// What the store holds now.
    pub fn usage(&self) -> Usage {
        let monotonic = self.shared.cx.clock.monotonic();
        let mirrors: Vec<MirrorUsage> =
            self.shared.mirrors.lock().values().map(|mirror| describe(mirror, monotonic)).collect();
        Usage {
            bytes: mirrors.iter().map(|mirror| mirror.bytes).sum(),
            mirrors,
            quota_bytes: self.shared.cx.settings.quota_bytes,
            evictions: self.shared.evictions.load(Ordering::Relaxed),
        }
    }
}

impl Shared {
    /// The mirror of a target, known or new.
    pub(crate) fn mirror(&self, target: &Target) -> Arc<Mirror> {
        let key = target.mirror_key();
        let mut mirrors = self.mirrors.lock();
        let mirror = mirrors.entry(key).or_insert_with_key(|key| {
            let directory = self.cx.settings.root.join("mirrors").join(key);
            let place = Place::new(directory, target.to_string());
            Arc::new(Mirror::new(place, 0, self.cx.clock.now()))
        });
        mirror.clone()
    }

    /// Removes the mirrors that were of use longest ago until the rest fits. What is read or fetched stays.
    pub(crate) async fn enforce_quota(&self) {
        while let Some(mirror) = self.take_oldest_beyond_quota() {
            let address = mirror.place.address();
            match discard(&self.cx, mirror.place.directory()).await {
                Ok(()) => {
                    self.evictions.fetch_add(1, Ordering::Relaxed);
                    tracing::info!(
                        repository = address,
                        bytes = mirror.bytes(),
                        "a mirror made room"
                    );
                }
                Err(error) => {
                    tracing::warn!(repository = address, %error, "a mirror could not make room");
                }
            }
        }
    }

    fn take_oldest_beyond_quota(&self) -> Option<Arc<Mirror>> {
        let mut mirrors = self.mirrors.lock();
        let total: u64 = mirrors.values().map(|mirror| mirror.bytes()).sum();
        if total <= self.cx.settings.quota_bytes {
            return None;
        }
        let mut by_age: Vec<(&String, &Arc<Mirror>)> =
            mirrors.iter().filter(|(_, mirror)| mirror.bytes() > 0).collect();
        by_age.sort_by_key(|(_, mirror)| mirror.numbers().last_used);
        let oldest = by_age.into_iter().find(|(_, mirror)| mirror.retire())?.0.clone();
        mirrors.remove(&oldest)
    }
}

fn describe(mirror: &Mirror, monotonic: Duration) -> MirrorUsage {
    let numbers = mirror.numbers();
    MirrorUsage {
        address: mirror.repository(),
        bytes: mirror.bytes(),
        fetches: numbers.fetches,
        hits: numbers.hits,
        rebuilds: numbers.rebuilds,
        last_fetch: numbers.last_fetch,
        last_used: numbers.last_used,
        activity: mirror.activity(monotonic),
    }
}

/// Opens the root. A program that a killed process was about to start holds the lock until it runs: that is waited for.
async fn open_patiently(root: &Path, clock: &dyn Clock) -> Result<Opened, Error> {
    let start = clock.monotonic();
    loop {
        let path = root.to_owned();
        let opened = blocking(move || open_root(&path)).await;
        let opened = opened.ok_or(Error::Local {
            what: "the repository store could not be opened",
            reason: "its thread was lost".to_owned(),
        })?;
        let is_patient = clock.monotonic().saturating_sub(start) < LOCK_PATIENCE;
        match opened {
            Err(Error::InUse { .. }) if is_patient => clock.sleep(LOCK_INTERVAL).await,
            opened => return opened,
        }
    }
}

/// The lock, and the mirrors by their names.
type Opened = (File, BTreeMap<String, Arc<Mirror>>);

/// Takes the lock, clears what an earlier run left, and finds its mirrors.
fn open_root(root: &Path) -> Result<Opened, Error> {
    let local = |error: io::Error| Error::local("the repository store could not be opened", &error);
    // Mirrors of private repositories are for nobody else to read.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(root).map_err(local)?;
    let lock =
        OpenOptions::new().create(true).append(true).open(root.join("lock")).map_err(local)?;
    if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Err(Error::InUse { path: root.display().to_string() });
    }
    for temporary in ["work", "trash"] {
        let path = root.join(temporary);
        // Keys of an earlier run may be in there.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(local)?;
    }
    let mirrors = root.join("mirrors");
    fs::create_dir_all(&mirrors).map_err(local)?;
    let entries = fs::read_dir(mirrors).map_err(local)?.flatten();
    let found = entries.filter_map(|entry| {
        let key = entry.file_name().into_string().ok()?;
        let (place, used, bytes) = Place::found(entry.path())?;
        Some((key, Arc::new(Mirror::new(place, bytes, used))))
    });
    Ok((lock, found.collect()))
}
