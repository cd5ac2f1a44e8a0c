//! The loop behind a stream.

use std::{collections::VecDeque, time::Duration};

use api_rest::sse;
use bytes::Bytes;
use core_clock::{BoxTask, Sleep};
use futures::{Stream as Frames, future::select_all, stream};

use super::source::{Naming, Source, position, take_changes};
use crate::{
    api_error::ApiError,
    caller::{Caller, Verb},
    mirror::Expired,
};

const KEEPALIVE: Duration = Duration::from_secs(30);
/// How long a right that was taken back still counts.
const RECHECK: Duration = Duration::from_mins(1);

/// A stream, and what it has yet to say.
pub(super) struct Stream {
    ready: VecDeque<Bytes>,
    /// `None`: it ends when everything ready is said.
    live: Option<Box<Live>>,
}

struct Live {
    caller: Caller,
    sources: Vec<Source>,
    naming: Naming,
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
    /// Tells what is `ready`, then of changes.
    pub(super) fn new(
        caller: Caller,
        sources: Vec<Source>,
        naming: Naming,
        ready: VecDeque<Bytes>,
    ) -> Self {
        let ports = caller.api().ports().clone();
        let left = caller.login().expires.map(|end| end.since(ports.clock.now()));
        let live = Live {
            caller,
            sources,
            naming,
            keepalive: ports.clock.sleep(KEEPALIVE),
            recheck: ports.clock.sleep(RECHECK),
            expiry: left.map(|left| ports.clock.sleep(left)),
            stopping: ports.tasks.stopping(),
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
                Event::Keepalive => self.keep_alive(),
                Event::Recheck => self.recheck().await,
                Event::Expired => self.end(unauthenticated("the login has expired")),
                Event::Stopping => self.end(Bytes::from_static(sse::CLOSE.as_bytes())),
            }
        }
    }

    fn take_changes(&mut self) {
        let Some(live) = self.live.as_mut() else { return };
        if let Err(expired) = take_changes(&mut live.sources, live.naming, &mut self.ready) {
            self.end(out_of_range(expired));
        }
    }

    /// Keeps the connection alive. Who follows several kinds is told how far each has come, so that
    /// one that is silent for long does not make them start over.
    fn keep_alive(&mut self) {
        self.take_changes();
        let Some(live) = self.live.as_ref() else { return };
        self.ready.push_back(match live.naming {
            Naming::Plain => Bytes::from_static(sse::KEEPALIVE.as_bytes()),
            Naming::Named => bookmark(&live.sources),
        });
    }

    /// Asks again whether the caller may watch. That nobody can say is no reason to end.
    async fn recheck(&mut self) {
        let Some(live) = self.live.as_mut() else { return };
        live.caller = live.caller.renewed();
        let mut refusal = None;
        for source in &live.sources {
            match live.caller.require(Verb::Watch, &source.target).await {
                Err(error) if error.status() == http::StatusCode::FORBIDDEN => {
                    refusal = Some(unauthenticated(ApiError::message(&error)));
                }
                _ => {}
            }
        }
        if let Some(refusal) = refusal {
            self.end(refusal);
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
            () = changed(&mut self.sources) => Event::Changed,
            () = &mut self.keepalive => Event::Keepalive,
        };
        let clock = &self.caller.api().ports().clock;
        match event {
            Event::Recheck => self.recheck = clock.sleep(RECHECK),
            // Whatever is sent keeps the connection alive.
            Event::Keepalive | Event::Changed => self.keepalive = clock.sleep(KEEPALIVE),
            Event::Expired | Event::Stopping => {}
        }
        event
    }
}

/// Completes when one of them has changes.
async fn changed(sources: &mut [Source]) {
    if let [only] = sources {
        return only.follower.changed().await;
    }
    select_all(sources.iter_mut().map(|source| Box::pin(source.follower.changed()))).await;
}

/// Tells how far each kind has come.
pub(super) fn bookmark(sources: &[Source]) -> Bytes {
    Bytes::from(sse::bookmark_frame(&position(sources, Naming::Named)))
}

fn out_of_range(expired: Expired) -> Bytes {
    Bytes::from(sse::error_frame(sse::OUT_OF_RANGE, &expired.to_string()))
}

fn unauthenticated(message: &str) -> Bytes {
    Bytes::from(sse::error_frame(sse::UNAUTHENTICATED, message))
}
