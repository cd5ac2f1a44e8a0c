//! A control plane with something of everything, and clients that break.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use dev_testkit::engine::{Engine, Identity};
use futures::FutureExt;
use http::Response;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
    client::Body,
    core::GroupVersionKind,
};
use local_portable::{
    CollectOptions, Collection, Error, Namespaces, collect,
    restore::{Report, RestoreOptions, Unfinished, restore},
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tower::Service;

const KARGO: &str = "kargo.akuity.io/v1alpha1";

/// An engine with the kinds of analysis and the namespaces of an installation.
pub(crate) async fn engine(seed: u64) -> Engine {
    let namespaces = ["kargo", "kargo-system-resources", "kargo-shared-resources"];
    let namespaces = namespaces
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    let builder = Engine::builder().seed(seed).objects(namespaces).crds(api_analysis::crds());
    builder.start().await.unwrap()
}

fn api(client: &Client, object: &Value) -> Api<DynamicObject> {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
    match text("/metadata/namespace") {
        "" => Api::all_with(client.clone(), &resource),
        namespace => Api::namespaced_with(client.clone(), namespace, &resource),
    }
}

/// Makes an object with its status, and returns it.
pub(crate) async fn make(client: &Client, object: &Value) -> Value {
    let api = api(client, object);
    let own: DynamicObject = serde_json::from_value(object.clone()).unwrap();
    let name = own.metadata.name.clone().unwrap();
    let mut made = api.create(&PostParams::default(), &own).await.unwrap();
    if let Some(status) = object.get("status") {
        let patch = Patch::Merge(json!({ "status": status }));
        made = api.patch_status(&name, &PatchParams::default(), &patch).await.unwrap();
    }
    serde_json::to_value(made).unwrap()
}

/// An object as it is.
pub(crate) async fn read(client: &Client, kind: &str, namespace: &str, name: &str) -> Value {
    let version = if ["Secret", "Namespace", "ConfigMap"].contains(&kind) { "v1" } else { KARGO };
    let wanted = json!({"apiVersion": version, "kind": kind, "metadata": {"namespace": namespace}});
    serde_json::to_value(api(client, &wanted).get(name).await.unwrap()).unwrap()
}

fn object(kind: &str, name: &str, rest: Value) -> Value {
    let mut object =
        json!({"apiVersion": KARGO, "kind": kind, "metadata": {"name": name, "namespace": "demo"}});
    if kind == "Project" {
        object["metadata"] = json!({"name": name});
    }
    let Value::Object(rest) = rest else { panic!("not an object") };
    object.as_object_mut().unwrap().extend(rest);
    object
}

/// Fills a control plane with something of everything.
pub(crate) async fn fill(client: &Client) {
    let project =
        make(client, &object("Project", "demo", json!({"status": {"conditions": []}}))).await;
    make(client, &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {
        "name": "demo", "labels": {"kargo.akuity.io/project": "true"}, "finalizers": ["kargo.akuity.io/finalizer"],
        "ownerReferences": [owner("Project", &project)],
    }}))
    .await;
    for built_in in built_ins() {
        make(client, &built_in).await;
    }
    let origin = json!({"kind": "Warehouse", "name": "guestbook"});
    make(
        client,
        &object(
            "Warehouse",
            "guestbook",
            json!({
                "spec": {"subscriptions": [{"git": {"repoURL": "https://example.com/a.git"}}]},
                "status": {"observedGeneration": 1, "lastFreightID": "f1"},
            }),
        ),
    )
    .await;
    make(client, &object("Freight", "f1", json!({
        "alias": "happy-fox", "origin": origin, "commits": [{"repoURL": "https://example.com/a.git", "id": "abc"}],
        "status": {"verifiedIn": {"dev": {"verifiedAt": "2026-01-01T00:00:00Z"}}, "approvedFor": {"prod": {"approvedAt": "2026-01-01T00:00:00Z"}}},
    })))
    .await;
    let stage = make(client, &object("Stage", "dev", json!({
        "spec": {"requestedFreight": [{"origin": origin, "sources": {"direct": true}}]},
        "status": {"observedGeneration": 1, "freightSummary": "f1", "conditions": [
            {"type": "Ready", "status": "True", "reason": "Verified", "message": "", "observedGeneration": 1, "lastTransitionTime": "2026-01-01T00:00:00Z"},
        ]},
    })))
    .await;
    for (name, phase) in [("dev.1", "Succeeded"), ("dev.2", "Failed"), ("dev.3", "Running")] {
        let mut promotion = object(
            "Promotion",
            name,
            json!({
                "spec": {"stage": "dev", "freight": "f1", "steps": [{"uses": "fail"}]}, "status": {"phase": phase},
            }),
        );
        promotion["metadata"]["ownerReferences"] = json!([owner("Stage", &stage)]);
        make(client, &promotion).await;
    }
    make(
        client,
        &object(
            "Promotion",
            "dev.4",
            json!({"spec": {"stage": "dev", "freight": "f1", "steps": [{"uses": "fail"}]}}),
        ),
    )
    .await;
}

fn built_ins() -> Vec<Value> {
    let rbac = "rbac.authorization.k8s.io/v1";
    let of = |version: &str, kind: &str, name: &str| json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "demo"}});
    let mut secret = of("v1", "Secret", "git");
    secret["stringData"] = json!({"password": "yes", "multi": "a\nb\n"});
    let account = of("v1", "ServiceAccount", "ci");
    let mut token = of("v1", "Secret", "ci-token");
    token["type"] = json!("kubernetes.io/service-account-token");
    token["metadata"]["annotations"] = json!({"kubernetes.io/service-account.name": "ci"});
    token["metadata"]["labels"] = json!({"rbac.kargo.akuity.io/api-token": "true"});
    let mut map = of("v1", "ConfigMap", "settings");
    map["data"] = json!({"on": "010"});
    let mut role = of(rbac, "Role", "ci");
    role["rules"] =
        json!([{"apiGroups": ["kargo.akuity.io"], "resources": ["stages"], "verbs": ["promote"]}]);
    let mut binding = of(rbac, "RoleBinding", "someone@example.com");
    binding["roleRef"] =
        json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "ci"});
    binding["subjects"] = json!([{"kind": "ServiceAccount", "name": "ci", "namespace": "demo"}]);
    let mut template = of("argoproj.io/v1alpha1", "AnalysisTemplate", "smoke");
    template["spec"] =
        json!({"metrics": [{"name": "m", "provider": {"web": {"url": "http://localhost"}}}]});
    vec![secret, account, token, map, role, binding, template]
}

/// A reference to an owner.
fn owner(kind: &str, owner: &Value) -> Value {
    let metadata = &owner["metadata"];
    json!({
        "apiVersion": KARGO, "kind": kind, "name": metadata["name"], "uid": metadata["uid"],
        "controller": true, "blockOwnerDeletion": true,
    })
}

/// Everything that belongs to the control plane.
pub(crate) async fn collected(engine: &Engine) -> Collection {
    let options = CollectOptions {
        namespaces: Namespaces::default(),
        analysis_runs: false,
        kargo: "test".to_owned(),
        source: "test".to_owned(),
    };
    collect(&engine.admin_client(), &*engine.clock(), &options).await.unwrap()
}

pub(crate) const OFFLINE: RestoreOptions = RestoreOptions {
    unfinished: Unfinished::Aborted,
    merge: false,
    analysis_kinds: false,
    is_offline: true,
};

pub(crate) async fn restored(engine: &Engine, collection: &Collection) -> Result<Report, Error> {
    restore(&engine.admin_client(), &*engine.clock(), collection, &OFFLINE).await
}

/// A client whose requests stop coming through at some point, and how many it has made.
pub(crate) struct Mortal {
    pub(crate) client: Client,
    pub(crate) requests: Arc<AtomicUsize>,
    /// Told when the time has come.
    pub(crate) dead: Arc<Notify>,
}

impl Mortal {
    /// Answers so many requests, and the next one never.
    pub(crate) fn new(engine: &Engine, life: usize) -> Self {
        let (requests, dead) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let (count, death) = (requests.clone(), dead.clone());
        let inner = engine.server().client_service(Identity::admin());
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let is_over = count.fetch_add(1, Ordering::Relaxed) >= life;
            let (mut inner, death) = (inner.clone(), death.clone());
            async move {
                if is_over {
                    death.notify_one();
                    std::future::pending::<()>().await;
                }
                inner.call(request).await
            }
            .boxed()
        });
        Self { client: Client::new(service, "default"), requests, dead }
    }
}

/// A client whose writes are all refused with this answer.
pub(crate) fn refusing(engine: &Engine, code: u16, message: &'static str) -> Client {
    let inner = engine.server().client_service(Identity::admin());
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let mut inner = inner.clone();
        async move {
            if request.method() == http::Method::GET {
                let (parts, body) = inner.call(request).await?.into_parts();
                let bytes = http_body_util::BodyExt::collect(body).await.map(http_body_util::Collected::to_bytes);
                return Ok(Response::from_parts(parts, Body::from(bytes.unwrap_or_default().to_vec())));
            }
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message});
            let reply = Response::builder().status(code).body(Body::from(status.to_string().into_bytes()));
            Ok::<_, std::convert::Infallible>(reply.unwrap())
        }
        .boxed()
    });
    Client::new(service, "default")
}
