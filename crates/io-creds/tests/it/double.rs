//! Stands in for a service of a cloud: answers as the test says and remembers what it was asked.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use core_clock::Tasks;
use http_body_util::{BodyExt as _, Collected, Full};
use hyper::{
    HeaderMap, Request, Response,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::net::TcpListener;

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// `POST /path?query`.
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The fields of a form.
    pub(crate) fn field(&self, name: &str) -> String {
        let mut fields = form_urlencoded::parse(self.body.as_bytes());
        fields.find(|(key, _)| key == name).map(|(_, value)| value.into()).unwrap_or_default()
    }
}

/// What to answer.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Body(u16, String),
    /// As a metadata server of Google answers.
    Google(u16, String),
    Silence,
}

impl Reply {
    pub(crate) fn ok(body: impl ToString) -> Self {
        Self::Body(200, body.to_string())
    }
}

type Script = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// A service that runs as long as the test.
#[derive(Clone)]
pub(crate) struct Double {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Double {
    pub(crate) async fn start(
        tasks: &Arc<dyn Tasks>,
        script: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let script: Script = Arc::new(script);
        let (log, group) = (seen.clone(), tasks.clone());
        tasks.spawn(
            "double",
            Box::pin(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let (script, log) = (script.clone(), log.clone());
                    let service =
                        service_fn(move |request| answer(request, script.clone(), log.clone()));
                    let connection =
                        http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                    group.spawn("connection", Box::pin(async move { drop(connection.await) }));
                }
            }),
        );
        Self { address, seen }
    }

    /// `127.0.0.1:port`.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }

    /// What was asked, one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }

    /// The actions that were asked of STS and ECR.
    pub(crate) fn actions(&self) -> Vec<String> {
        let action = |seen: &Seen| match seen.header("x-amz-target").rsplit_once('.') {
            Some((_, action)) => action.to_owned(),
            None => seen.field("Action"),
        };
        self.seen().iter().map(action).collect()
    }
}

async fn answer(
    request: Request<Incoming>,
    script: Script,
    log: Arc<Mutex<Vec<Seen>>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    let seen = Seen {
        line: format!("{} {}", parts.method, parts.uri),
        headers: parts.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    log.lock().push(seen.clone());
    let response = Response::builder();
    let (response, body) = match script(&seen) {
        Reply::Body(status, body) => (response.status(status), body),
        Reply::Google(status, body) => {
            (response.status(status).header("metadata-flavor", "Google"), body)
        }
        Reply::Silence => std::future::pending().await,
    };
    Ok(response.body(Full::from(body)).unwrap())
}
