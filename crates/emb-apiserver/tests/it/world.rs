//! A server in memory with a clock that stands still, and requests to it.

use std::{future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use core_clock::{BoxTask, ManualClock, SeededEntropy, Tasks, Time};
use emb_apiserver::{
    Admission, ApiServer, AuditLevel, AuditSink, Body, Config, Limits, Service, WebhookAccess,
};
use emb_auth::{Identity, StaticToken, TokenKeys};
use emb_meta::GroupResource;
use emb_store::{MemoryLog, Options, Store};
use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt, Full};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::Service as _;

/// The token of the administrator.
pub(crate) const ADMIN_TOKEN: &str = "admin-token";

/// Tasks on the runtime of the test.
struct LocalTasks(tokio::runtime::Handle);

impl Tasks for LocalTasks {
    fn spawn(&self, _: &'static str, task: BoxTask) {
        self.0.spawn(task);
    }

    fn stopping(&self) -> BoxTask {
        Box::pin(std::future::pending())
    }
}

/// Audit lines, kept.
#[derive(Default)]
pub(crate) struct AuditLines(pub(crate) Mutex<Vec<String>>);

impl AuditSink for AuditLines {
    fn record(&self, line: &str) {
        self.0.lock().push(line.to_owned());
    }

    fn level(&self) -> AuditLevel {
        AuditLevel::Request
    }
}

/// A running server.
pub(crate) struct World {
    pub(crate) server: Arc<ApiServer>,
    pub(crate) clock: ManualClock,
    pub(crate) audit: Arc<AuditLines>,
    pub(crate) store: Arc<Store>,
    service: Service,
}

/// How a world differs from the plain one.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) log: MemoryLog,
    pub(crate) admission: Vec<Arc<dyn Admission>>,
    pub(crate) webhooks: WebhookAccess,
    pub(crate) crds: Vec<Value>,
    pub(crate) limits: Limits,
}

/// Runs a test against a plain server, as the administrator.
pub(crate) fn test<F: Future<Output = ()>>(body: impl FnOnce(World) -> F) {
    test_with(Setup::default(), body);
}

/// Runs a test against a server of its own making.
pub(crate) fn test_with<F: Future<Output = ()>>(setup: Setup, body: impl FnOnce(World) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let world = World::start(setup, runtime.handle().clone()).await;
        body(world).await;
    });
}

impl World {
    async fn start(setup: Setup, handle: tokio::runtime::Handle) -> Self {
        let clock = ManualClock::new(Time::from_seconds(1_767_225_600));
        let entropy = Arc::new(SeededEntropy::new(setup.seed));
        let audit = Arc::new(AuditLines::default());
        let (store, _) = Store::open(
            Box::new(setup.log),
            Arc::new(clock.clone()),
            entropy.clone(),
            Options::default(),
        )
        .unwrap();
        let config = Config {
            store: store.clone(),
            clock: Arc::new(clock.clone()),
            entropy: entropy.clone(),
            tasks: Arc::new(LocalTasks(handle)),
            admission: setup.admission,
            webhooks: setup.webhooks,
            crds: setup.crds,
            seeds: vec![],
            deletion_order: vec![GroupResource::new("probe.example.com", "widgets")],
            tokens: TokenKeys::generate(&*entropy),
            static_tokens: vec![StaticToken::new(ADMIN_TOKEN, Identity::admin())],
            ca_bundle: "CA".into(),
            limits: setup.limits,
            audit: Some(audit.clone()),
            version: "0.0.0".into(),
            address: "127.0.0.1:6443".into(),
        };
        let server = ApiServer::start(config).await.unwrap();
        let service = server.client_service(Identity::admin());
        Self { server, clock, audit, store, service }
    }

    /// The same server for another caller.
    pub(crate) fn as_user(&self, user: &str, groups: &[&str]) -> Self {
        let identity = Identity {
            user: user.into(),
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
            ..Identity::default()
        };
        self.with_service(self.server.client_service(identity))
    }

    /// The same server over the network face, where requests say who asks.
    pub(crate) fn network(&self) -> Self {
        self.with_service(self.server.service())
    }

    fn with_service(&self, service: Service) -> Self {
        Self {
            server: self.server.clone(),
            clock: self.clock.clone(),
            audit: self.audit.clone(),
            store: self.store.clone(),
            service,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.request(Method::GET, path).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.request(Method::POST, path).json(body).send().await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Reply {
        self.request(Method::PUT, path).json(body).send().await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.request(Method::DELETE, path).send().await
    }

    /// A merge patch.
    pub(crate) async fn merge(&self, path: &str, body: &Value) -> Reply {
        self.patch(path, "merge-patch+json", body).await
    }

    pub(crate) async fn patch(&self, path: &str, kind: &str, body: &Value) -> Reply {
        let kind = format!("application/{kind}");
        self.request(Method::PATCH, path).json(body).header("content-type", &kind).send().await
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder<'_> {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "application/json".parse().unwrap());
        RequestBuilder { world: self, method, path: path.to_owned(), headers, body: Bytes::new() }
    }

    /// Opens a watch.
    pub(crate) async fn watch(&self, path: &str) -> Watch {
        let reply = self.request(Method::GET, path).open().await;
        assert_eq!(reply.status(), 200);
        Watch { body: reply.into_body(), lines: Vec::new() }
    }

    /// Lets the controllers work, and time pass.
    pub(crate) async fn settle(&self, time: Duration) {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        self.clock.advance(time);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
}

pub(crate) struct RequestBuilder<'a> {
    world: &'a World,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

impl RequestBuilder<'_> {
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, value.parse().unwrap());
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into();
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) async fn open(self) -> http::Response<Body> {
        let mut request = Request::new(Full::new(self.body));
        *request.method_mut() = self.method;
        *request.uri_mut() = self.path.parse().unwrap();
        *request.headers_mut() = self.headers;
        self.world.service.clone().call(request).await.unwrap()
    }

    pub(crate) async fn send(self) -> Reply {
        let response = self.open().await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Reply { code: parts.status.as_u16(), headers: parts.headers, bytes, json }
    }
}

/// A complete reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
    pub(crate) json: Value,
}

impl Reply {
    /// The reply, which must have this code.
    #[track_caller]
    pub(crate) fn expect(self, code: u16) -> Self {
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        assert_eq!(self.code, code, "{text}");
        self
    }

    pub(crate) fn message(&self) -> &str {
        self.json["message"].as_str().unwrap_or_default()
    }

    pub(crate) fn version(&self) -> u64 {
        self.json["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let all = self.headers.get_all("warning").iter();
        all.map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        let items = self.json["items"].as_array().unwrap();
        items.iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
    }
}

/// An open watch.
pub(crate) struct Watch {
    body: Body,
    lines: Vec<Value>,
}

impl Watch {
    /// The next event that is there already.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        for _ in 0..50 {
            if !self.lines.is_empty() {
                return Some(self.lines.remove(0));
            }
            tokio::select! {
                biased;
                frame = self.body.frame() => {
                    let data = frame?.unwrap().into_data().unwrap();
                    let text = std::str::from_utf8(&data).unwrap();
                    self.lines.extend(text.lines().map(|line| serde_json::from_str(line).unwrap()));
                }
                () = tokio::task::yield_now() => {}
            }
        }
        None
    }

    /// Type and name of the next event that is there already.
    pub(crate) async fn seen(&mut self) -> Option<(String, String)> {
        let event = self.next().await?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Some((text(&event["type"]), text(&event["object"]["metadata"]["name"])))
    }

    /// Whether the stream has ended.
    pub(crate) async fn ended(&mut self) -> bool {
        self.lines.is_empty()
            && tokio::select! {
                biased;
                frame = self.body.frame() => frame.is_none(),
                () = tokio::task::yield_now() => false,
            }
    }
}

/// A ConfigMap.
pub(crate) fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
