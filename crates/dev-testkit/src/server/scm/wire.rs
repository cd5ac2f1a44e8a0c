//! Requests and answers as data, and from one to the other.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use serde_json::Value;

use super::{Service, Shared, TOKEN, fault, fault::Mishap};
use crate::server::http_server::lock;

/// A request the service has seen.
#[derive(Clone, Debug)]
pub struct Received {
    pub method: String,
    /// Path behind the base of the API, as it came.
    pub path: String,
    /// Parameters, decoded.
    pub query: BTreeMap<String, String>,
    pub headers: HeaderMap,
    /// Null when there was none.
    pub body: Value,
}

impl Received {
    /// Parts of the path, decoded.
    pub(super) fn segments(&self) -> Vec<String> {
        self.path.split('/').skip(1).map(decode).collect()
    }

    pub(super) fn parameter(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// A part of the body; null when it is missing.
    pub(super) fn part(&self, pointer: &str) -> Value {
        self.body.pointer(pointer).cloned().unwrap_or_default()
    }

    /// A text of the body; empty when it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.body.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A header as text; empty when it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// What is answered.
pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, body: body.to_string() }
    }

    pub(super) fn saying(status: u16, message: &str) -> Self {
        Self::json(status, &serde_json::json!({ "message": message }))
    }

    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new() }
    }

    pub(super) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(super) fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// One page of a list, with the `Link` header of the services that use one.
pub(super) fn page(
    request: &Received,
    entries: Vec<Value>,
    size_parameter: &str,
    most: usize,
) -> (Vec<Value>, bool) {
    let size = request.parameter(size_parameter).parse().unwrap_or(30).min(most).max(1);
    let number: usize = request.parameter("page").parse().unwrap_or(1).max(1);
    let first = (number - 1) * size;
    let has_more = entries.len() > first + size;
    (entries.into_iter().skip(first).take(size).collect(), has_more)
}

/// A list whose further pages are told by the `Link` header.
pub(super) fn linked(
    request: &Received,
    entries: Vec<Value>,
    size_parameter: &str,
    most: usize,
) -> Answer {
    let (entries, has_more) = page(request, entries, size_parameter, most);
    let answer = Answer::json(200, &Value::Array(entries));
    if has_more {
        answer.with("link", "<http://elsewhere.invalid/?page=next>; rel=\"next\"".to_owned())
    } else {
        answer
    }
}

pub(super) async fn handle(
    request: Request<Incoming>,
    shared: Arc<Shared>,
) -> Response<Full<Bytes>> {
    let answer = match receive(request, shared.service.base()).await {
        Ok(received) => answer(received, &shared).await,
        Err(error) => Answer::saying(400, &error.to_string()),
    };
    let mut response = Response::builder()
        .status(StatusCode::from_u16(answer.status).unwrap_or(StatusCode::IM_A_TEAPOT));
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(Full::new(answer.body.into())).unwrap_or_default()
}

async fn answer(received: Received, shared: &Shared) -> Answer {
    lock(&shared.received).push(received.clone());
    let mishap = fault::take(&mut lock(&shared.faults), &received);
    match mishap {
        Some(Mishap::Answer(status, headers, body)) => Answer { status, headers, body },
        Some(Mishap::Silence) => std::future::pending().await,
        Some(Mishap::LoseAnswer(status)) => {
            let _ = serve(&received, shared);
            Answer::empty(status)
        }
        None => {
            serve(&received, shared).unwrap_or_else(|error| Answer::saying(500, &error.to_string()))
        }
    }
}

fn serve(received: &Received, shared: &Shared) -> Result<Answer> {
    if !is_logged_in(shared.service, received) {
        return Ok(Answer::saying(401, "Bad credentials"));
    }
    shared.service.answer(received, &mut lock(&shared.state))
}

fn is_logged_in(service: Service, received: &Received) -> bool {
    use base64::Engine as _;
    let authorization = received.header("authorization");
    match service {
        Service::Github | Service::Bitbucket => authorization == format!("Bearer {TOKEN}"),
        Service::Gitea => authorization == format!("token {TOKEN}"),
        Service::Gitlab => received.header("private-token") == TOKEN,
        Service::Azure => {
            let login = base64::prelude::BASE64_STANDARD.encode(format!(":{TOKEN}"));
            authorization == format!("Basic {login}")
        }
    }
}

async fn receive(request: Request<Incoming>, base: &str) -> Result<Received> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let path = parts.uri.path();
    Ok(Received {
        method: parts.method.to_string(),
        path: path.strip_prefix(base).unwrap_or("/").to_owned(),
        query: parameters(parts.uri.query().unwrap_or_default()),
        body: if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? },
        headers: without_length(parts.headers),
    })
}

fn without_length(mut headers: HeaderMap) -> HeaderMap {
    headers.remove(header::CONTENT_LENGTH);
    headers
}

fn parameters(query: &str) -> BTreeMap<String, String> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(&name.replace('+', " ")), decode(&value.replace('+', " "))))
        .collect()
}

/// Undoes percent-encoding.
fn decode(text: &str) -> String {
    let mut decoded = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let digits = (byte == b'%').then(|| [bytes.next(), bytes.next()]);
        let hex = digits.and_then(|digits| {
            let digits: Option<Vec<u8>> = digits.into_iter().collect();
            u8::from_str_radix(std::str::from_utf8(&digits?).ok()?, 16).ok()
        });
        decoded.push(hex.unwrap_or(byte));
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
