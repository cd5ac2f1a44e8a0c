//! A watch stream as a sequence of events.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use dev_testkit::Lines;
use serde_json::Value;

use crate::expect::text;

/// Longer than any event takes to arrive on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
    pub(crate) kind: String,
    pub(crate) object: Value,
}

impl Event {
    /// Type and object name, as most checks compare them.
    pub(crate) fn brief(&self) -> (&str, &str) {
        (
            &self.kind,
            self.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default(),
        )
    }
}

/// An open watch.
pub(crate) struct Watch {
    request: String,
    pub(crate) lines: Lines,
}

impl Watch {
    pub(crate) fn new(request: String, lines: Lines) -> Self {
        Self { request, lines }
    }

    /// The next event, which must come soon.
    pub(crate) async fn next(&mut self) -> Result<Event> {
        self.next_within(PATIENCE).await
    }

    /// The next event, which must come within `patience`.
    pub(crate) async fn next_within(&mut self, patience: Duration) -> Result<Event> {
        let event = self.lines.next_json(patience).await?;
        parse(event.with_context(|| format!("{}: no event came", self.request))?)
    }

    /// The next event must have this type and object name.
    pub(crate) async fn expect(&mut self, kind: &str, name: &str) -> Result<Event> {
        let event = self.next().await?;
        ensure!(
            event.brief() == (kind, name),
            "{}: got {event:?}, want {kind} {name}",
            self.request
        );
        Ok(event)
    }

    /// The events up to and with the one that `last` accepts.
    pub(crate) async fn until(&mut self, last: impl Fn(&Event) -> bool) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await?;
            let done = last(&event);
            events.push(event);
            if done {
                return Ok(events);
            }
        }
    }

    /// Nothing may come for a while.
    pub(crate) async fn silent_for(&mut self, time: Duration) -> Result<()> {
        match self.lines.next_json(time).await? {
            None => Ok(()),
            Some(event) => bail!("{}: got {event}, want silence", self.request),
        }
    }

    /// The stream must end within `patience` without another event.
    pub(crate) async fn ends_within(&mut self, patience: Duration) -> Result<()> {
        match tokio::time::timeout(patience, self.lines.next()).await {
            Ok(Ok(None)) => Ok(()),
            Ok(Ok(Some(line))) => bail!("{}: got {line:?}, want the end", self.request),
            Ok(Err(error)) => Err(error.context(format!("{}: want a clean end", self.request))),
            Err(_) => bail!("{}: still open after {patience:?}", self.request),
        }
    }
}

fn parse(mut event: Value) -> Result<Event> {
    let kind = text(&event, "/type")?.to_owned();
    Ok(Event { kind, object: event["object"].take() })
}
