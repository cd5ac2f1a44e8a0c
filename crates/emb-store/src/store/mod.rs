//! The store: what callers see, over the sequencer, the tables and the log.

mod commit;
#[cfg(test)]
mod failure_tests;
mod history;
mod open;
#[cfg(test)]
mod tests;

use std::{
    future::Future,
    path::Path,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use core_clock::{Clock, Entropy, Time};
use emb_meta::GroupResource;
use parking_lot::{Condvar, Mutex, RwLock};
use tokio::sync::{Notify, oneshot};

use crate::{
    BackupError, CommitError, CommitLog, Entry, Event, Expired, Figures, Health, Identity, Key,
    Listing, Op, OpenError, OpenReport, Options, Range, Watcher, intern::Interner,
    sequence::Sequencer, tables::Tables,
};

/// Called with every published batch.
pub type Hook = Arc<dyn Fn(&[Arc<Event>]) + Send + Sync>;

/// A multi-version object store: everything in memory, every change in a log before anyone sees it.
pub struct Store {
    inner: Arc<Inner>,
}

/// The shared part: the log's callbacks and the watchers hold it too.
pub(crate) struct Inner {
    log: Box<dyn CommitLog>,
    clock: Arc<dyn Clock>,
    pub(crate) options: Options,
    identity: Identity,
    quarantined: usize,
    pub(crate) tables: Tables,
    interner: Interner,
    sequencer: Mutex<Sequencer>,
    /// Told when the sequencer may have become idle.
    idle: Condvar,
    /// The last durable and published revision.
    durable: AtomicU64,
    /// Told when `durable` has grown.
    advanced: Notify,
    compacted: AtomicU64,
    hooks: RwLock<Vec<Hook>>,
    closed: AtomicBool,
}

impl Store {
    /// Opens the store that `log` holds: reads every object and the recent events.
    pub fn open(
        log: Box<dyn CommitLog>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        options: Options,
    ) -> Result<(Arc<Self>, OpenReport), OpenError> {
        let (inner, report) = Inner::open(log, clock, entropy.as_ref(), options)?;
        Ok((Arc::new(Self { inner: Arc::new(inner) }), report))
    }

    /// Commits `ops` atomically. The order among commits is decided before this returns; the future resolves when the commit
    /// is durable and published, with one event per put and delete, in order. Dropping the future does not undo the commit.
    pub fn commit(
        &self,
        ops: Vec<Op>,
    ) -> impl Future<Output = Result<Vec<Arc<Event>>, CommitError>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        self.inner.commit(ops, reply);
        async move { answer.await.unwrap_or(Err(CommitError::Closed)) }
    }

    /// The last durable state of an object.
    pub fn get(&self, key: &Key) -> Option<Arc<Entry>> {
        self.inner.tables.get(key)
    }

    /// The last sequenced state of an object, perhaps not durable yet. Only for read-modify-write with
    /// [`Expect::Revision`](crate::Expect::Revision): nothing of it may reach a client before a commit built on it is done.
    pub fn head(&self, key: &Key) -> Option<Arc<Entry>> {
        self.inner.sequencer.lock().head(&self.inner.tables, key)
    }

    /// The last durable revision of the whole store.
    pub fn revision(&self) -> u64 {
        self.inner.revision()
    }

    /// The objects of a resource now.
    pub fn list(&self, resource: &GroupResource, range: Range<'_>) -> Listing {
        self.inner.list(resource, range)
    }

    /// The objects of a resource exactly as they were at `revision`. A revision that is still to come reads as now.
    pub fn list_at(
        &self,
        resource: &GroupResource,
        range: Range<'_>,
        revision: u64,
    ) -> Result<Listing, Expired> {
        self.inner.list_at(resource, range, revision)
    }

    /// The changes of a resource above revision `after`, without end.
    pub fn watch(&self, resource: &GroupResource, after: u64) -> Result<Watcher, Expired> {
        self.inner.check_retained(after)?;
        let table = self.inner.tables.find_or_create(resource);
        Ok(Watcher::new(self.inner.clone(), table, after))
    }

    /// Waits until revision `revision` is durable and published.
    pub async fn wait_for(&self, revision: u64) {
        loop {
            let mut advanced = pin!(self.inner.advanced.notified());
            // Registered before looking, so that no advance in between is missed.
            advanced.as_mut().enable();
            if self.revision() >= revision {
                return;
            }
            advanced.await;
        }
    }

    /// The objects that name `owner_uid` in their ownerReferences.
    pub fn dependents(&self, owner_uid: &str) -> Vec<Key> {
        self.inner.tables.dependents(owner_uid)
    }

    /// How many objects a resource has.
    pub fn count(&self, resource: &GroupResource) -> usize {
        self.inner.tables.find(resource).map_or(0, |table| table.contents.read().len())
    }

    /// The resources that have objects.
    pub fn resources(&self) -> Vec<GroupResource> {
        let tables = self.inner.tables.all();
        let used = tables.iter().filter(|table| table.contents.read().len() > 0);
        used.map(|table| table.resource.clone()).collect()
    }

    /// Calls `hook` with every batch of events in revision order, after it is readable and before its commits resolve. A hook
    /// holds up all writes while it runs; it may start a commit but must not wait for one, nor close the store.
    pub fn on_commit(&self, hook: Hook) {
        self.inner.hooks.write().push(hook);
    }

    /// Forgets history that is older than the retention at `now`, and tries whether a full disk has room again.
    pub fn compact(&self, now: Time) {
        self.inner.probe_if_due();
        self.inner.compact(now);
    }

    /// History up to here is gone: reads and watches start from this revision at the earliest.
    pub fn compacted(&self) -> u64 {
        self.inner.compacted()
    }

    /// Whether writes are taken, and if not, why. Asking is what makes a store that ran out of space look again.
    pub fn health(&self) -> Health {
        self.inner.probe_if_due();
        let writes = self.inner.sequencer.lock().writes.clone();
        Health { writes, quarantined: self.inner.quarantined }
    }

    /// How large it is, and how its watchers keep up.
    pub fn figures(&self) -> Figures {
        let inner = &self.inner;
        Figures {
            log: inner.log.size(),
            ring_bytes: inner.tables.ring_bytes(),
            resources: inner.tables.all().iter().map(|table| table.figures()).collect(),
        }
    }

    /// Which store this is.
    pub fn identity(&self) -> &Identity {
        &self.inner.identity
    }

    /// Writes a snapshot of the last durable state to the file `to`, while reads and writes go on.
    pub async fn backup(&self, to: &Path) -> Result<(), BackupError> {
        let (reply, answer) = oneshot::channel();
        let done = Box::new(move |result| {
            // The caller may have gone; the file is there all the same.
            let _ = reply.send(result);
        });
        self.inner.log.backup(to, done);
        answer.await.unwrap_or(Err(BackupError::Closed))
    }

    /// Refuses new commits, waits for those under way, ends all watches and releases the log.
    pub fn close(&self) {
        self.inner.close();
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Watchers may outlive the store; they must not wait for changes that nobody can make any more.
        self.inner.end_watches();
    }
}

impl Inner {
    pub(crate) fn revision(&self) -> u64 {
        self.durable.load(Ordering::Acquire)
    }

    pub(crate) fn compacted(&self) -> u64 {
        self.compacted.load(Ordering::Acquire)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    fn close(&self) {
        {
            let mut sequencer = self.sequencer.lock();
            sequencer.closed = true;
            while !sequencer.is_idle() {
                self.idle.wait(&mut sequencer);
            }
        }
        self.end_watches();
        self.log.close();
    }

    fn end_watches(&self) {
        self.closed.store(true, Ordering::Release);
        self.tables.announce_all();
    }
}
