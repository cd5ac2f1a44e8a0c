//! An engine with an installation in it, and a server that works on it.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use api_rest::{
    body::VersionInfo,
    sse::{Frame, Parser},
};
use bytes::Bytes;
use core_clock::{Clock, FixedEnvironment};
use core_rules::access;
use dev_testkit::engine::{Engine, Identity};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use io_http::{
    Listener,
    outbound::{self, Outbound, Tls},
};
use io_kube::Ports;
use io_runtime::TaskGroup;
use kube::core::Request as KubeRequest;
use serde_json::{Value, json};
use svc_api::{Blocking, Serving, Settings, Wiring};

use crate::connection::Connection;

pub(crate) const PASSWORD: &str = "correct horse";
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) serving: Serving,
    pub(crate) tasks: TaskGroup,
    pub(crate) connection: Connection,
    http: outbound::Client,
    prefix: String,
}

/// A whole reply.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn error(&self) -> (u16, String) {
        (self.status.as_u16(), self.json()["error"].as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Checks passwords where it is called.
struct Inline;

impl Blocking for Inline {
    fn run(
        &self,
        work: Box<dyn FnOnce() -> bool + Send>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send>> {
        Box::pin(async move { work() })
    }
}

pub(crate) fn project(name: &str) -> Vec<Value> {
    vec![
        json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": name}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": name, "labels": {"kargo.akuity.io/project": "true"}}}),
    ]
}

pub(crate) fn stage(project: &str, name: &str, warehouse: &str) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage",
        "metadata": {"namespace": project, "name": name},
        "spec": {"requestedFreight": [
            {"origin": {"kind": "Warehouse", "name": warehouse}, "sources": {"direct": true}}]}})
}

impl World {
    /// An installation with the administrator's login, and these objects.
    pub(crate) async fn start(objects: Vec<Value>) -> Self {
        Self::with(&[], objects).await
    }

    /// The same with further settings.
    pub(crate) async fn with(variables: &[(&str, &str)], objects: Vec<Value>) -> Self {
        Self::build(variables, (objects, vec![]), None).await
    }

    /// The same where there are AnalysisTemplates and AnalysisRuns.
    pub(crate) async fn with_analysis(variables: &[(&str, &str)], objects: Vec<Value>) -> Self {
        Self::build(variables, (objects, api_analysis::crds()), None).await
    }

    /// The same with a server whose time moves only when the test says so.
    pub(crate) async fn at(clock: Arc<dyn Clock>, objects: Vec<Value>) -> Self {
        Self::build(&[], (objects, vec![]), Some(clock)).await
    }

    async fn build(
        variables: &[(&str, &str)],
        (objects, kinds): (Vec<Value>, Vec<Value>),
        clock: Option<Arc<dyn Clock>>,
    ) -> Self {
        let options = access::Options::default();
        let all = [access::namespaces(&options), access::objects(&options), objects].concat();
        let engine = Engine::builder().crds(kinds).objects(all).start().await.unwrap();
        let hash = bcrypt::hash(PASSWORD, 4).unwrap();
        let admin = [
            ("ADMIN_ACCOUNT_ENABLED", "true"),
            ("ADMIN_ACCOUNT_PASSWORD_HASH", hash.as_str()),
            ("ADMIN_ACCOUNT_TOKEN_SIGNING_KEY", "0123456789abcdef0123456789abcdef"),
            ("ADMIN_ACCOUNT_TOKEN_ISSUER", "https://kargo.example.com"),
            ("ADMIN_ACCOUNT_TOKEN_AUDIENCE", "kargo.example.com"),
        ];
        let environment: FixedEnvironment =
            admin.into_iter().chain(variables.iter().copied()).collect();
        let settings = Settings::from_environment(&environment).unwrap();
        let prefix = settings.base_path.as_str().to_owned();
        let tasks = engine.child_tasks();
        let ports = Ports {
            clock: clock.unwrap_or_else(|| engine.clock()),
            entropy: engine.entropy(),
            tasks: Arc::new(tasks.clone()),
        };
        let http = Outbound::new(outbound::Settings::default()).client(&Tls::default()).unwrap();
        let connection = Connection::default();
        let account = access::Component::Api.service_account();
        let wiring = Wiring {
            settings,
            version: VersionInfo { version: "v1.2.3".into(), ..VersionInfo::default() },
            client: connection
                .lead(engine.client_as(Identity::service_account("kargo", account, "uid"))),
            outbound: http.clone(),
            blocking: Arc::new(Inline),
            ports,
        };
        let listener = Listener::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let serving = patient(svc_api::start(listener, wiring)).await.unwrap();
        patient(serving.synced()).await;
        Self { engine, serving, tasks, connection, http, prefix }
    }

    /// The token of the administrator.
    pub(crate) async fn admin(&self) -> String {
        let reply = self.send(Method::POST, "/login", Some(PASSWORD), &[], "").await;
        reply.json()["idToken"].as_str().unwrap().to_owned()
    }

    /// A token of a ServiceAccount.
    pub(crate) async fn token_of(&self, namespace: &str, account: &str) -> String {
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token");
        let body =
            json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        let reply = self.apply(&path, &body).await;
        reply["status"]["token"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> Reply {
        self.send(Method::GET, path, Some(token), &[], "").await
    }

    /// Sends a request to a path behind the prefix of all routes.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        headers: &[(&'static str, &str)],
        body: impl Into<Bytes>,
    ) -> Reply {
        let path = format!("{}/v1beta1{path}", self.prefix);
        self.send_raw(method, &path, token, headers, body).await
    }

    /// Sends a request to any path.
    pub(crate) async fn send_raw(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        headers: &[(&'static str, &str)],
        body: impl Into<Bytes>,
    ) -> Reply {
        let request = self.request(method, path, token, headers).body(body);
        let response = patient(self.http.send(request)).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let body = patient(response.read_limited(64 << 20)).await.unwrap();
        Reply { status, headers, body }
    }

    /// The status of a reply, whose body is not read: it may have no end.
    pub(crate) async fn status(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        headers: &[(&'static str, &str)],
        body: Vec<u8>,
    ) -> u16 {
        let request = self.request(method, path, token, headers).body(body);
        patient(self.http.send(request)).await.unwrap().status().as_u16()
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        headers: &[(&'static str, &str)],
    ) -> outbound::Request {
        let url = format!("http://{}{path}", self.serving.address());
        let mut request = outbound::Request::new(method, &url).unwrap().redirects(0);
        if let Some(token) = token {
            request = request.bearer(token).unwrap();
        }
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).unwrap();
            request = request.header(HeaderName::from_static(name), value);
        }
        request
    }

    /// Opens a stream.
    pub(crate) async fn watch(
        &self,
        path: &str,
        token: &str,
        headers: &[(&'static str, &str)],
    ) -> Watch {
        let path = format!("{}/v1beta1{path}", self.prefix);
        let request = self.request(Method::GET, &path, Some(token), headers);
        let response = patient(self.http.send(request)).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Watch { response, parser: Parser::new(1 << 20), ready: Vec::new() }
    }

    /// Writes an object as the administrator of the cluster, whatever was there.
    pub(crate) async fn apply(&self, path: &str, object: &Value) -> Value {
        let client = self.engine.admin_client();
        let requests = KubeRequest::new(path);
        let body = serde_json::to_vec(object).unwrap();
        let request = requests.create(&kube::api::PostParams::default(), body).unwrap();
        client.request(request).await.unwrap()
    }

    /// Changes an object by a merge patch, as the administrator of the cluster.
    pub(crate) async fn patch(&self, path: &str, name: &str, patch: Value) -> Value {
        let client = self.engine.admin_client();
        let params = kube::api::PatchParams::default();
        let patch = kube::api::Patch::Merge(patch);
        let request = KubeRequest::new(path).patch(name, &params, &patch).unwrap();
        client.request(request).await.unwrap()
    }
}

/// A stream of changes.
pub(crate) struct Watch {
    response: outbound::Response,
    parser: Parser,
    ready: Vec<Frame>,
}

impl Watch {
    /// The next frame; `None` at the end.
    pub(crate) async fn frame(&mut self) -> Option<Frame> {
        loop {
            if !self.ready.is_empty() {
                return Some(self.ready.remove(0));
            }
            let chunk = patient(self.response.chunk()).await.unwrap()?;
            self.ready = self.parser.push(&chunk).unwrap();
        }
    }

    /// The type of the next change and the name of its object.
    pub(crate) async fn change(&mut self) -> (String, String) {
        let frame = self.frame().await.expect("the stream ended");
        let data: Value = serde_json::from_str(&frame.data).unwrap();
        let text = |pointer: &str| data.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        (text("/type"), text("/object/metadata/name"))
    }
}

/// Waits, but not for ever.
pub(crate) async fn patient<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it takes too long")
}

pub(crate) fn change(kind: &str, name: &str) -> (String, String) {
    (kind.to_owned(), name.to_owned())
}
