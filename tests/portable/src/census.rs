//! What a control plane holds, read and compared without the code under test.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use dev_testkit::{Client, found};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{PATIENCE, pipeline::PROJECT};

const KARGO: &str = "/apis/kargo.akuity.io/v1alpha1";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

/// What every server makes for itself.
const SERVERS_OWN: [&str; 2] = ["kube-root-ca.crt", "default"];

/// Every object by its kind, namespace and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Census(BTreeMap<String, Value>);

impl Census {
    /// Reads everything of the pipeline.
    pub(crate) async fn take(client: &Client) -> Result<Self> {
        let mut census = BTreeMap::new();
        for path in paths() {
            let list = read(client, &path).await?;
            for object in list["items"].as_array().into_iter().flatten() {
                let metadata = &object["metadata"];
                let (namespace, name) =
                    (&metadata["namespace"], metadata["name"].as_str().unwrap_or_default());
                let is_ours = metadata["labels"]["kargo.akuity.io/project"] == "true"
                    || !path.ends_with("/namespaces");
                if is_ours && !SERVERS_OWN.contains(&name) {
                    let plural = path.rsplit('/').next().unwrap_or_default();
                    census.insert(format!("{plural} {namespace} {name}"), essence(object));
                }
            }
        }
        Ok(Self(census))
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The same once controllers have started: a Warehouse looks for artifacts anew, and says so.
    pub(crate) fn once_started(mut self) -> Self {
        for (_, warehouse) in self.0.iter_mut().filter(|(name, _)| name.starts_with("warehouses "))
        {
            warehouse["status"] = Value::Null;
        }
        self
    }

    /// Fails with the first object that differs, and with all that are missing or new.
    pub(crate) fn ensure_same(&self, other: &Self) -> Result<()> {
        let names = |census: &Self| census.0.keys().cloned().collect::<BTreeSet<_>>();
        let (here, there) = (names(self), names(other));
        ensure!(here == there, "missing or new: {:?}", here.symmetric_difference(&there));
        for (name, object) in &self.0 {
            let found = &other.0[name];
            ensure!(object == found, "{name} differs in {}", difference(object, found, ""));
        }
        Ok(())
    }
}

/// What is there at a path. For a moment after a kind was installed, a server may be too busy with it to tell.
async fn read(client: &Client, path: &str) -> Result<Value> {
    found(PATIENCE, path, async || {
        let reply = client.get(path).await?;
        if reply.status == StatusCode::TOO_MANY_REQUESTS {
            return Ok(None);
        }
        ensure!(reply.status.is_success(), "{}", reply.text());
        Ok(Some(reply.json()))
    })
    .await
}

fn paths() -> Vec<String> {
    let cluster = ["projects", "clusterconfigs", "clusterpromotiontasks"];
    let own = [
        "projectconfigs",
        "promotiontasks",
        "targets",
        "warehouses",
        "freights",
        "stages",
        "promotionrequests",
        "promotions",
    ];
    let core = ["secrets", "configmaps", "serviceaccounts"];
    let mut paths = vec!["/api/v1/namespaces".to_owned()];
    paths.extend(cluster.map(|plural| format!("{KARGO}/{plural}")));
    paths.extend(own.map(|plural| format!("{KARGO}/namespaces/{PROJECT}/{plural}")));
    paths.extend(core.map(|plural| format!("/api/v1/namespaces/{PROJECT}/{plural}")));
    paths.extend(
        ["roles", "rolebindings"].map(|plural| format!("{RBAC}/namespaces/{PROJECT}/{plural}")),
    );
    paths.push(format!("/apis/argoproj.io/v1alpha1/namespaces/{PROJECT}/analysistemplates"));
    paths
}

/// The object without what servers decide.
fn essence(object: &Value) -> Value {
    let metadata = &object["metadata"];
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    let owners: Vec<Value> = owners.map(|owner| json!([owner["kind"], owner["name"]])).collect();
    let (mut labels, mut annotations) =
        (metadata["labels"].clone(), metadata["annotations"].clone());
    let is_token = object["type"] == "kubernetes.io/service-account-token";
    if let (true, Value::Object(labels), Value::Object(annotations)) =
        (is_token, &mut labels, &mut annotations)
    {
        labels.remove("kubernetes.io/legacy-token-last-used");
        annotations.remove("kubernetes.io/service-account.uid");
    }
    let mut essence = object.clone();
    essence["metadata"] = json!({
        "labels": labels, "annotations": annotations, "finalizers": metadata["finalizers"], "owners": owners,
    });
    for field in ["apiVersion", "kind"] {
        essence[field] = Value::Null;
    }
    if is_token {
        essence["data"] = json!(essence["data"]["token"].is_string());
    }
    if essence["spec"]["finalizers"].is_array() {
        // Of a namespace.
        (essence["spec"], essence["status"]) = (Value::Null, Value::Null);
    }
    relate(&mut essence["status"], &metadata["generation"]);
    essence
}

/// Generations start anew on every server: what counts is whether the status is about the last one.
fn relate(status: &mut Value, last: &Value) {
    match status {
        Value::Object(members) => {
            for (name, value) in members {
                if name == "observedGeneration" {
                    *value = json!(value == last);
                }
                relate(value, last);
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| relate(entry, last)),
        _ => {}
    }
}

/// Where two objects differ first, and how.
fn difference(left: &Value, right: &Value, path: &str) -> String {
    let (Value::Object(here), Value::Object(there)) = (left, right) else {
        return format!("{path}: {left} and {right}");
    };
    let names: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
    let differs = names.into_iter().find(|name| left[*name] != right[*name]);
    differs.map_or_else(String::new, |name| {
        difference(&left[name], &right[name], &format!("{path}/{name}"))
    })
}
