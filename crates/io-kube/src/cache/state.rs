//! What a cache holds, and how changes enter it.

use std::{
    collections::BTreeMap,
    future::Future,
    ops::Bound,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use kube::Resource;
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use super::{Hook, Intake, index::Maintained};
use crate::ObjectKey;

/// How far the watch has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// Whether the first list has arrived.
    pub(crate) synced: bool,
    /// Whether the API server does not let us watch any more, or not yet.
    pub(crate) refused: bool,
    /// Everything up to this resourceVersion is shown.
    pub(crate) version: u64,
}

/// The state behind all handles of a cache. Only its watch changes it.
pub(crate) struct Shared<K> {
    objects: RwLock<BTreeMap<ObjectKey, Arc<K>>>,
    intake: Intake<K>,
    indexes: Vec<Arc<dyn Maintained<K>>>,
    // Held while a change enters, so that a new hook sees each object exactly once. None when the watch is over.
    hooks: Mutex<Option<Vec<Hook<K>>>>,
    progress: watch::Sender<Progress>,
}

impl<K> Shared<K> {
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.objects.read().get(key).cloned()
    }

    pub(crate) fn list(&self) -> Vec<Arc<K>> {
        self.objects.read().values().cloned().collect()
    }

    pub(crate) fn in_namespace(&self, namespace: &str) -> Vec<Arc<K>> {
        let first = Bound::Included(ObjectKey::new(namespace, ""));
        let objects = self.objects.read();
        objects
            .range((first, Bound::Unbounded))
            .take_while(|(key, _)| key.namespace == namespace)
            .map(|(_, object)| object.clone())
            .collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.read().len()
    }

    pub(crate) fn progress(&self) -> Progress {
        *self.progress.borrow()
    }

    /// Completes when the progress is as wanted.
    pub(crate) fn reached<F: Fn(&Progress) -> bool + Send>(
        &self,
        wanted: F,
    ) -> impl Future<Output = ()> + Send + use<K, F> {
        let mut progress = self.progress.subscribe();
        async move {
            if progress.wait_for(wanted).await.is_err() {
                // The cache is gone: it will never get there.
                std::future::pending::<()>().await;
            }
        }
    }

    pub(crate) fn add_hook(&self, hook: Hook<K>) {
        let mut hooks = self.hooks.lock();
        for object in self.list() {
            hook(None, Some(&object));
        }
        if let Some(hooks) = &mut *hooks {
            hooks.push(hook);
        }
    }

    /// The watch is over. Hooks often hold the cache that holds them: they would keep each other in memory.
    pub(crate) fn forget_hooks(&self) {
        let hooks = self.hooks.lock().take();
        // Not under the lock: who knows what goes with them.
        drop(hooks);
    }

    /// Whether the API server lets us watch.
    pub(crate) fn set_refused(&self, refused: bool) {
        self.progress.send_if_modified(|progress| {
            std::mem::replace(&mut progress.refused, refused) != refused
        });
    }

    /// Everything up to `version` is shown.
    pub(crate) fn advance(&self, version: u64) {
        self.progress.send_modify(|progress| progress.version = progress.version.max(version));
    }
}

impl<K: Resource> Shared<K> {
    pub(crate) fn new(
        intake: Intake<K>,
        indexes: Vec<Arc<dyn Maintained<K>>>,
        hooks: Vec<Hook<K>>,
    ) -> Self {
        Self {
            objects: RwLock::new(BTreeMap::new()),
            intake,
            indexes,
            hooks: Mutex::new(Some(hooks)),
            progress: watch::Sender::new(Progress::default()),
        }
    }

    /// What becomes of an object when it enters; `None` when it does not belong here.
    pub(crate) fn take_in(&self, object: K) -> Option<Arc<K>> {
        self.intake.take(object)
    }

    /// A list arrived: what it does not name is gone. `None` keeps what we had under a key.
    pub(crate) fn replace(&self, listed: BTreeMap<ObjectKey, Option<Arc<K>>>, version: u64) {
        let gone: Vec<_> =
            self.objects.read().keys().filter(|key| !listed.contains_key(key)).cloned().collect();
        for key in gone {
            self.remove(&key);
        }
        for (key, object) in listed {
            if let Some(object) = object {
                self.enter(key, object);
            }
        }
        self.advance(version);
        self.progress.send_modify(|progress| progress.synced = true);
    }

    /// An object is there or changed.
    pub(crate) fn put(&self, key: ObjectKey, object: K) {
        match self.take_in(object) {
            Some(object) => self.enter(key, object),
            None => self.remove(&key),
        }
    }

    fn enter(&self, key: ObjectKey, object: Arc<K>) {
        if let Some(old) = self.get(&key) {
            if is_same_state(&*old, &*object) {
                return;
            }
            if old.meta().uid != object.meta().uid {
                // Deleted and made again while nobody looked: two changes, as a watch would have shown them.
                self.remove(&key);
            }
        }
        self.change(&key, Some(object));
    }

    /// An object is gone.
    pub(crate) fn remove(&self, key: &ObjectKey) {
        self.change(key, None);
    }

    fn change(&self, key: &ObjectKey, new: Option<Arc<K>>) {
        let hooks = self.hooks.lock();
        let old = {
            let mut objects = self.objects.write();
            match &new {
                Some(new) => objects.insert(key.clone(), new.clone()),
                None => objects.remove(key),
            }
        };
        if old.is_none() && new.is_none() {
            return;
        }
        for index in &self.indexes {
            guarded(key, || index.update(key, old.as_deref(), new.as_ref()));
        }
        for hook in hooks.iter().flatten() {
            guarded(key, || hook(old.as_deref(), new.as_deref()));
        }
    }
}

/// Lets the watch and the other hooks live on when one of them panics.
fn guarded(key: &ObjectKey, call: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(call)).is_err() {
        tracing::error!(object = %key, "a hook or index panicked on a change");
    }
}

fn is_same_state<K: Resource>(old: &K, new: &K) -> bool {
    let (old, new) = (old.meta(), new.meta());
    new.resource_version.is_some()
        && old.resource_version == new.resource_version
        && old.uid == new.uid
}
