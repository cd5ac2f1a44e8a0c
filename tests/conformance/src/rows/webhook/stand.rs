//! The stand of a case: a namespace, a webhook server, and configurations that concern nothing else.

use anyhow::{Result, ensure};
use dev_testkit::server::webhook::{WebhookAnswer, WebhookCall, WebhookServer, allow};
use serde_json::{Value, json};

use crate::{
    namespace::{Namespace, config_map},
    patience::soon,
    world::World,
};

pub(super) const MUTATING: &str =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
pub(super) const VALIDATING: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
/// Where a webhook is that only tells whether its configuration counts already.
const PROBE: &str = "/probe";

/// A namespace and the webhooks for it.
pub(super) struct Stand<'w, 's> {
    pub(super) world: &'w World<'s>,
    pub(super) namespace: Namespace,
    server: WebhookServer,
    configurations: std::cell::RefCell<Vec<String>>,
}

impl<'w, 's> Stand<'w, 's> {
    pub(super) async fn new(world: &'w World<'s>) -> Result<Self> {
        let server = WebhookServer::start(&[]).await?;
        server.answer(PROBE, |_| allow());
        let namespace = world.namespace().await?;
        Ok(Self { world, namespace, server, configurations: std::cell::RefCell::default() })
    }

    /// Decides what the webhook `name` answers.
    pub(super) fn answer(
        &self,
        name: &str,
        handler: impl Fn(&Value) -> WebhookAnswer + Send + Sync + 'static,
    ) {
        self.server.answer(&format!("/{name}"), handler);
    }

    /// What the webhook `name` was asked since the last time.
    pub(super) fn calls(&self, name: &str) -> Vec<WebhookCall> {
        self.server.take(&format!("/{name}"))
    }

    /// The requests that the webhook `name` was asked about since the last time.
    pub(super) fn requests(&self, name: &str) -> Vec<Value> {
        self.calls(name).into_iter().map(|call| call.request().clone()).collect()
    }

    /// The only request that the webhook `name` was asked about since the last time.
    pub(super) fn request(&self, name: &str) -> Result<Value> {
        let mut requests = self.requests(name);
        ensure!(requests.len() == 1, "{name} was asked {} times, want once", requests.len());
        Ok(requests.remove(0))
    }

    /// How often the webhook `name` was asked since the last time.
    pub(super) fn asked(&self, name: &str) -> usize {
        self.calls(name).len()
    }

    /// A webhook for everything that happens to Widgets of this namespace, with some members replaced.
    pub(super) fn hook(&self, name: &str, changes: Value) -> Value {
        let rules = json!([{"operations": ["*"], "apiGroups": ["conf.example.com"],
            "apiVersions": ["v1"], "resources": ["widgets"]}]);
        let mut hook = json!({
            "name": format!("{name}.conf.example.com"), "sideEffects": "None",
            "admissionReviewVersions": ["v1"], "rules": rules,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.namespace.name}},
            "clientConfig": {
                "url": self.server.url(&format!("/{name}")), "caBundle": self.server.ca_bundle()
            },
        });
        if let (Some(hook), Some(changes)) = (hook.as_object_mut(), changes.as_object()) {
            hook.extend(changes.clone());
        }
        hook
    }

    /// Creates a configuration of these webhooks and waits until it counts. `prefix` begins its name.
    pub(super) async fn configure(
        &self,
        collection: &str,
        prefix: &str,
        hooks: Vec<Value>,
    ) -> Result<String> {
        let name = self.world.unique(prefix);
        let probe = self.probe(&name);
        let webhooks: Vec<Value> = hooks.into_iter().chain([probe]).collect();
        let object = configuration(collection, &name, json!(webhooks));
        self.world.create(collection, &object).await?;
        self.configurations.borrow_mut().push(format!("{collection}/{name}"));
        soon(|| async {
            let mut map = config_map("probe", json!({}));
            map["metadata"]["labels"] = json!({"probe": name});
            let path = format!("{}?dryRun=All", self.namespace.core("configmaps"));
            self.world.post(&path, &map).await?.is(201)?;
            ensure!(self.asked("probe") > 0, "{name} does not count yet");
            Ok(())
        })
        .await?;
        Ok(name)
    }

    fn probe(&self, configuration: &str) -> Value {
        let rules = json!([{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"],
            "resources": ["configmaps"]}]);
        self.hook(
            "probe",
            json!({"rules": rules, "objectSelector": {"matchLabels": {"probe": configuration}}}),
        )
    }

    /// Removes the configurations, so that they disturb nobody.
    pub(super) async fn clear(&self) -> Result<()> {
        let configurations = self.configurations.take();
        for path in configurations {
            let gone = self.world.delete(&path).await?;
            ensure!(matches!(gone.status.as_u16(), 200 | 404), "{gone}, want 200 or 404");
        }
        Ok(())
    }
}

/// A configuration of the kind that a collection holds.
pub(super) fn configuration(collection: &str, name: &str, webhooks: Value) -> Value {
    let kind = if collection == MUTATING { "Mutating" } else { "Validating" };
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": format!("{kind}WebhookConfiguration"),
        "metadata": {"name": name}, "webhooks": webhooks,
    })
}
