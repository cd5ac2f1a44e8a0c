//! The Project of the demo and its objects in the control plane.

use std::{net::SocketAddr, time::Duration};

use io_kube::{Ports, is_not_found, status_code};
use kube::{
    Api, Client,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams,
    },
};
use serde_json::{Value, json};

use crate::{APPLICATION, Error, PROJECT, Release};

const OBJECTS: &str = include_str!("../demo/objects.yaml");
/// Says to which server an object belongs.
const ADDRESS: &str = "demo.kargo.akuity.io/address";
/// The namespace of a new Project takes a moment.
const TRIES: usize = 150;
const PAUSE: Duration = Duration::from_millis(100);

/// Creates what is missing, and moves what belongs to another address here.
pub(crate) async fn install(
    client: &Client,
    address: SocketAddr,
    ports: &Ports,
) -> Result<(), Error> {
    for object in objects(address)? {
        let what = format!("{} {}", text(&object, "/kind"), text(&object, "/metadata/name"));
        let mut tries = 0;
        while let Err(error) = put(client, &object, address).await {
            tries += 1;
            if tries == TRIES || !is_early(&error) {
                return Err(Error::api(format!("{what} cannot be made"))(error));
            }
            ports.clock.sleep(PAUSE).await;
        }
    }
    Ok(())
}

/// The objects with the address put in.
fn objects(address: SocketAddr) -> Result<Vec<Value>, Error> {
    let text = OBJECTS.replace("ADDRESS", &address.to_string());
    let mut objects: Vec<Value> =
        serde_saphyr::from_multiple(&text).map_err(|error| Error::Object(error.to_string()))?;
    for object in &mut objects {
        let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
        let metadata = metadata.ok_or_else(|| Error::Object("has no metadata".to_owned()))?;
        metadata.insert("annotations".to_owned(), json!({ADDRESS: address.to_string()}));
    }
    Ok(objects)
}

/// Whether the namespace may not be there yet, or not known as that of a Project.
fn is_early(error: &kube::Error) -> bool {
    matches!(status_code(error), Some(403 | 404 | 422))
}

async fn put(client: &Client, object: &Value, address: SocketAddr) -> Result<(), kube::Error> {
    let (api, name) = (api(client, object), text(object, "/metadata/name"));
    let Some(there) = api.get_opt(name).await? else {
        let own = serde_json::from_value(object.clone()).map_err(kube::Error::SerdeError)?;
        return api.create(&PostParams::default(), &own).await.map(drop);
    };
    let belongs = there.metadata.annotations.unwrap_or_default().remove(ADDRESS);
    if belongs.is_none_or(|belongs| belongs != address.to_string()) {
        api.patch(name, &PatchParams::default(), &Patch::Merge(object)).await?;
    }
    Ok(())
}

/// Lets the Warehouse look for a release at once.
pub(crate) async fn refresh(client: &Client, release: &Release) -> Result<(), Error> {
    let warehouse = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
        "metadata": {"name": APPLICATION, "namespace": PROJECT},
    });
    let request = format!("{}-{}", release.version(), release.commit);
    let patch = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": request}}});
    let patched = api(client, &warehouse)
        .patch(APPLICATION, &PatchParams::default(), &Patch::Merge(patch))
        .await;
    patched.map(drop).map_err(Error::api("the Warehouse cannot be refreshed"))
}

/// Takes the Project away, with everything in it.
pub(crate) async fn remove(client: &Client) -> Result<(), Error> {
    let project = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": PROJECT},
    });
    match api(client, &project).delete(PROJECT, &DeleteParams::default()).await {
        Err(error) if !is_not_found(&error) => {
            Err(Error::api("the Project cannot be removed")(error))
        }
        _ => Ok(()),
    }
}

fn api(client: &Client, object: &Value) -> Api<DynamicObject> {
    let (group, version) =
        text(object, "/apiVersion").split_once('/').unwrap_or(("", text(object, "/apiVersion")));
    let kind = GroupVersionKind::gvk(group, version, text(object, "/kind"));
    let resource = ApiResource::from_gvk(&kind);
    match text(object, "/metadata/namespace") {
        "" => Api::all_with(client.clone(), &resource),
        namespace => Api::namespaced_with(client.clone(), namespace, &resource),
    }
}

fn text<'a>(object: &'a Value, path: &str) -> &'a str {
    object.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_is_read_and_has_the_address_of_the_server() {
        let objects = objects("127.0.0.1:6480".parse().unwrap()).unwrap();
        let names: Vec<String> = objects
            .iter()
            .map(|object| format!("{} {}", text(object, "/kind"), text(object, "/metadata/name")))
            .collect();
        insta::assert_snapshot!(names.join("\n"), @r"
        Project demo
        ProjectConfig demo
        Warehouse guestbook
        PromotionTask release
        AnalysisTemplate runs-version
        Stage dev
        Stage staging
        Stage prod
        ");
        let all = Value::from(objects).to_string();
        assert!(all.contains("http://127.0.0.1:6480/git/guestbook.git"));
        assert!(!all.contains("\"ADDRESS") && !all.contains("/ADDRESS"), "{all}");
    }
}
