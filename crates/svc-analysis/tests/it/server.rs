//! A web server whose answers the test decides.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use dev_testkit::server::HttpServer;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// The server; it ends when this is dropped.
pub(crate) struct Server {
    http: HttpServer,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// What each path answers, one after the other; the last one again and again.
    answers: Mutex<BTreeMap<String, VecDeque<(u16, String)>>>,
    seen: Mutex<Vec<Seen>>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let http = HttpServer::start(&shared, serve).await.unwrap();
        Self { http, shared }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http.address())
    }

    /// Lets a path answer with these, one after the other. A path without answers keeps silent.
    pub(crate) fn answer(&self, path: &str, answers: &[(u16, &str)]) {
        let answers = answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
        self.shared.answers.lock().unwrap().insert(path.to_owned(), answers);
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }
}

async fn serve(request: Request<Incoming>, shared: Arc<Shared>) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let path = head.uri.path().to_owned();
    shared.seen.lock().unwrap().push(Seen {
        method: head.method.to_string(),
        target: head.uri.to_string(),
        headers: head.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    let answer = next(&shared, &path);
    let Some((status, body)) = answer else { return std::future::pending().await };
    Response::builder().status(status).body(Full::new(body.into())).unwrap()
}

fn next(shared: &Shared, path: &str) -> Option<(u16, String)> {
    let mut answers = shared.answers.lock().unwrap();
    let answers = answers.get_mut(path)?;
    if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
}
