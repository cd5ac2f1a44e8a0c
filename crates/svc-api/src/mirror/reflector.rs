//! The loop behind a mirror: list, then watch from there, again and again.

use std::{pin::pin, sync::Arc, time::Duration};

use futures::TryStreamExt;
use io_kube::{Backoff, Ports};
use kube::{
    Client,
    api::{ListParams, WatchEvent, WatchParams},
    core::Request,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Object, Shared};

const PAGE: u32 = 500;
/// How long a page may take, and the head of a watch's reply.
const REPLY: Duration = Duration::from_mins(1);
const WATCH_SECONDS: u32 = 290;
/// A watch that is silent for longer than it should live is dead without saying so.
const SILENCE: Duration = Duration::from_secs(320);
/// A watch that lived this long was none that failed.
const STEADY: Duration = Duration::from_secs(5);
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(100), max: Duration::from_secs(15) };

/// Follows one kind into its [`Shared`] state.
pub(super) struct Reflector {
    client: Client,
    namespace: Option<String>,
    shared: Arc<Shared>,
    ports: Ports,
    /// Where to go on; `None` when only a list can tell.
    version: Option<u64>,
    failures: u32,
}

#[derive(Debug, thiserror::Error)]
enum ReflectError {
    #[error(transparent)]
    Request(#[from] kube::Error),
    #[error("no reply within {} s", REPLY.as_secs())]
    NoReply,
    #[error("a reply that is no list: {0}")]
    NoList(#[from] serde_json::Error),
    #[error("a list without a resourceVersion")]
    NoVersion,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(default)]
    metadata: PageMetadata,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PageMetadata {
    resource_version: String,
    #[serde(rename = "continue")]
    more: Option<String>,
}

impl Reflector {
    pub(super) fn new(
        client: Client,
        namespace: Option<String>,
        shared: Arc<Shared>,
        ports: Ports,
    ) -> Self {
        Self { client, namespace, shared, ports, version: None, failures: 0 }
    }

    /// Runs until the tasks stop.
    pub(super) async fn run(mut self) {
        let stopping = self.ports.tasks.stopping();
        tokio::select! {
            biased;
            () = stopping => {}
            () = self.reflect() => {}
        }
    }

    async fn reflect(&mut self) {
        loop {
            if let Err(error) = self.turn().await
                && self.failures.is_power_of_two()
            {
                let kind = self.shared.kind.name;
                tracing::warn!(kind, %error, failures = self.failures, "watch failed; trying again");
            }
            if self.failures > 0 {
                let delay = BACKOFF.delay(self.failures, &*self.ports.entropy);
                self.ports.clock.sleep(delay).await;
            }
        }
    }

    /// A list when one is needed, then a watch until it ends. Counts as a failure until it has lasted.
    async fn turn(&mut self) -> Result<(), ReflectError> {
        self.failures = self.failures.saturating_add(1);
        let version = match self.version {
            Some(version) => version,
            None => self.list().await?,
        };
        let started = self.ports.clock.monotonic();
        let ended = self.watch(version).await;
        if self.ports.clock.monotonic().saturating_sub(started) >= STEADY {
            self.failures = 0;
        }
        ended
    }

    async fn list(&mut self) -> Result<u64, ReflectError> {
        let mut objects = Vec::new();
        let mut params = ListParams { limit: Some(PAGE), ..ListParams::default() };
        let version = loop {
            let request = self.requests().list(&params).map_err(kube::Error::BuildRequest)?;
            let reply = self.ports.within(REPLY, self.client.request_text(request)).await;
            let text = reply.ok_or(ReflectError::NoReply)??;
            let page: Page<'_> = serde_json::from_str(&text)?;
            let items = page.items.into_iter().flatten();
            objects.extend(items.filter_map(|item| Object::read(self.shared.kind, item)));
            match page.metadata.more.filter(|token| !token.is_empty()) {
                Some(token) => params.continue_token = Some(token),
                None => break page.metadata.resource_version,
            }
        };
        let version = version.parse().map_err(|_| ReflectError::NoVersion)?;
        self.shared.replace(objects, version);
        self.version = Some(version);
        Ok(version)
    }

    /// Applies events until the stream ends, which is normal, or fails.
    async fn watch(&mut self, version: u64) -> Result<(), ReflectError> {
        let params =
            WatchParams { timeout: Some(WATCH_SECONDS), bookmarks: true, ..WatchParams::default() };
        let request = self
            .requests()
            .watch(&params, &version.to_string())
            .map_err(kube::Error::BuildRequest)?;
        let opening = self.client.request_events::<Box<RawValue>>(request);
        let stream = match self.ports.within(REPLY, opening).await.ok_or(ReflectError::NoReply)? {
            Err(kube::Error::Api(status)) if is_expired(&status) => {
                self.version = None;
                return Ok(());
            }
            opened => opened?,
        };
        let mut events = pin!(stream);
        loop {
            match self.ports.within(SILENCE, events.try_next()).await {
                None | Some(Ok(None)) => return Ok(()),
                Some(Ok(Some(event))) => {
                    if !self.take(event)? {
                        return Ok(());
                    }
                }
                Some(Err(error)) => return Err(error.into()),
            }
        }
    }

    /// Takes in an event; false when only a list can go on.
    fn take(&mut self, event: WatchEvent<Box<RawValue>>) -> Result<bool, ReflectError> {
        self.failures = 0;
        let (raw, is_deleted) = match event {
            WatchEvent::Added(raw) | WatchEvent::Modified(raw) => (raw, false),
            WatchEvent::Deleted(raw) => (raw, true),
            WatchEvent::Bookmark(bookmark) => {
                self.pass(bookmark.metadata.resource_version.parse().ok());
                return Ok(true);
            }
            WatchEvent::Error(status) if is_expired(&status) => {
                self.version = None;
                return Ok(false);
            }
            WatchEvent::Error(status) => return Err(kube::Error::Api(status).into()),
        };
        match Object::read(self.shared.kind, &raw) {
            Some(object) => {
                self.version = Some(object.version);
                self.shared.apply(object, is_deleted);
            }
            // Nobody asks for it, but the watch has come so far.
            None => self.pass(Object::version_of(&raw)),
        }
        Ok(true)
    }

    /// Nothing happened up to `version`.
    fn pass(&mut self, version: Option<u64>) {
        if let Some(version) = version {
            self.shared.advance(version);
            self.version = Some(version);
        }
    }

    fn requests(&self) -> Request {
        Request::new(self.shared.kind.path(self.namespace.as_deref()))
    }
}

/// Whether the history that was asked for is gone.
fn is_expired(status: &kube::core::Status) -> bool {
    status.code == 410 || matches!(status.reason.as_str(), "Expired" | "Gone")
}
