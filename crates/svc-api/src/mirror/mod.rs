//! Objects of the Kubernetes API in memory, as the JSON that clients get.
//!
//! One watch per kind keeps them ([`reflector`]). An object is kept as the bytes that came, with its
//! managedFields, so that answering a request copies and parses nothing; what indexes need is read
//! once, on arrival. Each namespace keeps a log of its last changes, which all watches of clients
//! read: one that resumes starts in it, one that is too slow falls out of it.
//!
//! Secrets are never here.

mod kind;
mod log;
mod object;
mod reflector;
mod shelf;
mod state;

use std::{collections::HashMap, sync::Arc, time::Duration};

use bytes::Bytes;
use io_kube::Ports;
use kube::Client;
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

pub(crate) use kind::{IS_PROJECT, Kind, kinds, qualified};
pub(crate) use log::{Change, Expired};
pub(crate) use object::Object;

use self::{reflector::Reflector, shelf::Cursor, state::State};
use crate::{
    api_error::{ApiError, ApiResult},
    document::Document,
};

/// Lists that are kept as they were sent last.
const MAX_DOCUMENTS: usize = 256;
/// How long a reader waits to see what was just written.
const CATCH_UP: Duration = Duration::from_secs(2);

/// The objects of a kind. Clones share them.
#[derive(Clone)]
pub(crate) struct Mirror {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    kind: &'static Kind,
    state: RwLock<State>,
    progress: watch::Sender<Progress>,
    documents: Mutex<HashMap<String, (u64, Document)>>,
    ports: Ports,
    /// Told of every change, after it shows.
    hook: Box<dyn Fn() + Send + Sync>,
}

/// How far the watch has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    is_synced: bool,
    version: u64,
}

/// A namespace at one moment.
pub(crate) struct Snapshot {
    /// Everything up to this is in it, and nothing after.
    pub(crate) version: u64,
    /// By name.
    pub(crate) objects: Vec<Arc<Object>>,
}

/// Follows the changes of a namespace.
pub(crate) struct Follower {
    mirror: Mirror,
    cursor: Cursor,
}

impl Mirror {
    /// Starts to watch, in one namespace or in all.
    pub(crate) fn start(
        kind: &'static Kind,
        namespace: Option<String>,
        client: Client,
        ports: &Ports,
        hook: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            kind,
            state: RwLock::new(State::new(kind.is_watched)),
            progress: watch::Sender::default(),
            documents: Mutex::default(),
            ports: ports.clone(),
            hook: Box::new(hook),
        });
        let reflector = Reflector::new(client, namespace, shared.clone(), ports.clone());
        ports.tasks.spawn("mirror", Box::pin(reflector.run()));
        Self { shared }
    }

    /// What it holds.
    pub(crate) fn kind(&self) -> &'static Kind {
        self.shared.kind
    }

    /// Whether the first list has arrived.
    pub(crate) fn is_synced(&self) -> bool {
        self.shared.progress.borrow().is_synced
    }

    /// The object of this name.
    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.shared.state.read().get(namespace, name)
    }

    /// The objects of a namespace.
    pub(crate) fn list(&self, namespace: &str) -> Snapshot {
        self.shared.state.read().list(namespace)
    }

    /// The objects of all namespaces.
    pub(crate) fn list_all(&self) -> Snapshot {
        self.shared.state.read().list_all()
    }

    /// The objects with this tag, in a namespace or in all.
    pub(crate) fn tagged(&self, tag: &str, namespace: Option<&str>) -> Vec<Arc<Object>> {
        self.shared.state.read().tagged(tag, namespace)
    }

    /// A namespace as a list, kept for whoever asks next.
    pub(crate) fn document(&self, namespace: &str) -> Document {
        let make = || {
            let snapshot = self.list(namespace);
            (snapshot.version, self.list_document(&snapshot))
        };
        self.kept(namespace, make)
    }

    /// What `make` makes of a version, kept under this name for as long as nothing changes.
    pub(crate) fn kept(&self, name: &str, make: impl FnOnce() -> (u64, Document)) -> Document {
        let version = self.shared.progress.borrow().version;
        if let Some((kept, document)) = self.shared.documents.lock().get(name)
            && *kept == version
        {
            return document.clone();
        }
        let (version, document) = make();
        let mut documents = self.shared.documents.lock();
        if documents.len() >= MAX_DOCUMENTS {
            documents.clear();
        }
        documents.insert(name.to_owned(), (version, document.clone()));
        document
    }

    /// Objects as a list.
    pub(crate) fn list_document(&self, snapshot: &Snapshot) -> Document {
        let bodies = snapshot.objects.iter().map(|object| object.json.clone());
        self.list_of(snapshot.version, None, bodies)
    }

    /// JSON of objects as a list; `more` is how to go on, and how many come after these.
    pub(crate) fn list_of(
        &self,
        version: u64,
        more: Option<(&str, usize)>,
        bodies: impl Iterator<Item = Bytes>,
    ) -> Document {
        let kind = self.kind();
        let more = more.map(|(token, remaining)| {
            let token = serde_json::Value::from(token);
            format!(r#","continue":{token},"remainingItemCount":{remaining}"#)
        });
        let mut body = format!(
            r#"{{"apiVersion":"{}","kind":"{}List","metadata":{{"resourceVersion":"{version}"{}}},"items":["#,
            kind.api_version(),
            kind.name,
            more.unwrap_or_default(),
        )
        .into_bytes();
        for (index, object) in bodies.enumerate() {
            if index > 0 {
                body.push(b',');
            }
            body.extend_from_slice(&object);
        }
        body.extend_from_slice(b"]}");
        Document::of_bytes(body).with_version(version)
    }

    /// The changes of a namespace from now on, and what is there now.
    pub(crate) fn follow(&self, namespace: &str) -> (Snapshot, Follower) {
        let mut state = self.shared.state.write();
        let cursor = state.shelf(namespace).cursor();
        let snapshot = state.list(namespace);
        drop(state);
        (snapshot, Follower { mirror: self.clone(), cursor })
    }

    /// The changes of a namespace after `version`.
    pub(crate) fn follow_after(&self, namespace: &str, version: u64) -> Result<Follower, Expired> {
        let cursor = self.shared.state.write().shelf(namespace).cursor_after(version)?;
        Ok(Follower { mirror: self.clone(), cursor })
    }

    /// Completes when everything up to `version` shows, or when that takes too long.
    pub(crate) async fn catch_up(&self, version: u64) {
        let mut progress = self.shared.progress.subscribe();
        let passed = progress.wait_for(|progress| progress.version >= version);
        // Late is not wrong: the write happened, and the next read will show it.
        self.shared.ports.within(CATCH_UP, passed).await;
    }

    /// Completes when the object of this name is gone or another, or when that takes too long.
    pub(crate) async fn catch_up_deletion(&self, namespace: &str, name: &str) {
        let Some(before) = self.get(namespace, name) else { return };
        let mut progress = self.shared.progress.subscribe();
        let is_gone = |_: &Progress| {
            self.get(namespace, name).is_none_or(|now| now.version != before.version)
        };
        self.shared.ports.within(CATCH_UP, progress.wait_for(is_gone)).await;
    }

    /// Completes when the first list has arrived.
    pub(crate) async fn synced(&self) {
        let mut progress = self.shared.progress.subscribe();
        // It fails when the mirror is gone, and this is one.
        drop(progress.wait_for(|progress| progress.is_synced).await);
    }

    /// Refuses to answer before the first list has arrived.
    pub(crate) fn ready(&self) -> ApiResult<&Self> {
        if self.is_synced() {
            return Ok(self);
        }
        let plural = self.kind().plural;
        Err(ApiError::unavailable(
            "the server is still starting",
            format!("{plural} not listed yet"),
        ))
    }
}

impl Follower {
    /// The changes since the last call, and the version up to which these are all.
    pub(crate) fn changes(&mut self) -> Result<(Vec<Arc<Change>>, u64), Expired> {
        self.cursor.mark_seen();
        let state = self.mirror.shared.state.read();
        Ok((state.changes(&mut self.cursor)?, state.version()))
    }

    /// Completes when there are changes.
    pub(crate) async fn changed(&mut self) {
        self.cursor.changed().await;
    }
}

impl Shared {
    /// Puts a whole list in place of what was there.
    fn replace(&self, objects: Vec<Object>, version: u64) {
        self.state.write().replace(objects, version);
        self.progress.send_replace(Progress { is_synced: true, version });
        (self.hook)();
    }

    /// Takes in one change.
    fn apply(&self, object: Object, is_deleted: bool) {
        let version = object.version;
        self.state.write().apply(object, is_deleted);
        self.advance(version);
        (self.hook)();
    }

    /// Nothing happened up to `version`.
    fn advance(&self, version: u64) {
        self.state.write().advance(version);
        self.progress.send_modify(|progress| progress.version = progress.version.max(version));
    }
}
