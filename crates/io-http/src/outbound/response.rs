//! An answer whose body is read under a limit and a deadline.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use core_clock::Time;
use http::{HeaderMap, HeaderName, StatusCode};
use reqwest::Url;
use tokio::time::{Instant, timeout_at};

use super::{Error, Origin, Phase, request, retry_after};

/// Status and headers; the body is still on the wire.
#[derive(Debug)]
pub struct Response {
    inner: reqwest::Response,
    idle: Duration,
    limit: Option<(Instant, Duration)>,
}

impl Response {
    pub(super) fn new(
        inner: reqwest::Response,
        idle: Duration,
        limit: Option<(Instant, Duration)>,
    ) -> Self {
        Self { inner, idle, limit }
    }

    pub fn status(&self) -> StatusCode {
        self.inner.status()
    }

    pub fn headers(&self) -> &HeaderMap {
        self.inner.headers()
    }

    /// A header as text; `None` when it is missing or not text.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.inner.headers().get(name)?.to_str().ok()
    }

    /// Where the answer came from, after redirects.
    pub fn url(&self) -> &Url {
        self.inner.url()
    }

    /// Who answered, after redirects.
    pub fn origin(&self) -> Origin {
        Origin::of(self.inner.url())
    }

    /// How long the server wants to be left alone, if that is what its status says; an hour at most.
    pub fn retry_after(&self, now: Time) -> Option<Duration> {
        if !matches!(self.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
        {
            return None;
        }
        retry_after(self.headers(), now)
    }

    /// What the server says the body's length is.
    pub fn content_length(&self) -> Option<u64> {
        self.inner.content_length()
    }

    /// The next piece of the body; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let silence = Instant::now() + self.idle;
        let (deadline, phase, after) = match self.limit {
            Some((total, after)) if total < silence => (total, Phase::Total, after),
            _ => (silence, Phase::Body, self.idle),
        };
        match timeout_at(deadline, self.inner.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            Ok(Err(error)) => Err(Error::from_client(&error, &self.host(), phase, after)),
            Err(_) => Err(Error::Timeout { host: self.host(), phase, after }),
        }
    }

    /// The whole body, refused as soon as it is known to be longer than `limit` bytes.
    pub async fn read_limited(mut self, limit: u64) -> Result<Bytes, Error> {
        self.check_length(0, limit)?;
        let mut body = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            let length = body.len().saturating_add(chunk.len());
            self.check_length(u64::try_from(length).unwrap_or(u64::MAX), limit)?;
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }

    /// Refuses a body that is known to be longer than `limit` bytes when `received` of them are there.
    pub fn check_length(&self, received: u64, limit: u64) -> Result<(), Error> {
        let known = self.content_length().unwrap_or_default().max(received);
        if known > limit {
            return Err(Error::TooLarge { host: self.host(), limit });
        }
        Ok(())
    }

    fn host(&self) -> String {
        request::host(self.inner.url())
    }
}
