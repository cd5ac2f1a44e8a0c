//! Row 136: helm installs, upgrades, rolls back and removes a chart.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::tool::Tool;
use crate::{
    expect::{at, equal},
    namespace::Namespace,
    patience::soon,
    world::World,
};

const CHART: &str = "apiVersion: v2\nname: tiny\nversion: 0.1.0\n";
const VALUES: &str = "color: red\nextra: true\n";
const TEMPLATES: &str = r#"
apiVersion: v1
kind: ServiceAccount
metadata: {name: tiny}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tiny, labels: {app: tiny}}
data:
  color: {{ .Values.color }}
  {{- if .Values.extra }}
  extra: kept
  {{- end }}
---
apiVersion: v1
kind: Secret
metadata: {name: tiny}
stringData: {color: "{{ .Values.color }}"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: tiny}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: tiny}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: tiny}
subjects:
- {kind: ServiceAccount, name: tiny, namespace: {{ .Release.Namespace }}}
---
apiVersion: GROUP/v1
kind: Thing
metadata: {name: tiny}
spec: {color: {{ .Values.color }}}
"#;

pub(crate) async fn releases(world: &World<'_>) -> Result<()> {
    let helm = Tool::new(world, "helm").await?;
    let group = format!("{}.example.com", world.unique("conf"));
    helm.file("tiny/Chart.yaml", CHART)?;
    helm.file("tiny/values.yaml", VALUES)?;
    helm.file("tiny/templates/all.yaml", &TEMPLATES.replace("GROUP", &group))?;
    helm.file("tiny/crds/thing.json", &definition(&group).to_string())?;
    let namespace = world.namespace().await?;
    let release = Release {
        world,
        helm,
        things: namespace.collection(&format!("{group}/v1"), "things"),
        namespace,
    };
    release.install().await?;
    release.upgrade().await?;
    release.roll_back().await?;
    release.uninstall().await?;
    let crd = format!("{}/things.{group}", crate::fixture::CRDS);
    world.delete(&crd).await?.is(200).map(drop)
}

fn definition(group: &str) -> Value {
    let spec = json!({"type": "object", "properties": {"color": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
}

/// A chart as it is installed in a namespace.
struct Release<'w> {
    world: &'w World<'w>,
    helm: Tool,
    namespace: Namespace,
    things: String,
}

impl Release<'_> {
    async fn run(&self, line: &str) -> Result<String> {
        self.helm.succeeds(&self.namespace.name, line).await
    }

    async fn install(&self) -> Result<()> {
        let output = self.run("install tiny tiny --wait --timeout=60s").await?;
        ensure!(output.contains("STATUS: deployed\nREVISION: 1\n"), "helm install: {output}");
        self.has("red", json!({"color": "red", "extra": "kept"})).await?;
        let secret =
            self.world.read(&self.namespace.core("secrets/sh.helm.release.v1.tiny.v1")).await?;
        at(&secret, "/type", "helm.sh/release.v1")?;
        at(&secret, "/metadata/labels/status", "deployed")?;
        let twice = self.helm.run(&self.namespace.name, &["install", "tiny", "tiny"]).await?;
        ensure!(
            twice.exit == Some(1) && twice.errors.contains("cannot re-use a name"),
            "{twice:?}"
        );
        let list = self.run("list -o json").await?;
        at(&serde_json::from_str(&list)?, "/0/status", "deployed")
    }

    async fn upgrade(&self) -> Result<()> {
        let output =
            self.run("upgrade tiny tiny --set=color=blue,extra=false --wait --timeout=60s").await?;
        ensure!(output.contains("STATUS: deployed\nREVISION: 2\n"), "helm upgrade: {output}");
        self.has("blue", json!({"color": "blue"})).await
    }

    async fn roll_back(&self) -> Result<()> {
        let output = self.run("rollback tiny 1 --wait --timeout=60s").await?;
        equal("helm rollback", &output.as_str(), &"Rollback was a success! Happy Helming!\n")?;
        self.has("red", json!({"color": "red", "extra": "kept"})).await?;
        let history: Value = serde_json::from_str(&self.run("history tiny -o json").await?)?;
        for (index, status) in ["superseded", "superseded", "deployed"].into_iter().enumerate() {
            at(&history, &format!("/{index}/status"), status)?;
        }
        let status = self.run("status tiny").await?;
        ensure!(status.contains("STATUS: deployed\nREVISION: 3\n"), "helm status: {status}");
        Ok(())
    }

    async fn uninstall(&self) -> Result<()> {
        let output = self.run("uninstall tiny --wait --timeout=60s").await?;
        equal("helm uninstall", &output.as_str(), &"release \"tiny\" uninstalled\n")?;
        for path in self.objects() {
            soon(async || self.world.get(&path).await?.is(404).map(drop)).await?;
        }
        let secrets = self.world.read(&self.namespace.core("secrets")).await?;
        at(&secrets, "/items", json!([]))
    }

    fn objects(&self) -> Vec<String> {
        let rbac = |plural| self.namespace.collection(super::account::RBAC, plural);
        let core = |plural| self.namespace.core(plural);
        [
            core("serviceaccounts"),
            core("configmaps"),
            core("secrets"),
            rbac("roles"),
            rbac("rolebindings"),
            self.things.clone(),
        ]
        .map(|collection| format!("{collection}/tiny"))
        .to_vec()
    }

    /// Everything is there, with this color and these entries of the ConfigMap.
    async fn has(&self, color: &str, data: Value) -> Result<()> {
        for path in self.objects() {
            let object = self.world.read(&path).await?;
            at(&object, "/metadata/labels/app.kubernetes.io~1managed-by", "Helm")?;
        }
        at(&self.world.read(&self.namespace.core("configmaps/tiny")).await?, "/data", data)?;
        at(&self.world.read(&format!("{}/tiny", self.things)).await?, "/spec/color", color)
    }
}
