//! The loop behind a stream.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use api_rest::sse::{self, ChangeType};
use bytes::Bytes;
use core_clock::{BoxTask, Sleep};
use futures::{Stream as Frames, stream};

use super::Filter;
use crate::{
    api_error::ApiError,
    caller::{Caller, Target, Verb},
    mirror::{Change, Expired, Follower, Object},
};

const KEEPALIVE: Duration = Duration::from_secs(30);
/// How long a right that was taken back still counts.
const RECHECK: Duration = Duration::from_mins(1);

/// Who watches what.
pub(super) struct Watching {
    pub(super) caller: Caller,
    pub(super) target: Target,
    pub(super) filter: Filter,
}

/// A stream, and what it has yet to say.
pub(super) struct Stream {
    ready: VecDeque<Bytes>,
    /// `None`: it ends when everything ready is said.
    live: Option<Box<Live>>,
}

struct Live {
    watching: Watching,
    follower: Follower,
    keepalive: Sleep,
    recheck: Sleep,
    expiry: Option<Sleep>,
    stopping: BoxTask,
}

/// What a stream waited for.
enum Event {
    Changed,
    Keepalive,
    Recheck,
    Expired,
    Stopping,
}

impl Stream {
    /// Tells of `objects`, then of changes.
    pub(super) fn new(watching: Watching, follower: Follower, objects: Vec<Arc<Object>>) -> Self {
        let there = objects.iter().filter(|object| watching.filter.matches(object));
        let frame = |object: &Arc<Object>| {
            Bytes::from(sse::watch_frame(ChangeType::Added, &object.json, None))
        };
        let ready = there.map(frame).collect();
        let ports = watching.caller.api().ports().clone();
        let left = watching.caller.login().expires.map(|end| end.since(ports.clock.now()));
        let live = Live {
            follower,
            keepalive: ports.clock.sleep(KEEPALIVE),
            recheck: ports.clock.sleep(RECHECK),
            expiry: left.map(|left| ports.clock.sleep(left)),
            stopping: ports.tasks.stopping(),
            watching,
        };
        Self { ready, live: Some(Box::new(live)) }
    }

    /// Says only that the history is gone.
    pub(super) fn ended(expired: Expired) -> Self {
        Self { ready: VecDeque::from([out_of_range(expired)]), live: None }
    }

    /// The frames, until the client goes or there is a reason to end.
    pub(super) fn frames(
        self,
    ) -> impl Frames<Item = Result<Bytes, std::convert::Infallible>> + Send + 'static {
        stream::unfold(self, |mut stream| async move {
            let frame = stream.next().await?;
            Some((Ok(frame), stream))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            let live = self.live.as_mut()?;
            match live.wait().await {
                Event::Changed => self.take_changes(),
                Event::Keepalive => {
                    self.ready.push_back(Bytes::from_static(sse::KEEPALIVE.as_bytes()));
                }
                Event::Recheck => self.recheck().await,
                Event::Expired => self.end(unauthenticated("the login has expired")),
                Event::Stopping => self.end(Bytes::from_static(sse::CLOSE.as_bytes())),
            }
        }
    }

    fn take_changes(&mut self) {
        let Some(live) = self.live.as_mut() else { return };
        match live.follower.changes() {
            Ok(changes) => {
                let filter = &live.watching.filter;
                self.ready.extend(changes.iter().filter_map(|change| frame(filter, change)));
            }
            Err(expired) => self.end(out_of_range(expired)),
        }
    }

    /// Asks again whether the caller may watch. That nobody can say is no reason to end.
    async fn recheck(&mut self) {
        let Some(live) = self.live.as_mut() else { return };
        live.watching.caller = live.watching.caller.renewed();
        let Watching { caller, target, .. } = &live.watching;
        if let Err(error) = caller.require(Verb::Watch, target).await
            && error.status() == http::StatusCode::FORBIDDEN
        {
            self.end(unauthenticated(ApiError::message(&error)));
        }
    }

    fn end(&mut self, last: Bytes) {
        self.ready.push_back(last);
        self.live = None;
    }
}

impl Live {
    async fn wait(&mut self) -> Event {
        let expiry = async {
            match self.expiry.as_mut() {
                Some(expiry) => expiry.await,
                None => std::future::pending().await,
            }
        };
        let event = tokio::select! {
            biased;
            () = &mut self.stopping => Event::Stopping,
            () = expiry => Event::Expired,
            () = &mut self.recheck => Event::Recheck,
            () = self.follower.changed() => Event::Changed,
            () = &mut self.keepalive => Event::Keepalive,
        };
        let clock = &self.watching.caller.api().ports().clock;
        match event {
            Event::Recheck => self.recheck = clock.sleep(RECHECK),
            // Whatever is sent keeps the connection alive.
            Event::Keepalive | Event::Changed => self.keepalive = clock.sleep(KEEPALIVE),
            Event::Expired | Event::Stopping => {}
        }
        event
    }
}

fn frame(filter: &Filter, change: &Change) -> Option<Bytes> {
    let meaning = filter.meaning(change)?;
    let id = change.is_complete.then(|| change.version().to_string());
    Some(Bytes::from(sse::watch_frame(meaning, &change.new.json, id.as_deref())))
}

fn out_of_range(expired: Expired) -> Bytes {
    Bytes::from(sse::error_frame(sse::OUT_OF_RANGE, &expired.to_string()))
}

fn unauthenticated(message: &str) -> Bytes {
    Bytes::from(sse::error_frame(sse::UNAUTHENTICATED, message))
}
