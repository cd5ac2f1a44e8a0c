//! A Stage with an Application: what is promoted becomes a value of a ConfigMap.

use anyhow::{Context, Result};
use dev_testkit::warehouse::{Project, eventually};
use serde_json::{Value, json};

use crate::{
    argo_cd::NAMESPACE,
    world::{PROJECT, WAREHOUSE, World, applications, freight},
};

/// A ConfigMap that a cluster accepts.
pub(crate) const GOOD: &str = "{name: NAME}\ndata:\n  commit: none\n";
/// One that it does not: values of a ConfigMap are texts.
pub(crate) const BAD: &str = "{name: NAME}\ndata:\n  commit: none\n  number: 7\n";

/// A Stage, and the folder of the repository that its Application is made from.
pub(crate) struct Pipeline<'a> {
    world: &'a World,
    project: &'a Project,
    pub(crate) stage: &'static str,
}

impl<'a> Pipeline<'a> {
    /// Creates folder and Stage.
    pub(crate) async fn create(
        world: &'a World,
        stage: &'static str,
        config_map: &str,
        apps: &Value,
    ) -> Result<Self> {
        Self::create_in(&world.project, world, stage, config_map, apps).await
    }

    /// The same in a Project of another control plane.
    pub(crate) async fn create_in(
        project: &'a Project,
        world: &'a World,
        stage: &'static str,
        config_map: &str,
        apps: &Value,
    ) -> Result<Self> {
        let text = config_map.replace("NAME", stage);
        let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {text}");
        let file = format!("{stage}/config-map.yaml");
        world.config.commit("main", &format!("add {stage}"), &[(&file, &text)])?;
        let body = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "metadata": {"name": stage},
            "spec": {
                "requestedFreight": [{
                    "origin": {"kind": "Warehouse", "name": WAREHOUSE},
                    "sources": {"direct": true},
                }],
                "promotionTemplate": {"spec": {"steps": steps(world, &file, apps)}},
            },
        });
        project.client.create(&project.path("stages"), &body).await?;
        Ok(Self { world, project, stage })
    }

    /// Creates an Application of the Stage's folder, in a namespace of its name.
    pub(crate) async fn application(&self, name: &str, metadata: &Value) -> Result<()> {
        self.application_with(name, metadata, &Value::Null).await
    }

    /// The same, which Argo CD may sync by itself.
    pub(crate) async fn application_with(
        &self,
        name: &str,
        metadata: &Value,
        automated: &Value,
    ) -> Result<()> {
        let mut body = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata,
            "spec": {
                "project": "default",
                "source": {
                    "repoURL": self.world.config_url(), "path": self.stage, "targetRevision": "main",
                },
                "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
                "syncPolicy": {"syncOptions": ["CreateNamespace=true"]},
            },
        });
        body["metadata"]["name"] = json!(name);
        if automated.is_object() {
            body["spec"]["syncPolicy"]["automated"] = automated.clone();
        }
        self.world.client.create(&applications(), &body).await.map(drop)
    }

    /// The annotation with which an Application lets this Stage change it.
    pub(crate) fn permission(&self) -> Value {
        json!({"kargo.akuity.io/authorized-stage": format!("{PROJECT}:{}", self.stage)})
    }

    /// Promotes the Freight and waits for the end.
    pub(crate) async fn promote(&self) -> Result<Value> {
        let freight = freight(self.project).await?.context("there is Freight")?;
        let body = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
            "metadata": {"generateName": "by-hand-"},
            "spec": {"stage": self.stage, "freight": freight["metadata"]["name"]},
        });
        let path = self.project.path("promotions");
        let created = self.project.client.create(&path, &body).await?;
        let name = created["metadata"]["name"].as_str().context("a Promotion has a name")?;
        let path = format!("promotions/{name}");
        let is_over = async || {
            let promotion = self.project.get(&path).await?;
            let phase = promotion["status"]["phase"].as_str().unwrap_or_default().to_owned();
            Ok(!matches!(phase.as_str(), "" | "Pending" | "Running"))
        };
        let waited = eventually(&format!("{name} ends"), is_over).await;
        let promotion = self.project.get(&path).await?;
        waited.with_context(|| promotion["status"].to_string())?;
        Ok(promotion)
    }

    /// Waits until the health of the Stage is this, and returns the Stage.
    pub(crate) async fn await_health(&self, status: &str) -> Result<Value> {
        let path = format!("stages/{}", self.stage);
        let is_so =
            async || Ok(self.project.get(&path).await?["status"]["health"]["status"] == status);
        let waited = eventually(&format!("Stage {} is {status}", self.stage), is_so).await;
        let stage = self.project.get(&path).await?;
        waited.with_context(|| stage["status"].to_string())?;
        Ok(stage)
    }

    /// Waits until the Stage says that it is about these Applications.
    pub(crate) async fn await_context(&self, names: &[&str]) -> Result<()> {
        let path = format!("stages/{}", self.stage);
        let reference = |name: &&str| json!({"name": name, "namespace": NAMESPACE});
        let wanted = json!(names.iter().map(reference).collect::<Vec<_>>()).to_string();
        let is_so = async || {
            let stage = self.project.get(&path).await?;
            let annotation = &stage["metadata"]["annotations"]["kargo.akuity.io/argocd-context"];
            Ok(*annotation == wanted.as_str())
        };
        eventually(&format!("Stage {} says: {wanted}", self.stage), is_so).await
    }

    /// The ConfigMap that Argo CD made of an Application.
    pub(crate) async fn config_map(&self, application: &str) -> Result<Value> {
        let path = format!("/api/v1/namespaces/{application}/configmaps/{}", self.stage);
        self.world.client.read(&path).await
    }
}

/// Writes the promoted commit into the ConfigMap, pushes that, and has Argo CD bring it about.
fn steps(world: &World, file: &str, apps: &Value) -> Value {
    let url = world.config_url();
    let commit = format!("${{{{ commitFrom('{}').ID }}}}", world.source_url());
    let update = json!([{"key": "data.commit", "value": commit}]);
    let mut apps = apps.clone();
    let wait = apps.clone();
    for app in apps.as_array_mut().into_iter().flatten() {
        app["sources"] = json!([{"repoURL": url, "desiredRevision": "${{ outputs.push.commit }}"}]);
    }
    json!([
        {"uses": "git-clone", "config": {"repoURL": url, "checkout": [{"branch": "main", "path": "./config"}]}},
        {"uses": "yaml-update", "config": {"path": format!("./config/{file}"), "updates": update}},
        {"uses": "git-commit", "config": {"path": "./config", "message": "promote"}},
        {"uses": "git-push", "as": "push", "config": {"path": "./config"}},
        {"uses": "argocd-update", "config": {"apps": apps}},
        {"uses": "argocd-wait", "config": {"apps": wait}},
    ])
}

/// Checks that an Application was last synced for a Promotion.
pub(crate) fn was_synced_by(application: &Value, promotion: &Value) -> bool {
    let info = &application["status"]["operationState"]["operation"]["info"];
    let is_mark = |entry: &Value| {
        entry["name"] == "kargo.akuity.io/promotion"
            && entry["value"] == promotion["metadata"]["name"]
    };
    info.as_array().is_some_and(|entries| entries.iter().any(is_mark))
}
