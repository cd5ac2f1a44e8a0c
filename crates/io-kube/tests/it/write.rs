//! Patches send what differs, and finalizers survive company.

use api_kinds::{kind::Kind, project::Project};
use io_kube::{
    Precondition, add_finalizer, is_conflict, patch_object, patch_status, remove_finalizer,
};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::json;

use crate::world::World;

async fn project(world: &World) -> (Api<Project>, Project) {
    let projects: Api<Project> = Api::all(world.engine.admin_client());
    let created = projects.create(&PostParams::default(), &Project::named("demo")).await.unwrap();
    (projects, created)
}

fn with_status(project: &Project, status: serde_json::Value) -> Project {
    let mut value = serde_json::to_value(project).unwrap();
    value["status"] = status;
    serde_json::from_value(value).unwrap()
}

#[tokio::test]
async fn an_equal_status_is_not_written_and_a_stale_one_only_without_a_precondition() {
    let world = World::start().await;
    let (_, old) = project(&world).await;
    let client = &world.client;
    let unchanged = patch_status(client, &old, &old.clone(), Precondition::Version).await.unwrap();
    assert!(unchanged.is_none());
    assert_eq!(world.faults.writes(), 0);

    let new = with_status(&old, json!({"stats": {"stages": {"count": 3}}}));
    let written = patch_status(client, &old, &new, Precondition::Version).await.unwrap().unwrap();
    assert_ne!(written.metadata.resource_version, old.metadata.resource_version);
    assert_eq!(serde_json::to_value(&written).unwrap()["status"]["stats"]["stages"]["count"], 3);

    let other = with_status(&old, json!({"stats": {"warehouses": {"count": 1}}}));
    let stale = patch_status(client, &old, &other, Precondition::Version).await.unwrap_err();
    assert!(is_conflict(&stale), "{stale}");
    let merged = patch_status(client, &old, &other, Precondition::None).await.unwrap().unwrap();
    let stats = serde_json::to_value(&merged).unwrap()["status"]["stats"].clone();
    assert_eq!((&stats["stages"]["count"], &stats["warehouses"]["count"]), (&json!(3), &json!(1)));
}

#[tokio::test]
async fn the_object_is_patched_without_its_status() {
    let world = World::start().await;
    let (_, old) = project(&world).await;
    let mut new = with_status(&old, json!({"stats": {}}));
    assert!(
        patch_object(&world.client, &old, &new, Precondition::Version).await.unwrap().is_none()
    );
    new.metadata.labels = Some([("team".to_owned(), "blue".to_owned())].into());
    let written = patch_object(&world.client, &old, &new, Precondition::Version).await.unwrap();
    assert_eq!(written.unwrap().metadata.labels, new.metadata.labels);
}

#[tokio::test]
async fn finalizers_of_others_survive_a_conflict() {
    let world = World::start().await;
    let (projects, old) = project(&world).await;
    let theirs = Patch::Merge(json!({"metadata": {"finalizers": ["example.com/theirs"]}}));
    projects.patch("demo", &PatchParams::default(), &theirs).await.unwrap();

    // `old` is stale now: the first try conflicts.
    let (client, ports) = (world.client.clone(), world.ports.clone());
    let stale = old.clone();
    let adding =
        tokio::spawn(
            async move { add_finalizer(&client, &ports, &stale, "example.com/ours").await },
        );
    world.eventually("the second try", || adding.is_finished()).await;
    let added = adding.await.unwrap().unwrap().unwrap();
    let expected = ["example.com/theirs", "example.com/ours"].map(str::to_owned);
    assert_eq!(added.metadata.finalizers.as_deref(), Some(expected.as_slice()));

    let again = add_finalizer(&world.client, &world.ports, &added, "example.com/ours").await;
    assert_eq!(again.unwrap().unwrap().metadata.resource_version, added.metadata.resource_version);

    projects.delete("demo", &DeleteParams::default()).await.unwrap();
    let deleting = projects.get("demo").await.unwrap();
    let left = remove_finalizer(&world.client, &world.ports, &deleting, "example.com/theirs").await;
    let left = left.unwrap().unwrap();
    remove_finalizer(&world.client, &world.ports, &left, "example.com/ours").await.unwrap();
    assert!(projects.get_opt("demo").await.unwrap().is_none());
    let gone = remove_finalizer(&world.client, &world.ports, &left, "example.com/ours").await;
    assert!(gone.unwrap().is_none());
}
