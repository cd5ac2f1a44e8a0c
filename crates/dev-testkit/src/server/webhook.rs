//! An admission webhook over HTTPS that answers as a test says, and remembers what it was asked.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use anyhow::Result;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::{
    TlsFront,
    http_server::{HttpServer, lock},
};

/// The server; it ends when this is dropped.
pub struct WebhookServer {
    front: TlsFront,
    shared: Arc<Shared>,
    _http: HttpServer,
}

/// What a webhook answers.
#[derive(Clone, Debug)]
pub enum WebhookAnswer {
    /// The response of a review; the uid of the request is filled in unless it is there.
    Response(Value),
    /// A body that is no review, with a status code.
    Raw(u16, String),
    /// Nothing, ever.
    Never,
}

/// One review that came in.
#[derive(Clone, Debug)]
pub struct WebhookCall {
    /// The whole review.
    pub review: Value,
    /// The query of the URL.
    pub query: String,
    /// Who called.
    pub user_agent: String,
}

impl WebhookCall {
    /// The request of the review.
    pub fn request(&self) -> &Value {
        self.review.get("request").unwrap_or(&Value::Null)
    }
}

type Handler = Arc<dyn Fn(&Value) -> WebhookAnswer + Send + Sync>;

#[derive(Default)]
struct Shared {
    handlers: Mutex<BTreeMap<String, Handler>>,
    calls: Mutex<BTreeMap<String, Vec<WebhookCall>>>,
}

impl WebhookServer {
    /// Starts on a free port of the loopback interface. Its certificate is for that address and for these names.
    pub async fn start(names: &[&str]) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let http = HttpServer::start(&shared, serve).await?;
        let front = TlsFront::start_as(http.address(), names).await?;
        Ok(Self { front, shared, _http: http })
    }

    /// The address of the webhook at `path`.
    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.front.address())
    }

    /// The certificate to trust, as configurations hold it.
    pub fn ca_bundle(&self) -> String {
        BASE64_STANDARD.encode(self.front.certificate())
    }

    /// Decides what the webhook at `path` answers, given the request of a review.
    pub fn answer(
        &self,
        path: &str,
        handler: impl Fn(&Value) -> WebhookAnswer + Send + Sync + 'static,
    ) {
        lock(&self.shared.handlers).insert(path.to_owned(), Arc::new(handler));
    }

    /// What came in at `path` since the last call.
    pub fn take(&self, path: &str) -> Vec<WebhookCall> {
        lock(&self.shared.calls).remove(path).unwrap_or_default()
    }
}

async fn serve(request: Request<Incoming>, shared: Arc<Shared>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let review: Value = serde_json::from_slice(&body).unwrap_or_default();
    let agent = parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let call = WebhookCall {
        review: review.clone(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        user_agent: agent.unwrap_or_default().to_owned(),
    };
    lock(&shared.calls).entry(path.clone()).or_default().push(call);
    let handler = lock(&shared.handlers).get(&path).cloned();
    let answer = match handler {
        Some(handler) => handler(review.get("request").unwrap_or(&Value::Null)),
        None => WebhookAnswer::Raw(404, "no such webhook".to_owned()),
    };
    match answer {
        WebhookAnswer::Response(response) => reply(200, completed(&review, response)),
        WebhookAnswer::Raw(status, body) => reply(status, body),
        WebhookAnswer::Never => std::future::pending().await,
    }
}

fn completed(review: &Value, mut response: Value) -> String {
    if let Some(members) = response.as_object_mut() {
        let uid = review.pointer("/request/uid").cloned().unwrap_or_default();
        members.entry("uid").or_insert(uid);
    }
    let api_version = review.get("apiVersion").cloned().unwrap_or_default();
    json!({"apiVersion": api_version, "kind": "AdmissionReview", "response": response}).to_string()
}

fn reply(status: u16, body: String) -> Response<Full<Bytes>> {
    let mut reply = Response::new(Full::new(Bytes::from(body)));
    *reply.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let json = http::HeaderValue::from_static("application/json");
    reply.headers_mut().insert(header::CONTENT_TYPE, json);
    reply
}

/// The response of a webhook that agrees.
pub fn allow() -> WebhookAnswer {
    WebhookAnswer::Response(json!({"allowed": true}))
}

/// The response of a webhook that agrees and changes the object by a JSON patch.
pub fn patch(operations: &Value) -> WebhookAnswer {
    let patch = BASE64_STANDARD.encode(operations.to_string());
    WebhookAnswer::Response(json!({"allowed": true, "patchType": "JSONPatch", "patch": patch}))
}
