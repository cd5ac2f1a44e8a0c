//! Grants grow, shrink and heal.

use api_kinds::{Warehouse, finalizer::FINALIZER};
use futures::future::join_all;
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{Role, RoleBinding},
};
use kube::{Api, ResourceExt, api::ListParams};
use serde_json::json;
use svc_management::Replicas;

use crate::world::{World, create, delete, merge};

const BINDING: &str = "remote-read-secrets";

fn controller() -> serde_json::Value {
    let labels = json!({"app.kubernetes.io/component": "controller"});
    json!({"metadata": {"name": "remote", "labels": labels}})
}

/// How many Projects let the controller read their Secrets.
async fn count(world: &World) -> usize {
    let all = Api::<RoleBinding>::all(world.client.clone());
    let all = all.list(&ListParams::default()).await.unwrap();
    all.items.iter().filter(|binding| binding.name_any() == BINDING).count()
}

async fn until_count(world: &World, expected: usize) {
    let what = format!("{expected} Projects are granted");
    world.eventually(&what, async || (count(world).await == expected).then_some(())).await;
}

#[tokio::test]
async fn a_controller_gets_every_project_at_once_and_loses_them_with_its_label() {
    let world = World::start().await;
    let names: Vec<_> = (0..50).map(|number| format!("p{number}")).collect();
    join_all(names.iter().map(|name| world.ready_project(name, json!({})))).await;
    let accounts = world.within::<ServiceAccount>("kargo");

    create(&accounts, controller()).await;
    until_count(&world, 50).await;
    world.ready_project("later", json!({})).await;
    until_count(&world, 51).await;
    let held = accounts.get("remote").await.unwrap();
    assert_eq!(held.finalizers(), [FINALIZER]);

    let no_label = json!({"metadata": {"labels": {"app.kubernetes.io/component": null}}});
    merge(&accounts, "remote", no_label).await;
    until_count(&world, 0).await;
    world
        .eventually("the account is released", async || {
            accounts.get("remote").await.unwrap().finalizers().is_empty().then_some(())
        })
        .await;
}

#[tokio::test]
async fn a_deleted_controller_goes_after_its_grants() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    let accounts = world.within::<ServiceAccount>("kargo");
    create(&accounts, controller()).await;
    until_count(&world, 1).await;
    delete(&accounts, "remote").await;
    world.until_gone(&accounts, "remote").await;
    assert_eq!(count(&world).await, 0);
}

#[tokio::test]
async fn a_controller_of_a_shard_gets_only_the_projects_with_objects_of_it_when_asked() {
    let mut world = World::empty(None).await;
    world.variables = vec![("CONTROLLER_ROLE_BINDINGS_PER_SHARD", "true")];
    world.manage(Replicas::One);
    for name in ["with", "without"] {
        world.ready_project(name, json!({})).await;
    }
    let mut account = controller();
    account["metadata"]["labels"]["kargo.akuity.io/shard"] = json!("east");
    create(&world.within::<ServiceAccount>("kargo"), account).await;
    let warehouses = world.within::<Warehouse>("with");
    let git = json!({"git": {"repoURL": "https://example.com/r.git"}});
    let spec = json!({"shard": "east", "subscriptions": [git]});
    create(&warehouses, json!({"metadata": {"name": "w"}, "spec": spec})).await;
    world.until_there(&world.within::<RoleBinding>("with"), BINDING).await;
    assert_eq!(count(&world).await, 1);
    delete(&warehouses, "w").await;
    until_count(&world, 0).await;
}

#[tokio::test]
async fn grants_that_people_changed_are_put_right() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    let (bindings, roles) = (world.within::<RoleBinding>("demo"), world.within::<Role>("demo"));

    merge(&bindings, "kargo-project-admin", json!({"subjects": null})).await;
    world
        .eventually("subjects are back", async || {
            let binding = bindings.get("kargo-project-admin").await.unwrap();
            (binding.subjects.iter().flatten().count() == 2).then_some(())
        })
        .await;

    merge(&roles, "kargo-viewer", json!({"rules": []})).await;
    world
        .eventually("rules are back", async || {
            let role = roles.get("kargo-viewer").await.unwrap();
            (role.rules.iter().flatten().count() == 4).then_some(())
        })
        .await;

    delete(&bindings, "kargo-promoter").await;
    world.until_there(&bindings, "kargo-promoter").await;

    delete(&bindings, "kargo-project-secrets-reader").await;
    world.until_there(&bindings, "kargo-project-secrets-reader").await;
}

#[tokio::test]
async fn a_binding_to_the_wrong_role_is_made_again() {
    let world = World::start().await;
    let namespace = json!({"metadata": {
        "name": "demo", "labels": {"kargo.akuity.io/project": "true"},
    }});
    create(&world.cluster::<k8s_openapi::api::core::v1::Namespace>(), namespace).await;
    let bindings = world.within::<RoleBinding>("demo");
    let wrong = json!({
        "metadata": {"name": "kargo-project-secrets-reader"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view",
        },
    });
    create(&bindings, wrong).await;
    world.ready_project("demo", json!({})).await;
    let right = bindings.get("kargo-project-secrets-reader").await.unwrap();
    assert_eq!(right.role_ref.name, "kargo-project-secrets-reader");
}
