//! What all callers share, and the way in for each of them.

use std::{collections::HashMap, hash::Hash, sync::Arc, time::Duration};

use core_clock::Time;
use core_rules::credential::Credential;
use io_http::outbound::{Outbound, Tls};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::{
    Error, Pace, Ports, Repository, Settings,
    auth::Login,
    budget::{Budget, Lane},
    cache::{Cache, Partition},
    line::Line,
    place::Place,
    scheme::{self, Detection, Scheme},
};

/// Hosts and log-ins that are remembered; those in use are never forgotten.
const MAX_REMEMBERED: usize = 10_000;
/// How long a registry is taken for one that speaks plain HTTP, or TLS, without asking again.
const SCHEME_LIFE: Duration = Duration::from_mins(10);
/// Chart indexes that are in memory at the same time.
const INDEXES_AT_ONCE: usize = 2;
/// Blobs that are on their way at the same time, whoever wants them.
const TRANSFERS_AT_ONCE: usize = 8;

/// Who asks, and as whom.
#[derive(Clone, Debug)]
pub struct Access {
    /// The Project: what is remembered for a credential of one Project is not shown to another.
    pub project: String,
    /// The Warehouse: those that ask the same host take turns.
    pub warehouse: String,
    pub credential: Option<Credential>,
    pub tls: Tls,
}

/// Registries and chart repositories as this process sees them. Cheap to clone.
#[derive(Clone)]
pub struct Registries {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) cache: Cache,
    pub(crate) schemes: Schemes,
    pub(crate) indexes: Semaphore,
    pub(crate) transfers: Semaphore,
    outbound: Outbound,
    ports: Ports,
    budgets: Remembered<String, Budget>,
    logins: Remembered<LoginKey, Login>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct LoginKey {
    place: Place,
    scopes: Vec<String>,
    credential: Option<Credential>,
    tls: Tls,
}

impl Registries {
    /// Opens the cache; everything else happens on use.
    pub fn new(settings: Settings, outbound: Outbound, ports: Ports) -> Self {
        let cache = Cache::open(&settings);
        Self {
            shared: Arc::new(Shared {
                settings,
                cache,
                schemes: Schemes::default(),
                indexes: Semaphore::new(INDEXES_AT_ONCE),
                transfers: Semaphore::new(TRANSFERS_AT_ONCE),
                outbound,
                ports,
                budgets: Remembered::default(),
                logins: Remembered::default(),
            }),
        }
    }

    /// The repository of an image subscription, by its `repoURL`.
    pub fn image_repository(&self, address: &str, access: &Access) -> Result<Repository, Error> {
        self.image_place(Place::image(address)?, access)
    }

    /// An image's repository, or the mirror that stands in for it.
    pub(crate) fn image_place(&self, place: Place, access: &Access) -> Result<Repository, Error> {
        let Some(mirror) = self.shared.settings.mirrors.of(&place) else {
            return self.repository(place, access, Detection::LocalHosts);
        };
        // The credential is meant for the registry, not for who stands in for it.
        let access = Access { credential: None, ..access.clone() };
        self.repository(mirror, &access, Detection::LocalHosts)
    }

    /// The repository of a chart subscription with an `oci://` address; its tags are the versions,
    /// with `_` for `+`.
    pub fn chart_repository(
        &self,
        registry: &str,
        repository: &str,
        access: &Access,
    ) -> Result<Repository, Error> {
        self.repository(Place::chart(registry, repository)?, access, Detection::AnyHost)
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    fn repository(
        &self,
        place: Place,
        access: &Access,
        detection: Detection,
    ) -> Result<Repository, Error> {
        let scope = format!("repository:{}:pull", place.repository());
        self.repository_for(place, vec![scope], access, detection)
    }

    /// A repository with tokens that are good for `scopes`.
    pub(crate) fn repository_for(
        &self,
        place: Place,
        scopes: Vec<String>,
        access: &Access,
        detection: Detection,
    ) -> Result<Repository, Error> {
        let key = LoginKey {
            place: place.clone(),
            scopes: scopes.clone(),
            credential: access.credential.clone(),
            tls: access.tls.clone(),
        };
        let login = self
            .shared
            .logins
            .get_or_insert(key, || Login::new(place.host(), scopes, access.credential.clone()));
        Ok(Repository {
            line: self.shared.line(place.budget_key(), access)?,
            partition: access.partition(&format!("{}/{}", place.host(), place.repository())),
            shared: self.shared.clone(),
            place,
            login,
            detection,
            pace: Pace::at_once(),
            began: None,
        })
    }
}

impl Shared {
    /// The way to a host for one caller.
    pub(crate) fn line(&self, host: &str, access: &Access) -> Result<Line, Error> {
        let rate = self.settings.rate_per_second;
        let budget =
            self.budgets.get_or_insert(host.to_owned(), || Budget::new(host, rate, &self.ports));
        let lane = Lane {
            caller: format!("{}/{}", access.project, access.warehouse),
            credential: access.credential.clone(),
        };
        let client = self.outbound.client(&access.tls)?;
        Ok(Line::new(client, budget, lane, self.settings.limits.exchange, self.ports.clone()))
    }
}

impl Access {
    /// Whose entries of the cache these are. The password is no part of it: tokens change every
    /// hour, and what they may read does not.
    pub(crate) fn partition(&self, repository: &str) -> Partition {
        match &self.credential {
            Some(Credential::Basic { username, .. }) => {
                Partition::new(&[&self.project, username], repository)
            }
            _ => Partition::new(&[], repository),
        }
    }
}

/// How hosts want to be spoken to, where that has to be found out.
#[derive(Default)]
pub(crate) struct Schemes {
    known: Mutex<HashMap<String, (Scheme, Time)>>,
}

impl Schemes {
    pub(crate) async fn of(&self, place: &Place, line: &Line) -> Result<Scheme, Error> {
        let known = self.known.lock().get(place.host()).copied();
        if let Some((scheme, until)) = known
            && until > line.now()
        {
            return Ok(scheme);
        }
        let scheme = scheme::detect(place, line).await?;
        let mut known = self.known.lock();
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        known.insert(place.host().to_owned(), (scheme, line.now() + SCHEME_LIFE));
        Ok(scheme)
    }
}

/// Shared values by key; when there are too many, those that nobody uses go.
struct Remembered<K, V> {
    entries: Mutex<HashMap<K, Arc<V>>>,
}

impl<K, V> Default for Remembered<K, V> {
    fn default() -> Self {
        Self { entries: Mutex::default() }
    }
}

impl<K: Hash + Eq, V> Remembered<K, V> {
    fn get_or_insert(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut entries = self.entries.lock();
        if entries.len() >= MAX_REMEMBERED && !entries.contains_key(&key) {
            entries.retain(|_, value| Arc::strong_count(value) > 1);
        }
        entries.entry(key).or_insert_with(|| Arc::new(make())).clone()
    }
}
