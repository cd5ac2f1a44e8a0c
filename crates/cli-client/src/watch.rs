//! Watches that survive what happens to connections.
//!
//! A stream that ends or breaks is opened again after a pause. The watch of a list goes on from the last version that
//! it saw, so that nothing is missed; the watch of one object begins with what the object is, so that it needs no
//! version. When the server has forgotten the version, the caller lists again ([`Event::Restart`]).

use std::time::Duration;

use api_rest::sse::{CLOSE_EVENT, ERROR_EVENT, OUT_OF_RANGE};
use serde::Deserialize;
use serde_json::Value;

use crate::{Client, Error, Kind, Object, Route, stream::EventStream};

/// How often a stream is opened again in a row without a single event.
const MAX_FAILURES: u32 = 8;
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Change {
    /// It is there.
    Added,
    /// It is different.
    Modified,
    /// It is gone.
    Deleted,
}

/// What a watch tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Something happened to an object.
    Object(Change, Object),
    /// What happened is not known any more: list again, and watch from there.
    Restart,
}

/// A watch of one object or of a list.
pub struct Watch {
    client: Client,
    route: Route,
    kind: Kind,
    /// The version to go on from; none for a single object.
    version: Option<String>,
    stream: Option<EventStream>,
    failures: u32,
}

/// One event on the wire.
#[derive(Deserialize)]
struct Told {
    #[serde(rename = "type")]
    change: Change,
    object: Value,
}

/// An error on the wire.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldError {
    code: String,
    message: String,
}

impl Watch {
    pub(crate) async fn of_object(
        client: &Client,
        route: Route,
        kind: Kind,
    ) -> Result<Self, Error> {
        Self::open(client, route, kind, None).await
    }

    pub(crate) async fn of_list(
        client: &Client,
        route: Route,
        kind: Kind,
        version: String,
    ) -> Result<Self, Error> {
        Self::open(client, route, kind, Some(version)).await
    }

    /// The first connection is not tried again: who cannot get in at all wants to know.
    async fn open(
        client: &Client,
        route: Route,
        kind: Kind,
        version: Option<String>,
    ) -> Result<Self, Error> {
        let client = client.clone();
        let mut watch = Self { client, route, kind, version, stream: None, failures: 0 };
        watch.stream = Some(watch.connect().await?);
        Ok(watch)
    }

    /// The next event. It waits as long as the server is silent.
    pub async fn next(&mut self) -> Result<Event, Error> {
        loop {
            let Some(stream) = &mut self.stream else {
                self.reconnect().await?;
                continue;
            };
            match stream.next().await {
                Ok(Some(frame)) => {
                    if let Some(event) = self.read(frame.event.as_deref(), &frame.data)? {
                        self.failures = 0;
                        return Ok(event);
                    }
                }
                Ok(None) => self.stream = None,
                Err(error) if error.is_temporary() => self.stream = None,
                Err(error) => return Err(error),
            }
        }
    }

    async fn connect(&self) -> Result<EventStream, Error> {
        let mut route = self.route.clone().query("watch", "true");
        if let Some(version) = self.version.as_deref().filter(|version| !version.is_empty()) {
            route = route.query("resourceVersion", version);
        }
        Ok(EventStream::new(self.client.open(&route).await?))
    }

    async fn reconnect(&mut self) -> Result<(), Error> {
        if self.failures >= MAX_FAILURES {
            return Err(Error::WatchEnded);
        }
        let pause = SHORTEST_PAUSE.saturating_mul(1 << self.failures).min(LONGEST_PAUSE);
        self.failures += 1;
        self.client.clock().sleep(pause).await;
        match self.connect().await {
            Ok(stream) => self.stream = Some(stream),
            Err(error) if error.is_temporary() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn read(&mut self, name: Option<&str>, data: &str) -> Result<Option<Event>, Error> {
        match name {
            Some(ERROR_EVENT) => self.read_error(data).map(Some),
            // The server says goodbye; the stream ends by itself.
            Some(CLOSE_EVENT) => Ok(None),
            _ => self.read_change(data).map(Some),
        }
    }

    fn read_change(&mut self, data: &str) -> Result<Event, Error> {
        let told: Told =
            serde_json::from_str(data).map_err(|error| Error::Unreadable(error.to_string()))?;
        let object = Object::of(self.kind, told.object);
        if let Some(version) = &mut self.version {
            let seen = object.text("/metadata/resourceVersion");
            if !seen.is_empty() {
                seen.clone_into(version);
            }
        }
        Ok(Event::Object(told.change, object))
    }

    fn read_error(&mut self, data: &str) -> Result<Event, Error> {
        let told: ToldError = serde_json::from_str(data).unwrap_or_default();
        self.stream = None;
        if told.code == OUT_OF_RANGE {
            return Ok(Event::Restart);
        }
        Err(Error::Watch(told.message))
    }
}
