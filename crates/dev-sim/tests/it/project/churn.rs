//! People at work: nothing they do is repeated when it fails, and much of it contradicts the rest.

use std::time::Duration;

use api_kinds::{Project, ProjectConfig};
use dev_sim::ProcessCx;
use k8s_openapi::api::{
    core::v1::{ConfigMap, Namespace, ServiceAccount},
    rbac::v1::{Role, RoleBinding},
};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{INSTALLATION, PROJECTS, SHARED};

const TURNS: usize = 25;

/// Makes, keeps, deletes and damages Projects.
pub(super) async fn user(cx: ProcessCx) {
    let (client, params) = (cx.client(), DeleteParams::default());
    let projects: Api<Project> = Api::all(client.clone());
    let namespaces: Api<Namespace> = Api::all(client.clone());
    for _ in 0..TURNS {
        let name = cx.dice().pick(&PROJECTS).copied().unwrap_or_default();
        match cx.dice().below(12) {
            0..4 => create(&projects, project(name, cx.dice().chance(200))).await,
            4..6 => drop(projects.delete(name, &params).await),
            6 => drop(namespaces.delete(name, &params).await),
            7 => create(&namespaces, json!({"metadata": {"name": name}})).await,
            8 => hand_over(&namespaces, name).await,
            9 => configure(&Api::namespaced(client.clone(), name), name).await,
            10 => {
                let bindings: Api<RoleBinding> = Api::namespaced(client.clone(), name);
                drop(bindings.delete("kargo-project-admin", &params).await);
            }
            _ => {
                let roles: Api<Role> = Api::namespaced(client.clone(), name);
                drop(roles.delete("kargo-viewer", &params).await);
            }
        }
        cx.pause(Duration::from_secs(20)).await;
    }
}

/// Enrols and dismisses controllers, shares and withdraws ConfigMaps.
pub(super) async fn operator(cx: ProcessCx) {
    let (client, params) = (cx.client(), DeleteParams::default());
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), INSTALLATION);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), SHARED);
    for turn in 0..TURNS {
        let which = cx.dice().below(2);
        let (account, map) = (format!("kargo-controller-{which}"), format!("shared-{which}"));
        match cx.dice().below(8) {
            0..2 => create(&accounts, controller(&account)).await,
            2 => drop(accounts.delete(&account, &params).await),
            3..5 => create(&maps, shared(&map, turn)).await,
            5 => {
                let change = Patch::Merge(json!({"data": {"turn": turn.to_string()}}));
                drop(maps.patch(&map, &PatchParams::default(), &change).await);
            }
            6 => drop(maps.delete(&map, &params).await),
            _ => {
                let name = cx.dice().pick(&PROJECTS).copied().unwrap_or_default();
                let copies: Api<ConfigMap> = Api::namespaced(client.clone(), name);
                drop(copies.delete(&map, &params).await);
            }
        }
        cx.pause(Duration::from_secs(20)).await;
    }
}

/// Creates an object; one that is there already stays.
async fn create<K>(api: &Api<K>, object: Value)
where
    K: Clone + DeserializeOwned + serde::Serialize + std::fmt::Debug,
{
    let object: K = serde_json::from_value(object).unwrap();
    drop(api.create(&PostParams::default(), &object).await);
}

/// Labels a namespace, so that a Project may take it.
async fn hand_over(namespaces: &Api<Namespace>, name: &str) {
    let label = Patch::Merge(json!({"metadata": {"labels": {"kargo.akuity.io/project": "true"}}}));
    drop(namespaces.patch(name, &PatchParams::default(), &label).await);
}

async fn configure(configs: &Api<ProjectConfig>, name: &str) {
    create(configs, json!({"metadata": {"name": name}, "spec": {}})).await;
}

fn project(name: &str, is_kept: bool) -> Value {
    let annotations =
        if is_kept { json!({"kargo.akuity.io/keep-namespace": "true"}) } else { json!({}) };
    json!({"metadata": {"name": name, "annotations": annotations}})
}

fn controller(name: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"app.kubernetes.io/component": "controller"}}})
}

fn shared(name: &str, turn: usize) -> Value {
    json!({
        "metadata": {"name": name, "annotations": {"kargo.akuity.io/replicate-to": "*"}},
        "data": {"turn": turn.to_string()},
    })
}
