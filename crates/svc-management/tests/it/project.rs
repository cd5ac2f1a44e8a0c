//! Projects and namespaces come and go together.

use std::time::Duration;

use api_kinds::{Project, Stage, Warehouse, finalizer::FINALIZER, labels};
use core_clock::{ManualClock, Time};
use core_rules::management::{grant, namespace};
use futures::future::join_all;
use k8s_openapi::api::{
    core::v1::{Namespace, ServiceAccount},
    rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding},
};
use kube::{
    Api, ResourceExt,
    api::{ListParams, Patch, PatchParams},
};
use serde_json::json;
use svc_management::Replicas;

use crate::world::{World, conditions, create, delete, merge, pause};

#[tokio::test]
async fn a_new_project_gets_a_namespace_and_every_grant() {
    let world = World::start().await;
    let actor = json!({"kargo.akuity.io/create-actor": "subject:jane"});
    let project = world.ready_project("demo", actor).await;
    assert_eq!(conditions(&project), ["Ready=True"]);
    assert_eq!(project.finalizers(), [FINALIZER]);

    let made = world.cluster::<Namespace>().get("demo").await.unwrap();
    assert_eq!(made.labels()[labels::PROJECT], "true");
    assert!(made.finalizers().iter().any(|one| one == FINALIZER));
    assert_eq!(made.owner_references(), []);

    for name in ["kargo-admin", "kargo-viewer", "kargo-promoter"] {
        world.within::<Role>("demo").get(name).await.unwrap();
        let account = world.within::<ServiceAccount>("demo").get(name).await.unwrap();
        let claims = &account.annotations()["rbac.kargo.akuity.io/claims"];
        assert_eq!(claims, r#"{"sub":["jane"]}"#);
    }
    let mut bindings = binding_names(&world, "demo").await;
    bindings.sort();
    assert_eq!(
        bindings,
        [
            "kargo-admin",
            "kargo-controller-read-secrets",
            "kargo-project-admin",
            "kargo-project-analysis",
            "kargo-project-secrets-reader",
            "kargo-promoter",
            "kargo-viewer",
        ]
    );
    world.cluster::<ClusterRole>().get("kargo-project-admin-demo").await.unwrap();
    world.cluster::<ClusterRoleBinding>().get("kargo-project-admin-demo").await.unwrap();
}

async fn binding_names(world: &World, namespace: &str) -> Vec<String> {
    let list = world.within::<RoleBinding>(namespace).list(&ListParams::default()).await.unwrap();
    list.items.iter().map(ResourceExt::name_any).collect()
}

#[tokio::test]
async fn deleting_a_project_deletes_its_namespace() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    delete(&world.cluster::<Project>(), "demo").await;
    world.until_gone(&world.cluster::<Project>(), "demo").await;
    world.until_gone(&world.cluster::<Namespace>(), "demo").await;
    let roles = world.cluster::<ClusterRole>();
    assert!(roles.get_opt("kargo-project-admin-demo").await.unwrap().is_none());
}

#[tokio::test]
async fn deleting_a_namespace_deletes_its_project() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    delete(&world.cluster::<Namespace>(), "demo").await;
    world.until_gone(&world.cluster::<Project>(), "demo").await;
    world.until_gone(&world.cluster::<Namespace>(), "demo").await;
    let bindings = world.cluster::<ClusterRoleBinding>();
    assert!(bindings.get_opt("kargo-project-admin-demo").await.unwrap().is_none());
}

#[tokio::test]
async fn a_namespace_ceases_to_be_owned_by_its_project() {
    let world = World::start().await;
    let project = world.ready_project("demo", json!({})).await;
    let namespaces = world.cluster::<Namespace>();
    let owner = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project",
        "name": "demo", "uid": project.metadata.uid,
    });
    merge(&namespaces, "demo", json!({"metadata": {"ownerReferences": [owner]}})).await;
    world
        .eventually("nobody owns the namespace", async || {
            namespaces.get("demo").await.unwrap().owner_references().is_empty().then_some(())
        })
        .await;
}

#[tokio::test]
async fn a_kept_namespace_loses_the_grants_of_the_system_and_can_be_taken_over_again() {
    let world = World::start().await;
    world.ready_project("demo", json!({"kargo.akuity.io/keep-namespace": "true"})).await;
    delete(&world.cluster::<Project>(), "demo").await;
    world.until_gone(&world.cluster::<Project>(), "demo").await;
    let kept = world.cluster::<Namespace>().get("demo").await.unwrap();
    assert_eq!(kept.metadata.deletion_timestamp, None);
    assert!(kept.finalizers().iter().all(|one| one != FINALIZER));
    assert!(namespace::is_project_namespace(&kept));
    let mut left = binding_names(&world, "demo").await;
    left.sort();
    assert_eq!(left, ["kargo-admin", "kargo-promoter", "kargo-viewer"]);

    world.ready_project("demo", json!({})).await;
    assert!(binding_names(&world, "demo").await.contains(&"kargo-project-admin".to_owned()));
}

#[tokio::test]
async fn a_namespace_without_the_label_stalls_the_project_until_it_is_labeled() {
    let world = World::start().await;
    let namespaces = world.cluster::<Namespace>();
    create(&namespaces, json!({"metadata": {"name": "theirs"}})).await;
    world.create_project("theirs", json!({})).await;
    let projects = world.cluster::<Project>();
    world
        .eventually("the Project is stalled", async || {
            let project = projects.get("theirs").await.unwrap();
            let expected = ["Ready=False", "Reconciling=True", "Stalled=True"];
            let mut found = conditions(&project);
            found.sort();
            (found == expected).then_some(())
        })
        .await;
    assert_eq!(binding_names(&world, "theirs").await, Vec::<String>::new());
    merge(&namespaces, "theirs", json!({"metadata": {"labels": {(labels::PROJECT): "true"}}}))
        .await;
    let project = world.until_ready("theirs").await;
    assert_eq!(conditions(&project), ["Ready=True"]);
}

#[tokio::test]
async fn deleting_a_stalled_project_leaves_the_namespace_of_others_alone() {
    let world = World::start().await;
    let namespaces = world.cluster::<Namespace>();
    create(&namespaces, json!({"metadata": {"name": "theirs"}})).await;
    world.create_project("theirs", json!({})).await;
    let projects = world.cluster::<Project>();
    world
        .eventually("the Project is stalled", async || {
            let project = projects.get("theirs").await.unwrap();
            conditions(&project).contains(&"Stalled=True".to_owned()).then_some(())
        })
        .await;
    delete(&projects, "theirs").await;
    world.until_gone(&projects, "theirs").await;
    let left = namespaces.get("theirs").await.unwrap();
    assert_eq!(left.metadata.deletion_timestamp, None);
}

#[tokio::test]
async fn numbers_follow_stages_and_warehouses() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    let warehouse = json!({"metadata": {"name": "w"}, "spec": {"subscriptions": [
        {"git": {"repoURL": "https://example.com/r.git"}},
    ]}});
    create(&world.within::<Warehouse>("demo"), warehouse).await;
    let origin = json!({"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}});
    let steps = json!({"spec": {"steps": [{"uses": "copy"}]}});
    let stages = world.within::<Stage>("demo");
    for (name, template) in [("dev", steps), ("flow", json!(null))] {
        let spec = json!({"requestedFreight": [origin], "promotionTemplate": template});
        create(&stages, json!({"metadata": {"name": name}, "spec": spec})).await;
    }
    let healthy = json!({"status": {"conditions": [{
        "type": "Healthy", "status": "True", "reason": "Healthy", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }]}});
    for name in ["dev", "flow"] {
        let patch = Patch::Merge(&healthy);
        stages.patch_status(name, &PatchParams::default(), &patch).await.unwrap();
    }
    let projects = world.cluster::<Project>();
    world
        .eventually("the numbers are right", async || {
            let stats = projects.get("demo").await.unwrap().status.stats?;
            let (stages, warehouses) = (stats.stages, stats.warehouses);
            let found = (stages.count, stages.health.healthy, warehouses.count);
            (found == (1, 1, 1) && warehouses.health.healthy == 0).then_some(())
        })
        .await;
}

#[tokio::test]
async fn writes_of_others_at_the_same_time_do_not_keep_projects_from_being_ready() {
    let world = World::start().await;
    let projects = world.cluster::<Project>();
    let names: Vec<_> = (0..10).map(|number| format!("p{number}")).collect();
    let churn = names.iter().map(|name| {
        let (world, projects) = (&world, &projects);
        async move {
            world.create_project(name, json!({})).await;
            for round in 0..20 {
                let note = json!({"metadata": {"annotations": {"note": round.to_string()}}});
                merge(projects, name, note).await;
            }
        }
    });
    join_all(churn).await;
    for name in &names {
        let project = world.until_ready(name).await;
        assert_eq!(project.annotations()["note"], "19");
    }
}

#[tokio::test]
async fn many_projects_come_and_go_without_a_stray_grant() {
    let world = World::start().await;
    let names: Vec<_> = (0..200).map(|number| format!("p{number}")).collect();
    join_all(names.iter().map(|name| world.ready_project(name, json!({})))).await;
    let projects = world.cluster::<Project>();
    for name in &names {
        delete(&projects, name).await;
    }
    for name in &names {
        world.until_gone(&projects, name).await;
        world.until_gone(&world.cluster::<Namespace>(), name).await;
    }
    let bindings = Api::<RoleBinding>::all(world.client.clone());
    let left = bindings.list(&ListParams::default()).await.unwrap();
    let strays = left.items.iter().filter(|binding| grant::is_system_binding(binding));
    assert_eq!(strays.count(), 0);
    let roles = world.cluster::<ClusterRole>().list(&ListParams::default()).await.unwrap();
    assert!(roles.items.iter().all(|role| !role.name_any().starts_with("kargo-project-admin-")));
}

#[tokio::test]
async fn lost_requests_and_lost_replies_leave_nothing_half_done() {
    let world = World::empty(None).await;
    world.manage_over_a_bad_network();
    let names: Vec<_> = (0..5).map(|number| format!("p{number}")).collect();
    join_all(names.iter().map(|name| world.ready_project(name, json!({})))).await;
    for name in &names {
        assert_eq!(binding_names(&world, name).await.len(), 7);
        delete(&world.cluster::<Project>(), name).await;
    }
    for name in &names {
        world.until_gone(&world.cluster::<Project>(), name).await;
        world.until_gone(&world.cluster::<Namespace>(), name).await;
    }
}

#[tokio::test]
async fn what_admission_made_for_a_project_that_was_never_stored_goes() {
    let clock = ManualClock::new(Time::from_seconds(1_767_225_600));
    let world = World::empty(Some(clock.clone())).await;
    let namespaces = world.cluster::<Namespace>();
    let made = serde_json::to_value(namespace::new_namespace("ghost")).unwrap();
    create(&namespaces, made).await;
    let binding = serde_json::to_value(grant::project_admin_binding("ghost", "kargo")).unwrap();
    create(&world.within::<RoleBinding>("ghost"), binding).await;
    let (_running, monitor) = world.manage(Replicas::One);
    world.eventually("it works", async || monitor.is_working().then_some(())).await;
    pause(Duration::from_millis(100)).await;
    let young = namespaces.get("ghost").await.unwrap();
    assert_eq!(young.metadata.deletion_timestamp, None);
    world
        .eventually("the namespace is gone", async || {
            clock.advance(Duration::from_secs(2));
            namespaces.get_opt("ghost").await.unwrap().is_none().then_some(())
        })
        .await;
}
