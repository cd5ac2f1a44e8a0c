//! The loop behind a cache: list, then watch from there, again and again.

use std::{collections::BTreeMap, fmt, marker::PhantomData, pin::pin, sync::Arc, time::Duration};

use futures::TryStreamExt;
use kube::{
    Client,
    api::{ListParams, WatchEvent, WatchParams},
    core::metadata::ListMeta,
};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Selection, state::Shared};
use crate::{
    Backoff, ObjectKey, Ports,
    object::{Object, is_expired, lean, requests, send, status_code, version_number},
};

/// Objects per page of a list.
const PAGE: u32 = 500;
/// How long a page may take, and the head of a watch's reply.
const REPLY: Duration = Duration::from_mins(1);
/// The API server ends a watch after this many seconds; kube allows less than 295.
const WATCH_SECONDS: u32 = 290;
/// A watch that is silent for longer than it should live is dead without saying so.
const SILENCE: Duration = Duration::from_secs(320);
/// A watch that lived this long was none that failed, even if nothing happened.
const STEADY: Duration = Duration::from_secs(5);
/// Waits between attempts that brought nothing.
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(100), max: Duration::from_secs(30) };
/// Waits while we are not allowed to watch: a grant may come at any moment and should work at once.
const FORBIDDEN: Backoff =
    Backoff { base: Duration::from_millis(100), max: Duration::from_secs(1) };

/// Where kubectl keeps a copy of the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Follows one kind into its [`Shared`] state.
pub(crate) struct Watch<K> {
    client: Client,
    selection: Selection,
    shared: Arc<Shared<K>>,
    ports: Ports,
    /// Where to go on; `None` when only a list can tell.
    version: Option<String>,
    /// Attempts in a row that brought nothing.
    failures: u32,
}

#[derive(Debug, thiserror::Error)]
enum WatchError {
    #[error(transparent)]
    Request(#[from] kube::Error),
    #[error("no reply within {} s", REPLY.as_secs())]
    NoReply,
    #[error("a list without a resourceVersion")]
    NoVersion,
}

impl WatchError {
    /// Whether we are not allowed to, as opposed to not able to.
    fn is_refusal(&self) -> bool {
        matches!(self, Self::Request(error) if matches!(status_code(error), Some(401 | 403)))
    }
}

#[derive(Deserialize)]
#[serde(bound = "K: Object")]
struct Page<K> {
    #[serde(default)]
    metadata: ListMeta,
    items: Option<Items<K>>,
}

/// What was read of each item; what has no name is left out.
struct Items<K>(Vec<(ObjectKey, Option<K>)>);

impl<'de, K: Object> Deserialize<'de> for Items<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(OneByOne(PhantomData))
    }
}

/// Reads items one by one: all as trees at once would take far more memory than what is kept of them.
struct OneByOne<K>(PhantomData<K>);

impl<'de, K: Object> Visitor<'de> for OneByOne<K> {
    type Value = Items<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut read_items = Vec::new();
        while let Some(item) = items.next_element()? {
            read_items.extend(read::<K>(item));
        }
        Ok(Items(read_items))
    }
}

impl<K> Drop for Watch<K> {
    fn drop(&mut self) {
        self.shared.forget_hooks();
    }
}

impl<K: Object> Watch<K> {
    pub(crate) fn new(
        client: Client,
        selection: Selection,
        shared: Arc<Shared<K>>,
        ports: Ports,
    ) -> Self {
        Self { client, selection, shared, ports, version: None, failures: 0 }
    }

    /// Runs until the tasks stop or `closed` completes.
    pub(crate) async fn run(mut self, closed: oneshot::Receiver<()>) {
        let stopping = self.ports.tasks.stopping();
        tokio::select! {
            biased;
            () = stopping => {}
            _ = closed => {}
            () = self.follow() => {}
        }
    }

    async fn follow(&mut self) {
        loop {
            let backoff = match self.turn().await {
                Ok(()) => BACKOFF,
                Err(error) => {
                    if error.is_refusal() {
                        self.shared.set_refused(true);
                    }
                    self.complain(&error)
                }
            };
            if self.failures > 0 {
                let delay = backoff.delay(self.failures, &*self.ports.entropy);
                self.ports.clock.sleep(delay).await;
            }
        }
    }

    /// Logs a failure, the less often the longer it lasts, and says how to wait.
    fn complain(&self, error: &WatchError) -> Backoff {
        if self.failures.is_power_of_two() || self.failures == 0 {
            let kind = K::kind(&());
            let namespace = self.selection.namespace.as_deref().unwrap_or_default();
            tracing::warn!(%kind, namespace, %error, failures = self.failures, "watch failed; trying again");
        }
        if error.is_refusal() { FORBIDDEN } else { BACKOFF }
    }

    /// A list when one is needed, then a watch until it ends. Counts as a failure until something arrives.
    async fn turn(&mut self) -> Result<(), WatchError> {
        self.failures = self.failures.saturating_add(1);
        let version = match &self.version {
            Some(version) => version.clone(),
            None => self.list().await?,
        };
        let started = self.ports.clock.monotonic();
        let ended = self.watch(&version).await;
        if self.ports.clock.monotonic().saturating_sub(started) >= STEADY {
            self.failures = 0;
        }
        ended
    }

    async fn list(&mut self) -> Result<String, WatchError> {
        let mut listed = BTreeMap::new();
        let mut params = ListParams {
            label_selector: self.selection.labels.clone(),
            field_selector: self.selection.fields.clone(),
            limit: Some(PAGE),
            ..ListParams::default()
        };
        let metadata = loop {
            let request =
                requests::<K>(self.selection.namespace.as_deref()).list(&params).map(lean);
            let page: Page<K> = self
                .ports
                .within(REPLY, send(&self.client, request))
                .await
                .ok_or(WatchError::NoReply)??;
            let items = page.items.into_iter().flat_map(|items| items.0);
            listed.extend(items.filter_map(|(key, object)| self.take_in(key, object)));
            match page.metadata.continue_.clone().filter(|token| !token.is_empty()) {
                Some(token) => params.continue_token = Some(token),
                None => break page.metadata,
            }
        };
        let version = metadata.resource_version.filter(|version| !version.is_empty());
        let version = version.ok_or(WatchError::NoVersion)?;
        self.shared.replace(listed, version_number(&version));
        self.version = Some(version.clone());
        Ok(version)
    }

    /// An item of a list, as the cache keeps it.
    fn take_in(&self, key: ObjectKey, object: Option<K>) -> Option<(ObjectKey, Option<Arc<K>>)> {
        match object {
            Some(object) => self.shared.take_in(object).map(|object| (key, Some(object))),
            None => Some((key, None)),
        }
    }

    /// Applies events until the stream ends, which is normal, or fails. The next turn goes on where this one stood, or
    /// lists when the history from there is gone.
    async fn watch(&mut self, version: &str) -> Result<(), WatchError> {
        let params = WatchParams {
            label_selector: self.selection.labels.clone(),
            field_selector: self.selection.fields.clone(),
            timeout: Some(WATCH_SECONDS),
            bookmarks: true,
            send_initial_events: false,
        };
        let request = requests::<K>(self.selection.namespace.as_deref())
            .watch(&params, version)
            .map(lean)
            .map_err(kube::Error::BuildRequest)?;
        let opened = self.ports.within(REPLY, self.client.request_events::<Value>(request)).await;
        let stream = match opened.ok_or(WatchError::NoReply)? {
            Err(kube::Error::Api(status)) if is_expired(&status) => {
                self.version = None;
                return Ok(());
            }
            opened => opened?,
        };
        self.shared.set_refused(false);
        let mut events = pin!(stream);
        loop {
            match self.ports.within(SILENCE, events.try_next()).await {
                None | Some(Ok(None)) => return Ok(()),
                Some(Ok(Some(WatchEvent::Error(status)))) if is_expired(&status) => {
                    self.version = None;
                    return Ok(());
                }
                Some(Ok(Some(event))) => self.apply(event)?,
                Some(Err(error)) => return Err(error.into()),
            }
        }
    }

    fn apply(&mut self, event: WatchEvent<Value>) -> Result<(), WatchError> {
        let version = match event {
            WatchEvent::Error(status) => return Err(kube::Error::Api(status).into()),
            WatchEvent::Bookmark(bookmark) => bookmark.metadata.resource_version,
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                let version = version_of(&object);
                if let Some((key, Some(object))) = read::<K>(object) {
                    self.shared.put(key, object);
                }
                version
            }
            WatchEvent::Deleted(object) => {
                if let Some(key) = key_of(&object) {
                    self.shared.remove(&key);
                }
                version_of(&object)
            }
        };
        self.shared.advance(version_number(&version));
        if !version.is_empty() {
            self.version = Some(version);
        }
        self.failures = 0;
        Ok(())
    }
}

/// An object from the wire without what only its writers ask for. One that does not decode keeps what we had under its
/// key: a single bad object must neither stop the watch nor look like a deletion.
fn read<K: Object>(mut value: Value) -> Option<(ObjectKey, Option<K>)> {
    let key = key_of(&value)?;
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED);
        }
    }
    match serde_json::from_value(value) {
        Ok(object) => Some((key, Some(object))),
        Err(error) => {
            tracing::error!(kind = %K::kind(&()), object = %key, %error, "cannot be read; skipped");
            Some((key, None))
        }
    }
}

fn key_of(value: &Value) -> Option<ObjectKey> {
    let metadata = value.get("metadata")?;
    let text = |field: &str| metadata.get(field).and_then(Value::as_str);
    Some(ObjectKey::new(text("namespace").unwrap_or_default(), text("name")?))
}

fn version_of(value: &Value) -> String {
    let version = value.get("metadata").and_then(|metadata| metadata.get("resourceVersion"));
    version.and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_decode_keeps_its_key_and_what_has_no_name_is_nothing() {
        let metadata = json!({
            "namespace": "n", "name": "a", "managedFields": [{"manager": "m"}],
            "annotations": {LAST_APPLIED: "{}", "kept": ""},
        });
        let good = json!({"metadata": metadata.clone(), "data": {"k": "v"}});
        let (key, object) = read::<ConfigMap>(good).unwrap();
        assert_eq!(key, ObjectKey::new("n", "a"));
        let read_metadata = object.unwrap().metadata;
        assert!(read_metadata.managed_fields.is_none());
        assert_eq!(read_metadata.annotations.unwrap().into_keys().collect::<Vec<_>>(), ["kept"]);
        let (key, object) = read::<ConfigMap>(json!({"metadata": metadata, "data": 7})).unwrap();
        assert_eq!((key, object), (ObjectKey::new("n", "a"), None));
        assert!(read::<ConfigMap>(json!({"metadata": {}})).is_none());
        assert!(read::<ConfigMap>(json!("text")).is_none());
    }
}
