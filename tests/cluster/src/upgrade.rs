//! A start on an installation that is there already.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::world::{World, stop};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const COLLECTIONS: [&str; 5] = [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/kargo/roles",
    "/api/v1/namespaces/kargo/serviceaccounts",
];

/// What a user added stays, what a user took away comes back, and nothing else is written.
pub(crate) async fn additions(world: &World) -> Result<()> {
    stop(world.up(&[]).await?).await?;
    let role = format!("{RBAC}/clusterroles/kargo-controller");
    let binding = format!("{RBAC}/clusterrolebindings/kargo-controller");
    let theirs = json!({"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]});
    let them =
        json!({"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "operators"});
    let ours = change(world, &role, "rules", |rules| {
        rules.push(theirs.clone());
        rules.remove(0)
    })
    .await?;
    change(world, &binding, "subjects", |subjects| subjects.push(them.clone())).await?;
    let label = json!({"metadata": {"labels": {"team": "platform"}}});
    world.client.merge("/api/v1/namespaces/kargo", &label).await?;
    stop(world.up(&[]).await?).await?;
    let rules = world.client.read(&role).await?["rules"].clone();
    let rules = rules.as_array().context("no rules")?;
    ensure!(rules.contains(&theirs), "the user's rule is gone: {rules:?}");
    ensure!(rules.contains(&ours), "our rule is not back: {rules:?}");
    let subjects = world.client.read(&binding).await?["subjects"].clone();
    ensure!(subjects.as_array().is_some_and(|all| all.contains(&them)), "{subjects}");
    let namespace = world.client.read("/api/v1/namespaces/kargo").await?;
    ensure!(namespace["metadata"]["labels"]["team"] == "platform", "{namespace}");
    let before = versions(world).await?;
    stop(world.up(&[]).await?).await?;
    ensure!(versions(world).await? == before, "the second start wrote something");
    Ok(())
}

/// Changes a list of an object.
async fn change<T>(
    world: &World,
    path: &str,
    list: &str,
    change: impl FnOnce(&mut Vec<Value>) -> T,
) -> Result<T> {
    let object = world.client.read(path).await?;
    let mut entries = object[list].as_array().cloned().context("no list")?;
    let changed = change(&mut entries);
    world.client.merge(path, &json!({ list: entries })).await?;
    Ok(changed)
}

/// The revision of every object of the installation.
async fn versions(world: &World) -> Result<Vec<(String, String)>> {
    let mut versions = Vec::new();
    for collection in COLLECTIONS {
        let list = world.client.read(collection).await?;
        for object in list["items"].as_array().context("no items")? {
            let text =
                |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
            if text("name").contains("kargo") {
                versions.push((format!("{collection}/{}", text("name")), text("resourceVersion")));
            }
        }
    }
    ensure!(versions.len() > 40, "only {} objects", versions.len());
    Ok(versions)
}
