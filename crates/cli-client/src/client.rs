//! Sends requests of the API and reads its answers.

use std::{fmt, sync::Arc};

use bytes::{Bytes, BytesMut};
use core_clock::Clock;
use http::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Address, ApiError, BearerToken, Body, Error, Patience, Request, Response, Route, Transport,
    Trust,
};

/// The largest answer that is read: thousands of objects.
const MAX_ANSWER: usize = 256 * 1024 * 1024;
/// The largest error body that is looked at.
const MAX_ERROR: usize = 64 * 1024;

/// Who sends a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The token, once there is one.
    pub token: Option<BearerToken>,
    /// The version of the command line, which the server may warn about.
    pub version: String,
}

/// A client of one server. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    address: Address,
    trust: Trust,
    identity: Identity,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({})", self.address)
    }
}

/// What a request carries.
pub(crate) enum Content {
    None,
    Json(Value),
    Manifests(String),
}

impl Client {
    /// A client of the server at an address.
    pub fn new(
        transport: Arc<dyn Transport>,
        clock: Arc<dyn Clock>,
        address: Address,
        trust: Trust,
        identity: Identity,
    ) -> Self {
        Self { transport, clock, address, trust, identity }
    }

    /// Where the server is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Whether a path that needs no token, such as `/healthz`, answers with success; the body is returned.
    pub async fn probe(&self, path: &'static str) -> Result<Bytes, Error> {
        let request = self.request(Method::GET, path, Patience::Answer, &Content::None);
        let response = success(self.transport.send(request).await?).await?;
        read(response.body, MAX_ERROR).await
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, route: &Route) -> Result<T, Error> {
        self.exchange(Method::GET, route, Content::None).await
    }

    pub(crate) async fn exchange<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &Route,
        content: Content,
    ) -> Result<T, Error> {
        let bytes = self.send(method, route, content).await?;
        serde_json::from_slice(&bytes).map_err(|error| Error::Unreadable(error.to_string()))
    }

    /// The text at a route.
    pub(crate) async fn text(&self, route: &Route) -> Result<String, Error> {
        let bytes = self.send(Method::GET, route, Content::None).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Sends a request whose answer says nothing.
    pub(crate) async fn act(
        &self,
        method: Method,
        route: &Route,
        content: Content,
    ) -> Result<(), Error> {
        self.send(method, route, content).await.map(drop)
    }

    /// Opens a stream.
    pub(crate) async fn open(&self, route: &Route) -> Result<Body, Error> {
        let target = route.to_target()?;
        let request = self.request(Method::GET, &target, Patience::Stream, &Content::None);
        Ok(success(self.transport.send(request).await?).await?.body)
    }

    /// Sends a password in place of a token.
    pub(crate) async fn with_password<T: DeserializeOwned>(
        &self,
        route: &Route,
        password: &str,
    ) -> Result<T, Error> {
        let token = Some(BearerToken::new(password));
        let identity = Identity { token, version: self.identity.version.clone() };
        let client = Self { identity, ..self.clone() };
        client.exchange(Method::POST, route, Content::None).await
    }

    async fn send(&self, method: Method, route: &Route, content: Content) -> Result<Bytes, Error> {
        let request = self.request(method, &route.to_target()?, Patience::Answer, &content);
        let response = success(self.transport.send(request).await?).await?;
        read(response.body, MAX_ANSWER).await
    }

    fn request(
        &self,
        method: Method,
        target: &str,
        patience: Patience,
        content: &Content,
    ) -> Request {
        let accepted = match patience {
            Patience::Answer => "application/json",
            Patience::Stream => "text/event-stream, application/json",
        };
        let mut headers = vec![
            ("accept", accepted.to_owned()),
            ("x-kargo-cli-version", self.identity.version.clone()),
        ];
        if let Some(token) = &self.identity.token {
            headers.push(("authorization", format!("Bearer {}", token.reveal())));
        }
        let body = match content {
            Content::None => Bytes::new(),
            Content::Json(value) => {
                headers.push(("content-type", "application/json".to_owned()));
                value.to_string().into()
            }
            Content::Manifests(text) => {
                headers.push(("content-type", "text/plain".to_owned()));
                text.clone().into()
            }
        };
        let url = format!("{}{target}", self.address);
        Request { method, url, headers, body, trust: self.trust, patience }
    }
}

/// The answer, unless it is a refusal.
async fn success(response: Response) -> Result<Response, Error> {
    if (200..300).contains(&response.status) {
        return Ok(response);
    }
    let request_id = response.header("x-request-id").map(str::to_owned);
    let status = response.status;
    // A refusal counts even when its text breaks off.
    let body = read(response.body, MAX_ERROR).await.unwrap_or_default();
    Err(Error::Api(ApiError::read(status, &body, request_id.as_deref())))
}

/// A whole body of at most `limit` bytes.
pub(crate) async fn read(mut body: Body, limit: usize) -> Result<Bytes, Error> {
    let mut whole = BytesMut::new();
    while let Some(chunk) = body.next().await? {
        if whole.len().saturating_add(chunk.len()) > limit {
            return Err(Error::TooLarge(limit));
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}
