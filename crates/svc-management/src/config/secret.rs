//! Watches of Secrets that configurations refer to: opened on use, closed when nobody refers to any
//! in the namespace. Only metadata is kept; values are read when they are needed.

use std::{collections::BTreeMap, sync::Arc};

use io_kube::{Cache, Ports};
use k8s_openapi::api::core::v1::Secret;
use kube::{Client, Resource, core::PartialObjectMeta};
use parking_lot::{Mutex, RwLock};

type Metadata = PartialObjectMeta<Secret>;

/// The watches, by namespace. A namespace has one configuration.
pub(crate) struct SecretWatches {
    client: Client,
    ports: Ports,
    open: Mutex<BTreeMap<String, Watch>>,
}

struct Watch {
    /// Closed when dropped.
    _cache: Cache<Metadata>,
    names: Arc<RwLock<Vec<String>>>,
}

impl SecretWatches {
    pub(crate) fn new(client: Client, ports: Ports) -> Self {
        Self { client, ports, open: Mutex::default() }
    }

    /// Calls `wake` whenever one of these Secrets changes from now on. No names end the watch.
    pub(crate) fn keep(
        &self,
        namespace: &str,
        names: Vec<String>,
        wake: impl Fn() + Send + Sync + 'static,
    ) {
        let mut open = self.open.lock();
        if names.is_empty() {
            open.remove(namespace);
            return;
        }
        if let Some(watch) = open.get(namespace) {
            *watch.names.write() = names;
            return;
        }
        let names = Arc::new(RwLock::new(names));
        let watched = names.clone();
        let cache = Cache::builder(self.client.clone())
            .namespace(namespace)
            .on_change(move |old: Option<&Metadata>, new: Option<&Metadata>| {
                let name = new.or(old).and_then(|secret| secret.meta().name.as_deref());
                if name.is_some_and(|name| watched.read().iter().any(|one| one == name)) {
                    wake();
                }
            })
            .start(&self.ports);
        open.insert(namespace.to_owned(), Watch { _cache: cache, names });
    }
}
