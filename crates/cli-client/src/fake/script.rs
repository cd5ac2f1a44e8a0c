//! The script: what is answered to which request, and what was asked.

use std::{
    collections::{HashMap, VecDeque},
    fmt::Write as _,
};

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;

use crate::{Body, BoxFuture, Chunks, Request, Response, Transport, TransportError};

/// A transport that answers by a script and keeps a transcript.
#[derive(Default)]
pub struct Script {
    answers: Mutex<HashMap<String, VecDeque<Answer>>>,
    transcript: Mutex<String>,
    headers: Vec<(String, String)>,
}

#[derive(Clone)]
struct Answer {
    status: u16,
    chunks: Vec<Bytes>,
    end: End,
}

/// How a body ends.
#[derive(Clone, Copy)]
enum End {
    Well,
    /// It breaks off.
    Broken,
    /// It never ends, and nothing more comes.
    Silence,
}

impl Script {
    /// Nothing is answered yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a request (`GET https://host/path?query`) with JSON. The last answer of a request is given again and again.
    #[must_use]
    pub fn on(self, request: &str, status: u16, body: Value) -> Self {
        let chunks = if body.is_null() { Vec::new() } else { vec![body.to_string().into()] };
        self.add(request, Answer { status, chunks, end: End::Well })
    }

    /// Answers with plain text.
    #[must_use]
    pub fn on_text(self, request: &str, status: u16, body: &str) -> Self {
        let chunks = vec![Bytes::copy_from_slice(body.as_bytes())];
        self.add(request, Answer { status, chunks, end: End::Well })
    }

    /// Answers with a stream of changes that then breaks off.
    #[must_use]
    pub fn on_watch(self, request: &str, changes: &[(&str, Value)]) -> Self {
        let chunks = changes.iter().map(frame).collect();
        self.add(request, Answer { status: 200, chunks, end: End::Broken })
    }

    /// Answers with a stream of changes after which nothing happens any more.
    #[must_use]
    pub fn on_silent_watch(self, request: &str, changes: &[(&str, Value)]) -> Self {
        let chunks = changes.iter().map(frame).collect();
        self.add(request, Answer { status: 200, chunks, end: End::Silence })
    }

    /// Answers everything with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What was asked: method, address, and bodies with their type.
    pub fn transcript(&self) -> String {
        self.transcript.lock().clone()
    }

    fn add(self, request: &str, answer: Answer) -> Self {
        self.answers.lock().entry(request.to_owned()).or_default().push_back(answer);
        self
    }

    fn note(&self, request: &Request) {
        let mut transcript = self.transcript.lock();
        let header = |name: &str| {
            request.headers.iter().find(|(candidate, _)| *candidate == name).map(|(_, value)| value)
        };
        let _ = write!(transcript, "{} {}", request.method, request.url);
        if let Some(kind) = header("content-type") {
            let text = String::from_utf8_lossy(&request.body);
            let _ = write!(transcript, " [{kind}] {}", text.trim_end());
        }
        if header("authorization").is_none() {
            transcript.push_str(" (no token)");
        }
        transcript.push('\n');
    }

    fn answer(&self, request: &Request) -> Option<Answer> {
        let mut answers = self.answers.lock();
        let queue = answers.get_mut(&format!("{} {}", request.method, request.url))?;
        if queue.len() > 1 { queue.pop_front() } else { queue.front().cloned() }
    }
}

impl Transport for Script {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        self.note(&request);
        let answer = self
            .answer(&request)
            .ok_or_else(|| TransportError::Unreachable(format!("not in the script: {request:?}")));
        Box::pin(async move {
            let answer = answer?;
            let body: Body = Box::new(Played { chunks: answer.chunks.into(), end: answer.end });
            Ok(Response { status: answer.status, headers: self.headers.clone(), body })
        })
    }
}

struct Played {
    chunks: VecDeque<Bytes>,
    end: End,
}

impl Chunks for Played {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        let next = match (self.chunks.pop_front(), self.end) {
            (None, End::Silence) => return Box::pin(std::future::pending()),
            (None, End::Broken) => Err(TransportError::Unreachable("broke off".to_owned())),
            (chunk, _) => Ok(chunk),
        };
        Box::pin(async move { next })
    }
}

fn frame((change, object): &(&str, Value)) -> Bytes {
    format!("data: {}\n\n", serde_json::json!({ "type": change, "object": object })).into()
}
