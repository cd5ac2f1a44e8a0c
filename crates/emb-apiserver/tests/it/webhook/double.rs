//! Webhooks without a network: a table of answers, and a record of what was asked.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use emb_apiserver::{WebhookAccess, WebhookClient, WebhookEndpoint, WebhookReply};
use futures::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::world::{Reply, Setup, World};

/// What a webhook does.
pub(crate) enum Outcome {
    /// The response of a review; the uid is filled in unless it is there.
    Response(Value),
    Raw(u16, &'static str),
    Unreachable,
    Never,
}

type Handler = Arc<dyn Fn(Value) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// The webhooks behind the port.
#[derive(Default)]
pub(crate) struct Double {
    handlers: Mutex<BTreeMap<String, Handler>>,
    calls: Mutex<Vec<(String, Value)>>,
    endpoints: Mutex<Vec<WebhookEndpoint>>,
}

impl WebhookClient for Double {
    fn post(
        &self,
        endpoint: WebhookEndpoint,
        review: Bytes,
        _timeout: Duration,
    ) -> BoxFuture<'static, Result<WebhookReply, String>> {
        let name = endpoint.url.split('?').next().and_then(|url| url.rsplit('/').next());
        let name = name.unwrap_or_default().to_owned();
        self.endpoints.lock().push(endpoint);
        let review: Value = serde_json::from_slice(&review).unwrap();
        self.calls.lock().push((name.clone(), review.clone()));
        let handler = self.handlers.lock().get(&name).cloned();
        async move {
            let outcome = match handler {
                Some(handler) => handler(review["request"].clone()).await,
                None => allow(),
            };
            let (status, body) = match outcome {
                Outcome::Response(response) => (200, completed(&review, response)),
                Outcome::Raw(status, body) => (status, body.to_owned()),
                Outcome::Unreachable => return Err("connection refused".to_owned()),
                Outcome::Never => std::future::pending().await,
            };
            let content_type = "text/plain".to_owned();
            Ok(WebhookReply { status, content_type, body: body.into() })
        }
        .boxed()
    }
}

fn completed(review: &Value, mut response: Value) -> String {
    let uid = review["request"]["uid"].clone();
    response.as_object_mut().unwrap().entry("uid").or_insert(uid);
    let version = &review["apiVersion"];
    json!({"apiVersion": version, "kind": "AdmissionReview", "response": response}).to_string()
}

pub(crate) fn allow() -> Outcome {
    Outcome::Response(json!({"allowed": true}))
}

/// Agrees and changes the object by a JSON patch.
pub(crate) fn patch(operations: Value) -> Outcome {
    let patch = STANDARD.encode(operations.to_string());
    Outcome::Response(json!({"allowed": true, "patchType": "JSONPatch", "patch": patch}))
}

impl Double {
    /// Decides what the webhook `name` does.
    pub(crate) fn on(
        &self,
        name: &str,
        handler: impl Fn(Value) -> Outcome + Send + Sync + 'static,
    ) {
        let handler = move |request| std::future::ready(handler(request)).boxed();
        self.handlers.lock().insert(name.to_owned(), Arc::new(handler));
    }

    /// The same for a webhook that takes its time.
    pub(crate) fn on_async(
        &self,
        name: &str,
        handler: impl Fn(Value) -> BoxFuture<'static, Outcome> + Send + Sync + 'static,
    ) {
        self.handlers.lock().insert(name.to_owned(), Arc::new(handler));
    }

    /// Lets the webhook append its own name to `data.seen`.
    pub(crate) fn appends(&self, name: &'static str) {
        self.on(name, move |request| {
            let seen = request["object"]["data"]["seen"].as_str().unwrap_or_default().to_owned();
            patch(json!([{"op": "add", "path": "/data/seen", "value": format!("{seen}{name}")}]))
        });
    }

    /// The names of the webhooks that were asked since the last time, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.requests().into_iter().map(|(name, _)| name).collect()
    }

    /// What was asked since the last time.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        let calls = std::mem::take(&mut *self.calls.lock());
        calls.into_iter().map(|(name, review)| (name, review["request"].clone())).collect()
    }

    /// Where the last call went.
    pub(crate) fn last_endpoint(&self) -> WebhookEndpoint {
        self.endpoints.lock().last().unwrap().clone()
    }
}

/// A server whose webhooks are `double`.
pub(crate) fn setup(double: &Arc<Double>) -> Setup {
    let services = [("ns/svc".to_owned(), "https://127.0.0.1:9443/".to_owned())];
    let webhooks = WebhookAccess { client: Some(double.clone()), services: services.into() };
    Setup { webhooks, ..Setup::default() }
}

pub(crate) const MUTATING: &str =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
pub(crate) const VALIDATING: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// A webhook for everything that is done to ConfigMaps, with some members replaced.
pub(crate) fn hook(name: &str, changes: Value) -> Value {
    let mut hook = json!({
        "name": format!("{name}.hooks.example.com"), "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "clientConfig": {"url": format!("https://hooks/{name}")},
        "rules": [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
    });
    let (hook_members, changes) = (hook.as_object_mut().unwrap(), changes.as_object().unwrap());
    hook_members.extend(changes.clone());
    hook
}

/// Creates a configuration.
pub(crate) async fn configure(api: &World, collection: &str, name: &str, hooks: Value) -> Reply {
    let kind = if collection == MUTATING { "Mutating" } else { "Validating" };
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": format!("{kind}WebhookConfiguration"),
        "metadata": {"name": name}, "webhooks": hooks,
    });
    api.post(collection, &configuration).await
}
