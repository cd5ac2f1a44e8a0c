//! A watch that outlives restarts of its server: it goes on from the last revision that it has seen, as every client does.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use dev_testkit::{Client, Lines};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{server::Server, wire::target};

/// Longer than any event takes to arrive on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two tries to open a stream.
const PAUSE: Duration = Duration::from_millis(50);

/// An open watch; closed when dropped.
pub(crate) struct Stream {
    events: mpsc::UnboundedReceiver<Value>,
    task: JoinHandle<()>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a stream asks for.
#[derive(Clone)]
struct Asked {
    path: String,
    query: Vec<(String, String)>,
}

impl Stream {
    /// Opens a watch and waits until the server has accepted or refused it; returns the status code too.
    pub(crate) async fn open(
        server: Arc<Server>,
        worker: usize,
        path: String,
        query: Vec<(String, String)>,
    ) -> Result<(u16, Self)> {
        let asked = Asked { path, query };
        let (sender, events) = mpsc::unbounded_channel();
        // The server stays up until the initial events are there: a stream cannot go on in the middle of them.
        let client = server.client(worker).await?;
        let mut lines = asked.open(&client, None).await?;
        let status = lines.status.as_u16();
        let mut revision = None;
        while status == 200 && asked.begins_with_state() {
            let Some(event) = lines.next_json(PATIENCE).await? else { break };
            let done = event.get("type").is_some_and(|kind| kind == "BOOKMARK");
            revision = revision_of(&event).or(revision);
            sender.send(event)?;
            if done {
                break;
            }
        }
        drop(client);
        let task = tokio::spawn(follow(server, worker, asked, lines, sender, revision));
        Ok((status, Self { events, task }))
    }

    /// The events up to and with the one that `last` accepts; fewer when it does not come.
    pub(crate) async fn until(&mut self, last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut events = Vec::new();
        while let Ok(Some(event)) = tokio::time::timeout(PATIENCE, self.events.recv()).await {
            let done = last(&event);
            events.push(event);
            if done {
                break;
            }
        }
        events
    }
}

impl Asked {
    fn begins_with_state(&self) -> bool {
        self.query.iter().any(|(name, _)| name == "sendInitialEvents")
    }

    async fn open(&self, client: &Client, after: Option<&str>) -> Result<Lines> {
        let mut query = self.query.clone();
        if let Some(revision) = after {
            let begins = ["resourceVersion", "resourceVersionMatch", "sendInitialEvents"];
            query.retain(|(name, _)| !begins.contains(&name.as_str()));
            query.push(("resourceVersion".into(), revision.into()));
        }
        query.push(("watch".into(), "true".into()));
        client.lines(&target(&self.path, &query), &[]).await
    }
}

/// Passes events on until nobody listens.
async fn follow(
    server: Arc<Server>,
    worker: usize,
    asked: Asked,
    mut lines: Lines,
    sender: mpsc::UnboundedSender<Value>,
    mut revision: Option<String>,
) {
    while !sender.is_closed() {
        if let Ok(Some(line)) = lines.next().await {
            let event: Value = serde_json::from_slice(&line).unwrap_or_default();
            revision = revision_of(&event).or(revision);
            let refused = event.get("type").is_none_or(|kind| kind == "ERROR");
            if sender.send(event).is_err() || refused {
                return;
            }
            continue;
        }
        tokio::time::sleep(PAUSE).await;
        let Ok(client) = server.client(worker).await else { return };
        if let Ok(again) = asked.open(&client, revision.as_deref()).await {
            lines = again;
        }
    }
}

fn revision_of(event: &Value) -> Option<String> {
    let revision = event.pointer("/object/metadata/resourceVersion")?;
    revision.as_str().map(str::to_owned)
}
