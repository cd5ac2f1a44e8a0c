//! Plays the steps of one history on one server and tells what came of each in a comparable form.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use dev_testkit::Reply;
use http::Method;
use serde_json::{Value, json};

use crate::{
    generator::History,
    memory::Memory,
    normal::{Known, Normaliser},
    operation::{Operation, Request, Start, Watch},
    server::{self, Server},
    settle,
    stream::Stream,
    wire::target,
};

/// The name under which writes without a manager are noted.
const USER_AGENT: (&str, &str) = ("user-agent", "histories/1");

/// One history on one server.
pub(crate) struct Player {
    server: Arc<Server>,
    worker: usize,
    memory: Memory,
    normaliser: Normaliser,
    /// Open watches by the position of their step.
    streams: Vec<(usize, Watch, Stream)>,
    /// The collections that controllers may have to work on.
    collections: Vec<String>,
    /// The highest revision that a reply has shown: later lists must not be older.
    newest: u64,
    /// Whether objects of the history own each other.
    owners: bool,
}

impl Player {
    /// Prepares the namespaces of a history. `run` tells it apart from all others on the server.
    pub(crate) async fn new(
        server: Arc<Server>,
        worker: usize,
        run: &str,
        history: &History,
    ) -> Result<Self> {
        let mut player = Self {
            worker,
            memory: Memory::new(run),
            normaliser: Normaliser::new(run, history.taste.apply),
            streams: Vec::new(),
            collections: Vec::new(),
            newest: 0,
            owners: history.owners,
            server,
        };
        player.prepare(history).await?;
        Ok(player)
    }

    async fn prepare(&mut self, history: &History) -> Result<()> {
        let client = self.server.client(self.worker).await?;
        for letter in &history.namespaces {
            let name = self.memory.resolve(&format!("<history>-{letter}"));
            let namespace =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            server::create(&client, "/api/v1/namespaces", &namespace).await?;
            for kind in history.kinds.iter().filter(|kind| kind.namespaced) {
                self.collections.push(self.memory.resolve(&kind.collection(*letter)));
            }
            if history.kinds.iter().any(|kind| kind.plural == "serviceaccounts") {
                settle::default_account(&client, &name).await?;
            }
        }
        for kind in history.kinds.iter().filter(|kind| !kind.namespaced) {
            let own = self.memory.resolve("?labelSelector=history%3D<history>");
            self.collections.push(kind.everywhere() + &own);
        }
        Ok(())
    }

    /// Plays one step.
    pub(crate) async fn play(&mut self, position: usize, operation: &Operation) -> Result<Value> {
        match operation {
            Operation::Request(request) => self.request(request).await,
            Operation::Watch(watch) => self.watch(position, watch).await,
            Operation::Restart => {
                self.server.crash().await?;
                Ok(Value::Null)
            }
        }
    }

    async fn request(&mut self, request: &Request) -> Result<Value> {
        let reply = self.send(request).await?;
        let body = reply.json();
        if reply.status.is_success() {
            self.memory.note(request, &body);
        }
        if request.settles {
            let own = self.memory.resolve(&request.path);
            settle::garbage(&self.server, self.worker, &self.collections, &own).await?;
        }
        let shown = if body.is_null() { reply.text().into() } else { self.normaliser.reply(&body) };
        let current = !self.is_old(request, &body);
        let status = reply.status.as_u16();
        Ok(
            json!({"status": status, "warnings": reply.warnings(), "body": shown, "current": current}),
        )
    }

    async fn send(&self, request: &Request) -> Result<Reply> {
        let path = self.memory.resolve(&request.path);
        let query: Vec<(String, String)> = request
            .query
            .iter()
            .map(|(name, value)| ((*name).to_owned(), self.memory.resolve(value)))
            .collect();
        let mut headers = vec![USER_AGENT];
        headers.extend(request.content_type.map(|media_type| ("content-type", media_type)));
        headers.extend(request.accept.map(|media_type| ("accept", media_type)));
        let body = self.memory.body(&request.body).map_or(String::new(), |body| body.to_string());
        let client = self.server.client(self.worker).await?;
        client
            .send(request.method.clone(), &target(&path, &query), &headers, body)
            .await
            .with_context(|| format!("{:?}: {request}", self.server.engine()))
    }

    /// Whether a list shows an older state than a reply before it; also notes how new this one is.
    fn is_old(&mut self, request: &Request, body: &Value) -> bool {
        let revision = body
            .pointer("/metadata/resourceVersion")
            .and_then(Value::as_str)
            .and_then(|revision| revision.parse().ok())
            .unwrap_or(0);
        let asks = |name: &str| request.query.iter().any(|(asked, _)| *asked == name);
        let current = !asks("resourceVersion") && !asks("continue");
        let reads = request.method == Method::GET && body.get("items").is_some();
        let old = reads && current && revision < self.newest;
        // A dry run may show a version that the client made up.
        if !request.is_dry() {
            self.newest = self.newest.max(revision);
        }
        old
    }

    async fn watch(&mut self, position: usize, watch: &Watch) -> Result<Value> {
        let mut query: Vec<(String, String)> = watch
            .query
            .iter()
            .map(|(name, value)| ((*name).to_owned(), self.memory.resolve(value)))
            .collect();
        let start: Vec<(&str, &str)> = match (watch.start, self.memory.list_revision()) {
            (Start::InitialEvents, _) => vec![
                ("sendInitialEvents", "true"),
                ("resourceVersionMatch", "NotOlderThan"),
                ("allowWatchBookmarks", "true"),
            ],
            (Start::List, Some(revision)) => vec![("resourceVersion", revision)],
            (Start::List, None) => return Ok("no list to begin at".into()),
        };
        query.extend(start.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let path = self.memory.resolve(&watch.path);
        let (status, stream) = Stream::open(self.server.clone(), self.worker, path, query).await?;
        if status == 200 {
            self.streams.push((position, watch.clone(), stream));
        }
        Ok(json!({ "status": status }))
    }

    /// Forgets what was seen since, because the step is not compared.
    pub(crate) fn forget_since(&mut self, known: Known) {
        self.normaliser.forget_since(known);
    }

    /// How much the player has seen.
    pub(crate) fn known(&self) -> Known {
        self.normaliser.known()
    }

    /// Ends all watches; tells by the position of their steps which events came.
    pub(crate) async fn finish(&mut self) -> Result<Vec<(usize, Value)>> {
        let mut seen = Vec::new();
        for (position, watch, mut stream) in std::mem::take(&mut self.streams) {
            let mark = self.write_last(&watch).await?;
            let is_last = |event: &Value| {
                event.pointer("/object/metadata/annotations/last").and_then(Value::as_str)
                    == Some(&mark)
            };
            let mut events = stream.until(is_last).await;
            if self.owners {
                // The garbage collector works on many objects at once.
                events.sort_by_key(object_name);
            }
            let told = events.iter().filter(|event| !is_idle_bookmark(event));
            let events: Vec<Value> = told.map(|event| self.normaliser.event(event)).collect();
            seen.push((position, json!({ "events": events })));
        }
        Ok(seen)
    }

    /// Writes the object whose event ends a watch; returns the mark on it.
    async fn write_last(&self, watch: &Watch) -> Result<String> {
        let annotations = watch.last_body.pointer("/metadata/annotations");
        let annotations = annotations.cloned().unwrap_or_default();
        let mark = annotations.get("last").and_then(Value::as_str).unwrap_or_default().to_owned();
        let body = self.memory.resolve(&watch.last_body.to_string());
        let path = self.memory.resolve(&watch.path);
        let client = self.server.client(self.worker).await?;
        let json = [USER_AGENT, ("content-type", "application/json")];
        let created = client.send(Method::POST, &path, &json, body).await?;
        if created.status != 409 {
            ensure!(created.status == 201, "the end of {}: {}", watch.path, created.text());
            return Ok(mark);
        }
        let item = format!("{path}/{}", watch.last.name);
        let patch = json!({"metadata": {"annotations": annotations}}).to_string();
        let merge = [USER_AGENT, ("content-type", "application/merge-patch+json")];
        let patched = client.send(Method::PATCH, &item, &merge, patch).await?;
        ensure!(patched.status == 200, "the end of {}: {}", watch.path, patched.text());
        Ok(mark)
    }
}

fn object_name(event: &Value) -> Option<String> {
    event.pointer("/object/metadata/name").map(Value::to_string)
}

/// Whether a bookmark says nothing but the time of the server.
fn is_idle_bookmark(event: &Value) -> bool {
    let end = event.pointer("/object/metadata/annotations/k8s.io~1initial-events-end");
    event.get("type").is_some_and(|kind| kind == "BOOKMARK") && end.is_none()
}
