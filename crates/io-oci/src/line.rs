//! The way to one host for one caller: through the budget, counted, tried again when it may help.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use core_clock::{Sleep, Time};
use http::StatusCode;
use io_http::outbound::{Client, Request, Response};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    Error, Ports,
    budget::{Budget, Lane},
    retry,
};

/// Shared by clones: the count of requests sent, and how much is left to do.
#[derive(Clone)]
pub(crate) struct Line {
    client: Client,
    budget: Arc<Budget>,
    lane: Lane,
    ports: Ports,
    patience: Duration,
    requests: Arc<AtomicU64>,
    left: Arc<AtomicUsize>,
}

impl Line {
    /// With `patience` for one exchange.
    pub(crate) fn new(
        client: Client,
        budget: Arc<Budget>,
        lane: Lane,
        patience: Duration,
        ports: Ports,
    ) -> Self {
        let (requests, left) = (Arc::default(), Arc::default());
        Self { client, budget, lane, ports, patience, requests, left }
    }

    /// How long one exchange may take.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// How many requests were sent.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Says how much the caller has still to do, which counts when turns are given.
    pub(crate) fn set_left(&self, left: usize) {
        self.left.store(left, Ordering::Relaxed);
    }

    /// A number below `count` that differs between callers.
    pub(crate) fn place_among(&self, count: usize) -> usize {
        let hash = xxh3_64(self.lane.caller.as_bytes());
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        usize::try_from(hash % count).unwrap_or_default()
    }

    pub(crate) fn monotonic(&self) -> Duration {
        self.ports.clock.monotonic()
    }

    pub(crate) fn now(&self) -> Time {
        self.ports.clock.now()
    }

    pub(crate) fn sleep(&self, duration: Duration) -> Sleep {
        self.ports.clock.sleep(duration)
    }

    /// Sends `request`, up to three times when the failure may pass. The last answer is returned
    /// whatever its status, except that a rate limit is an error.
    pub(crate) async fn send(&self, request: Request) -> Result<Response, Error> {
        let mut attempt = 0;
        loop {
            let sent = self.send_once(request.clone()).await;
            let may_pass = match &sent {
                Ok(response) => retry::is_temporary(response.status()),
                Err(Error::RateLimited { .. }) => false,
                Err(error) => error.is_temporary(),
            };
            let is_limited =
                matches!(&sent, Ok(response) if response.status() == StatusCode::TOO_MANY_REQUESTS);
            match retry::backoff(attempt, &*self.ports.entropy).filter(|_| may_pass) {
                // The budget holds the next attempt back for as long as the host asked.
                Some(_) if is_limited && self.budget.is_paused(&self.lane) => {}
                Some(wait) => {
                    drop(sent);
                    self.sleep(wait).await;
                }
                None if is_limited => return Err(self.budget.refusal(&self.lane)),
                None => return sent,
            }
            attempt += 1;
        }
    }

    /// Sends `request` once, when the budget lets it.
    pub(crate) async fn send_once(&self, request: Request) -> Result<Response, Error> {
        self.budget.acquire(&self.lane, self.left.load(Ordering::Relaxed)).await?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let response = self.client.send(request).await?;
        self.obey(&response);
        Ok(response)
    }

    /// Sends `request` with a body that is made while it is sent, when the budget lets it.
    pub(crate) async fn upload<B>(&self, request: Request, body: B) -> Result<Response, Error>
    where
        B: http_body::Body<Data = Bytes> + Send + Sync + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.budget.acquire(&self.lane, self.left.load(Ordering::Relaxed)).await?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let response = self.client.upload(request, body).await?;
        self.obey(&response);
        Ok(response)
    }

    fn obey(&self, response: &Response) {
        if let Some(pause) = retry::pause(response.status(), response.headers(), self.now()) {
            self.budget.pause(&self.lane, pause);
        }
    }
}
