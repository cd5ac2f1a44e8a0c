//! The credential Secrets of namespaces, watched while they are in use.
//!
//! A namespace is watched from the first lookup in it until nobody has asked for a while. Until its
//! watch has brought the first list, and as long as the watch is refused, lookups read live: so the
//! first one does not wait, a refusal is told to who asks, and access that was granted a moment ago
//! counts at once.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use api_kinds::labels::CREDENTIALS_TYPE;
use io_kube::{Cache, Ports, status_code};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client, api::ListParams};
use parking_lot::{Mutex, RwLock};

use crate::{
    flight::{Flights, Lost},
    matching::{Address, Book, Entry},
};

/// A namespace that nobody asked about for this long is not watched any more. Longer than usual
/// intervals of Warehouses.
const IDLE: Duration = Duration::from_mins(30);
/// How often we look for idle namespaces.
const SWEEP: Duration = Duration::from_mins(5);
/// How long a live read may take.
const LIVE: Duration = Duration::from_secs(30);
/// Secrets per page of a live read.
const PAGE: u32 = 500;
/// Pages of a live read; a namespace with more is not one of Kargo's.
const MAX_PAGES: usize = 20;

/// Why the Secrets of a namespace could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// We may not.
    #[error(
        "permission denied: this controller's ServiceAccount needs the verbs get, list and watch \
         on secrets in namespace {namespace:?}; the management controller grants them for Projects"
    )]
    Forbidden {
        /// Where.
        namespace: String,
    },
    /// The API server did not answer in time.
    #[error("error listing Secrets")]
    Lost(#[from] Lost),
    /// There are more than anybody should have.
    #[error("there are more than {} credential Secrets", MAX_PAGES * PAGE as usize)]
    TooMany,
    /// The API server did not answer as it should.
    #[error("error listing Secrets: {0}")]
    Api(String),
}

/// The Secrets of one cluster, namespace by namespace.
pub(crate) struct Secrets {
    client: Client,
    ports: Ports,
    open: Mutex<BTreeMap<String, Namespace>>,
    live: Flights<String, Result<Arc<Book>, ReadError>>,
}

/// A watched namespace.
struct Namespace {
    cache: Cache<Secret>,
    book: Arc<RwLock<Book>>,
    /// When somebody last asked, on the monotonic clock.
    used: Duration,
}

impl Secrets {
    /// The Secrets that `client` sees. Watches end when this is dropped.
    pub(crate) fn start(client: Client, ports: &Ports) -> Arc<Self> {
        let secrets = Arc::new(Self {
            client,
            ports: ports.clone(),
            open: Mutex::default(),
            live: Flights::new(ports),
        });
        ports.tasks.spawn("idle credential namespaces", Box::pin(sweep(&secrets, ports)));
        secrets
    }

    /// The Secrets of a namespace for a repository, best first.
    pub(crate) async fn candidates(
        &self,
        namespace: &str,
        address: &Address,
    ) -> Result<Vec<Arc<Entry>>, ReadError> {
        if let Some(book) = self.watched(namespace) {
            return Ok(book.read().candidates(address));
        }
        let load = || read_live(self.client.clone(), namespace.to_owned());
        let book = self.live.join(&namespace.to_owned(), LIVE, load).await??;
        Ok(book.candidates(address))
    }

    /// What the watch of a namespace has brought; `None` when it has brought nothing yet, or is refused.
    /// Opens it.
    fn watched(&self, namespace: &str) -> Option<Arc<RwLock<Book>>> {
        let now = self.ports.clock.monotonic();
        let mut open = self.open.lock();
        let entry = open.entry(namespace.to_owned());
        let place = entry.or_insert_with(|| self.open(namespace));
        place.used = now;
        let is_current = place.cache.is_synced() && !place.cache.is_refused();
        is_current.then(|| place.book.clone())
    }

    fn open(&self, namespace: &str) -> Namespace {
        let book: Arc<RwLock<Book>> = Arc::default();
        let kept = book.clone();
        let cache = Cache::<Secret>::builder(self.client.clone())
            .namespace(namespace)
            .labels(CREDENTIALS_TYPE)
            .on_change(move |old, new| change(&mut kept.write(), old, new))
            .start(&self.ports);
        Namespace { cache, book, used: Duration::ZERO }
    }

    fn close_idle(&self) {
        let now = self.ports.clock.monotonic();
        let is_used = |place: &Namespace| now.saturating_sub(place.used) < IDLE;
        self.open.lock().retain(|_, place| is_used(place));
    }
}

fn change(book: &mut Book, old: Option<&Secret>, new: Option<&Secret>) {
    match (old, new) {
        (_, Some(secret)) => book.put(secret),
        (Some(secret), None) => book.remove(secret.metadata.name.as_deref().unwrap_or_default()),
        (None, None) => {}
    }
}

/// Closes idle namespaces as long as there are any to come.
fn sweep(secrets: &Arc<Secrets>, ports: &Ports) -> impl Future<Output = ()> + Send + use<> {
    let (secrets, ports) = (Arc::downgrade(secrets), ports.clone());
    async move {
        let mut stopping = ports.tasks.stopping();
        loop {
            tokio::select! {
                () = &mut stopping => return,
                () = ports.clock.sleep(SWEEP) => {}
            }
            let Some(secrets) = secrets.upgrade() else { return };
            secrets.close_idle();
        }
    }
}

async fn read_live(client: Client, namespace: String) -> Result<Arc<Book>, ReadError> {
    let api: Api<Secret> = Api::namespaced(client, &namespace);
    let mut params = ListParams::default().labels(CREDENTIALS_TYPE).limit(PAGE);
    let mut secrets = Vec::new();
    for _ in 0..MAX_PAGES {
        let page = api.list(&params).await.map_err(|error| read_error(&namespace, &error))?;
        secrets.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(Arc::new(Book::of(&secrets))),
        }
    }
    Err(ReadError::TooMany)
}

fn read_error(namespace: &str, error: &kube::Error) -> ReadError {
    match status_code(error) {
        Some(403) => ReadError::Forbidden { namespace: namespace.to_owned() },
        Some(code) => ReadError::Api(format!("the API server answered {code}")),
        None => ReadError::Api(first_line(&error.to_string())),
    }
}

/// The errors of the client library may hold a whole answer.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
