//! Objects of one kind as the API server has them, kept by one watch.

mod index;
mod state;
mod watch;

use std::{future::Future, sync::Arc};

use kube::Client;
use tokio::sync::oneshot;

pub use index::Index;

use self::{index::Maintained, state::Shared, watch::Watch};
use crate::{ObjectKey, Ports, object::Object, object::version_number};

/// The objects of a kind, in a namespace or across all, as of the last event of their watch.
///
/// Clones share one watch, which ends when the last of them is dropped or the tasks stop. A hook that owns a clone of its
/// own cache therefore keeps it open until the tasks stop.
pub struct Cache<K> {
    shared: Arc<Shared<K>>,
    open: Arc<oneshot::Sender<()>>,
}

impl<K> Clone for Cache<K> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), open: self.open.clone() }
    }
}

/// What to watch, and who wants to know.
pub struct Builder<K> {
    client: Client,
    selection: Selection,
    intake: Intake<K>,
    indexes: Vec<Arc<dyn Maintained<K>>>,
    hooks: Vec<Hook<K>>,
}

/// Says whether an object belongs into the cache.
type Filter<K> = Box<dyn Fn(&K) -> bool + Send + Sync>;

/// Takes from an object what nobody asks the cache for.
type Reduce<K> = Box<dyn Fn(&mut K) + Send + Sync>;

/// What happens to an object before it enters.
pub(crate) struct Intake<K> {
    filter: Option<Filter<K>>,
    reduce: Option<Reduce<K>>,
}

impl<K> Intake<K> {
    /// The object as the cache keeps it; `None` when it does not belong there.
    pub(crate) fn take(&self, mut object: K) -> Option<Arc<K>> {
        if self.filter.as_ref().is_some_and(|accept| !accept(&object)) {
            return None;
        }
        if let Some(reduce) = &self.reduce {
            reduce(&mut object);
        }
        Some(Arc::new(object))
    }
}

/// Called with the object before and after a change; one of them is `None` when it came or went.
pub(crate) type Hook<K> = Box<dyn Fn(Option<&K>, Option<&K>) + Send + Sync>;

/// Which objects of a kind the API server is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) namespace: Option<String>,
    pub(crate) labels: Option<String>,
    pub(crate) fields: Option<String>,
}

impl<K: Object> Builder<K> {
    /// Only objects of this namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.selection.namespace = Some(namespace.into());
        self
    }

    /// Only objects that match this label selector.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.selection.labels = Some(selector.into());
        self
    }

    /// Only objects that match this field selector.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.selection.fields = Some(selector.into());
        self
    }

    /// Only objects that this accepts; for what no selector can say.
    #[must_use]
    pub fn filter(mut self, accept: impl Fn(&K) -> bool + Send + Sync + 'static) -> Self {
        self.intake.filter = Some(Box::new(accept));
        self
    }

    /// Lets `reduce` take from every object what nobody asks this cache for: most of the memory of a controller is in
    /// its caches. It must leave alone what names the object and tells its versions apart.
    #[must_use]
    pub fn reduce(mut self, reduce: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        self.intake.reduce = Some(Box::new(reduce));
        self
    }

    /// Keeps `index` up to date.
    #[must_use]
    pub fn index<V: Ord + Clone + Send + Sync + 'static>(mut self, index: &Index<K, V>) -> Self {
        self.indexes.push(index.maintained());
        self
    }

    /// Calls `hook` on every change, after the cache and its indexes show it. It must not block, nor add hooks to this cache.
    #[must_use]
    pub fn on_change(
        mut self,
        hook: impl Fn(Option<&K>, Option<&K>) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Starts the watch.
    pub fn start(self, ports: &Ports) -> Cache<K> {
        let shared = Arc::new(Shared::new(self.intake, self.indexes, self.hooks));
        let (open, closed) = oneshot::channel();
        let watch = Watch::new(self.client, self.selection, shared.clone(), ports.clone());
        ports.tasks.spawn("cache", Box::pin(watch.run(closed)));
        Cache { shared, open: Arc::new(open) }
    }
}

impl<K: Object> Cache<K> {
    /// Says what to watch. The client's identity must be allowed to list and to watch it.
    pub fn builder(client: Client) -> Builder<K> {
        Builder {
            client,
            selection: Selection::default(),
            intake: Intake { filter: None, reduce: None },
            indexes: Vec::new(),
            hooks: Vec::new(),
        }
    }

    /// The object of this name.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.shared.get(key)
    }

    /// All objects, ordered by key.
    pub fn list(&self) -> Vec<Arc<K>> {
        self.shared.list()
    }

    /// All objects of a namespace, ordered by name.
    pub fn in_namespace(&self, namespace: &str) -> Vec<Arc<K>> {
        self.shared.in_namespace(namespace)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.shared.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a hook as [`Builder::on_change`] does; it is first told of every object that is there.
    pub fn on_change(&self, hook: impl Fn(Option<&K>, Option<&K>) + Send + Sync + 'static) {
        self.shared.add_hook(Box::new(hook));
    }

    /// Whether the first list has arrived.
    pub fn is_synced(&self) -> bool {
        self.shared.progress().synced
    }

    /// Whether the API server refuses to let us list or watch: what the cache shows is what we were last allowed to see.
    pub fn is_refused(&self) -> bool {
        self.shared.progress().refused
    }

    /// Completes when the first list has arrived. Never when the watch is refused or has ended: wait beside the tasks' stop.
    pub fn synced(&self) -> impl Future<Output = ()> + Send + use<K> {
        self.shared.reached(|progress| progress.synced)
    }

    /// Completes when the cache shows everything up to this resourceVersion.
    pub fn passed(&self, resource_version: &str) -> impl Future<Output = ()> + Send + use<K> {
        let version = version_number(resource_version);
        self.shared.reached(move |progress| progress.version >= version)
    }
}
