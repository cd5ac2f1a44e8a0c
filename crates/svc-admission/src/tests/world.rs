//! An engine with a Project, and an admitter beside it.

use std::{fmt::Debug, sync::Arc};

use api_kinds::GROUP;
use core_rules::access::{self, Component, Options};
use core_rules::admission::{Identities, Operation, Refusal, User, apply_patch};
use dev_testkit::engine::{Engine, Identity};
use io_kube::Ports;
use k8s_openapi::api::core::v1::Event;
use kube::{Api, Client, api::ListParams};
use serde_json::{Value, json};

use crate::{Admitter, Request, Settings};

pub(super) const API: &str = "system:serviceaccount:kargo:kargo-api";

pub(super) struct World {
    pub(super) engine: Engine,
    pub(super) admitter: Arc<Admitter>,
    pub(super) client: Client,
}

/// What came of a write.
pub(super) struct Written {
    pub(super) object: Value,
    pub(super) warnings: Vec<String>,
}

impl World {
    /// An engine on which `alice` may promote to every Stage, with Project `demo`.
    pub(super) async fn start() -> Self {
        let world = Self::bare().await;
        world.write(API, project("demo")).await.unwrap();
        world
    }

    /// An installation without any Project.
    pub(super) async fn bare() -> Self {
        let options = Options::default();
        let installation = [access::namespaces(&options), access::objects(&options)].concat();
        let engine = Engine::builder().objects(installation).start().await.unwrap();
        let client = engine.admin_client();
        let world = Self { admitter: Arc::new(admitter(&engine)), engine, client };
        world
            .store(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": "promoter"},
                "rules": [{"apiGroups": [GROUP], "resources": ["stages"], "verbs": ["promote"]}]}))
            .await;
        world
            .store(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": "promoters"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "promoter"},
                "subjects": [{"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"}]}))
            .await;
        world
    }

    /// Creates an object past admission.
    pub(super) async fn store(&self, object: Value) -> Value {
        self.send(http::Method::POST, &collection(&object), &object).await.unwrap()
    }

    async fn send(
        &self,
        method: http::Method,
        path: &str,
        body: &Value,
    ) -> Result<Value, kube::Error> {
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json")
            .body(body.to_string().into_bytes())
            .unwrap();
        self.client.request(request).await
    }

    /// Creates an object through admission, as an API server would.
    pub(super) async fn write(&self, who: &str, mut object: Value) -> Result<Written, Refusal> {
        let user = user(who);
        let sent = object.clone();
        let asked = request(&user, Operation::Create, Some(&sent), None);
        let mutated = self.admitter.mutate(&asked).await?;
        apply_patch(&mut object, &mutated.patch);
        let asked = Request { object: Some(&object), ..asked };
        let validated = self.admitter.validate(&asked).await?;
        let object = self.store(object).await;
        Ok(Written { object, warnings: [mutated.warnings, validated.warnings].concat() })
    }

    /// What admission says about a change; nothing is stored.
    pub(super) async fn update(
        &self,
        who: &str,
        subresource: &str,
        old: &Value,
        mut new: Value,
    ) -> Result<Value, Refusal> {
        let user = user(who);
        let sent = new.clone();
        let asked = request(&user, Operation::Update, Some(&sent), Some(old));
        let asked = Request { subresource, ..asked };
        let mutated = self.admitter.mutate(&asked).await?;
        apply_patch(&mut new, &mutated.patch);
        self.admitter.validate(&Request { object: Some(&new), ..asked }).await?;
        Ok(new)
    }

    /// What admission says about a deletion; nothing is deleted.
    pub(super) async fn delete(&self, who: &str, old: &Value) -> Result<(), Refusal> {
        let user = user(who);
        let asked = request(&user, Operation::Delete, None, Some(old));
        self.admitter.validate(&asked).await.map(drop)
    }

    /// Replaces the status of an object past admission.
    pub(super) async fn set_status(&self, object: &Value, status: Value) -> Value {
        let mut object = object.clone();
        object["status"] = status;
        let name = object["metadata"]["name"].as_str().unwrap();
        let path = format!("{}/{name}/status", collection(&object));
        self.send(http::Method::PUT, &path, &object).await.unwrap()
    }

    pub(super) async fn get<K>(&self, namespace: &str, name: &str) -> Option<K>
    where
        K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
            + Clone
            + Debug
            + serde::de::DeserializeOwned,
    {
        Api::namespaced(self.client.clone(), namespace).get_opt(name).await.unwrap()
    }

    /// The Events of the Project, once there are any.
    pub(super) async fn events(&self) -> Vec<Event> {
        let api: Api<Event> = Api::namespaced(self.client.clone(), "demo");
        for _ in 0..200 {
            let events = api.list(&ListParams::default()).await.unwrap().items;
            if !events.is_empty() {
                return events;
            }
            self.engine.clock().sleep(std::time::Duration::from_millis(10)).await;
        }
        Vec::new()
    }
}

pub(super) fn admitter(engine: &Engine) -> Admitter {
    let identities = Identities::new(&format!("^{API}$"), "", "").unwrap();
    let settings = Settings { identities, ..Settings::new("kargo") };
    Admitter::new(server_client(engine), settings, ports(engine))
}

/// A client with the permissions of the webhook server, no more.
pub(super) fn server_client(engine: &Engine) -> Client {
    let name = Component::KubernetesWebhooksServer.service_account();
    engine.client_as(Identity::service_account("kargo", name, ""))
}

pub(super) fn ports(engine: &Engine) -> Ports {
    Ports { clock: engine.clock(), entropy: engine.entropy(), tasks: engine.tasks() }
}

pub(super) fn user(name: &str) -> User {
    User { name: name.to_owned(), ..User::default() }
}

pub(super) fn request<'a>(
    user: &'a User,
    operation: Operation,
    object: Option<&'a Value>,
    old_object: Option<&'a Value>,
) -> Request<'a> {
    let subject = object.or(old_object).unwrap();
    let text = |pointer: &str| subject.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    Request {
        operation,
        group,
        resource: plural(text("/kind")),
        subresource: "",
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name"),
        user,
        object,
        old_object,
        dry_run: false,
    }
}

fn plural(kind: &str) -> &'static str {
    const PLURALS: [&str; 16] = [
        "freights",
        "projects",
        "projectconfigs",
        "promotions",
        "promotiontasks",
        "stages",
        "warehouses",
        "secrets",
        "serviceaccounts",
        "namespaces",
        "clusterroles",
        "clusterrolebindings",
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
        "promotionrequests",
        "targets",
    ];
    let singular = kind.to_lowercase();
    PLURALS.into_iter().find(|plural| plural.strip_suffix('s') == Some(&singular)).unwrap()
}

fn collection(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let api_version = text("/apiVersion");
    let root =
        if api_version == "v1" { "/api/v1".to_owned() } else { format!("/apis/{api_version}") };
    let resource = plural(text("/kind"));
    match text("/metadata/namespace") {
        "" => format!("{root}/{resource}"),
        namespace => format!("{root}/namespaces/{namespace}/{resource}"),
    }
}

/// An object of Project `demo`.
pub(super) fn object(kind: &str, name: &str, mut body: Value) -> Value {
    body["apiVersion"] = api_kinds::API_VERSION.into();
    body["kind"] = kind.into();
    body["metadata"]["name"] = name.into();
    body["metadata"]["namespace"] = "demo".into();
    body
}

pub(super) fn project(name: &str) -> Value {
    json!({"apiVersion": api_kinds::API_VERSION, "kind": "Project", "metadata": {"name": name}})
}

pub(super) fn warehouse() -> Value {
    let subscriptions = json!([{"image": {"repoURL": "busybox", "future": true}}]);
    object("Warehouse", "w", json!({"spec": {"interval": "5m0s", "subscriptions": subscriptions}}))
}

pub(super) fn stage(name: &str, sources: Value) -> Value {
    let request = json!([{"origin": {"kind": "Warehouse", "name": "w"}, "sources": sources}]);
    let template = json!({"spec": {"steps": [{"uses": "compose-output", "config": {"a": "b"}}]}});
    object(
        "Stage",
        name,
        json!({"spec": {"requestedFreight": request, "promotionTemplate": template}}),
    )
}

pub(super) fn freight(tag: &str) -> Value {
    let origin = json!({"kind": "Warehouse", "name": "w"});
    object(
        "Freight",
        "any",
        json!({"origin": origin, "images": [{"repoURL": "busybox", "tag": tag}]}),
    )
}

pub(super) fn promotion(stage: &str, freight: &str) -> Value {
    object("Promotion", "any", json!({"spec": {"stage": stage, "freight": freight}}))
}
