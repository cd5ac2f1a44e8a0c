//! A Helm repository: a static `index.yaml` over HTTP, as most of them are.

use std::{
    collections::BTreeMap,
    future::ready,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use anyhow::Result;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::json;

use super::{
    http_server::{HttpServer, lock},
    registry::sha256,
};

/// The server; it ends when this is dropped.
pub struct ChartServer {
    http: HttpServer,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Versions by chart, in the order in which they were published.
    charts: Mutex<BTreeMap<String, Vec<String>>>,
    /// Archives by path.
    archives: Mutex<BTreeMap<String, Bytes>>,
    /// The `Authorization` that is asked for, if any.
    login: Mutex<Option<String>>,
    /// Status codes of what was answered since the last question.
    answered: Mutex<Vec<u16>>,
}

impl ChartServer {
    /// Starts on a free port of the loopback interface, with nothing published.
    pub async fn start() -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let answer = |request, shared: Arc<Shared>| ready(answer(&request, &shared));
        let http = HttpServer::start(&shared, answer).await?;
        Ok(Self { http, shared })
    }

    /// The address of the repository.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// Adds a version of a chart to the index.
    pub fn publish(&self, chart: &str, version: &str) {
        lock(&self.shared.charts).entry(chart.to_owned()).or_default().push(version.to_owned());
    }

    /// Adds a version of a chart with its archive.
    pub fn publish_archive(&self, chart: &str, version: &str, archive: impl Into<Bytes>) {
        self.publish(chart, version);
        lock(&self.shared.archives).insert(archive_path(chart, version), archive.into());
    }

    /// Lets nobody in from now on but this user.
    pub fn lock_for(&self, username: &str, password: &str) {
        use base64::{Engine as _, prelude::BASE64_STANDARD};
        let login = BASE64_STANDARD.encode(format!("{username}:{password}"));
        *lock(&self.shared.login) = Some(format!("Basic {login}"));
    }

    /// The status codes of what was answered since the last call.
    pub fn answered(&self) -> Vec<u16> {
        std::mem::take(&mut *lock(&self.shared.answered))
    }
}

fn archive_path(chart: &str, version: &str) -> String {
    format!("/charts/{chart}-{version}.tgz")
}

fn answer(request: &Request<Incoming>, shared: &Shared) -> Response<Full<Bytes>> {
    let login = lock(&shared.login).clone();
    let offered = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let archive = lock(&shared.archives).get(request.uri().path()).cloned();
    let (mut reply, status) = match request.uri().path() {
        _ if login.is_some_and(|login| offered != Some(login.as_bytes())) => {
            (Response::new(Full::default()), StatusCode::UNAUTHORIZED)
        }
        "/index.yaml" => {
            let index = index(&lock(&shared.charts), &lock(&shared.archives));
            let tag = format!("\"{}\"", sha256(index.as_bytes()));
            let known = request.headers().get(header::IF_NONE_MATCH);
            let is_known = known.is_some_and(|known| known.as_bytes() == tag.as_bytes());
            let status = if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
            let body = if is_known { Bytes::new() } else { Bytes::from(index) };
            let mut reply = Response::new(Full::new(body));
            if let Ok(tag) = tag.parse() {
                reply.headers_mut().insert(header::ETAG, tag);
            }
            (reply, status)
        }
        _ => match archive {
            Some(archive) => (Response::new(Full::new(archive)), StatusCode::OK),
            None => (Response::new(Full::new(Bytes::from_static(b"no"))), StatusCode::NOT_FOUND),
        },
    };
    lock(&shared.answered).push(status.as_u16());
    *reply.status_mut() = status;
    reply
}

fn index(charts: &BTreeMap<String, Vec<String>>, archives: &BTreeMap<String, Bytes>) -> String {
    let entries: BTreeMap<&String, Vec<_>> = charts
        .iter()
        .map(|(name, versions)| {
            let entry = |version: &String| {
                let path = archive_path(name, version);
                let urls: Vec<&str> =
                    archives.get(&path).map(|_| path.trim_start_matches('/')).into_iter().collect();
                json!({"apiVersion": "v2", "name": name, "version": version, "urls": urls})
            };
            (name, versions.iter().map(entry).collect())
        })
        .collect();
    // JSON is YAML.
    json!({"apiVersion": "v1", "entries": entries}).to_string()
}
