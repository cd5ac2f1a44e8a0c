//! From one control plane to another and back.

use local_portable::{
    archive, compare,
    restore::{Unfinished, expected, restore},
};
use serde_json::json;

use crate::world::{OFFLINE, collected, engine, fill, make, read, restored};

#[tokio::test]
async fn everything_arrives_with_its_status_and_new_uids() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let collection = collected(&source).await;
    assert!(!collection.origin.resource_version.is_empty(), "not one moment");
    let report = restored(&target, &collection).await.unwrap();
    assert_eq!(report.refused(), Vec::<String>::new());
    let found = collected(&target).await;
    let comparison = compare(&expected(&collection, Unfinished::Aborted), &found);
    assert!(comparison.is_same(), "{comparison}");
    let client = target.admin_client();
    let stage = read(&client, "Stage", "demo", "dev").await;
    let before = read(&source.admin_client(), "Stage", "demo", "dev").await;
    assert_ne!(stage["metadata"]["uid"], before["metadata"]["uid"]);
    let promotion = read(&client, "Promotion", "demo", "dev.1").await;
    assert_eq!(promotion["metadata"]["ownerReferences"][0]["uid"], stage["metadata"]["uid"]);
    let (namespace, project) =
        (read(&client, "Namespace", "", "demo").await, read(&client, "Project", "", "demo").await);
    assert_eq!(namespace["metadata"]["ownerReferences"][0]["uid"], project["metadata"]["uid"]);
    for (name, phase) in
        [("dev.1", "Succeeded"), ("dev.2", "Failed"), ("dev.3", "Aborted"), ("dev.4", "Aborted")]
    {
        assert_eq!(
            read(&client, "Promotion", "demo", name).await["status"]["phase"],
            phase,
            "{name}"
        );
    }
    let [old, new] = [&source, &target].map(dev_testkit::engine::Engine::admin_client);
    let [old, new] = [
        read(&old, "Secret", "demo", "ci-token").await,
        read(&new, "Secret", "demo", "ci-token").await,
    ];
    assert!(new["data"]["token"].is_string() && new["data"]["token"] != old["data"]["token"]);
    assert_eq!(
        read(&client, "Secret", "demo", "git").await["data"],
        read(&source.admin_client(), "Secret", "demo", "git").await["data"]
    );
}

#[tokio::test]
async fn what_goes_there_and_back_is_the_same() {
    let engines = [engine(1).await, engine(2).await, engine(3).await];
    fill(&engines[0].admin_client()).await;
    let first = collected(&engines[0]).await;
    restored(&engines[1], &first).await.unwrap();
    let second = collected(&engines[1]).await;
    restored(&engines[2], &second).await.unwrap();
    let third = collected(&engines[2]).await;
    let comparison = compare(&expected(&first, Unfinished::Aborted), &third);
    assert!(comparison.is_same(), "{comparison}");
    assert_eq!(first.len(), third.len());
}

#[tokio::test]
async fn promotions_go_on_when_asked_to() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let options =
        local_portable::restore::RestoreOptions { unfinished: Unfinished::Resumed, ..OFFLINE };
    let collection = collected(&source).await;
    restore(&target.admin_client(), &*target.clock(), &collection, &options).await.unwrap();
    let client = target.admin_client();
    assert_eq!(read(&client, "Promotion", "demo", "dev.3").await["status"]["phase"], "Running");
    assert!(read(&client, "Promotion", "demo", "dev.4").await["status"].is_null());
}

#[tokio::test]
async fn a_file_holds_all_of_it() {
    let source = engine(1).await;
    fill(&source.admin_client()).await;
    let collection = collected(&source).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("backup.tar.gz");
    archive::write(&collection, &file, None).unwrap();
    assert_eq!(archive::read(&file, None).unwrap(), collection);
}

#[tokio::test]
async fn what_is_changed_afterwards_is_told_by_name() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let collection = collected(&source).await;
    restored(&target, &collection).await.unwrap();
    make(&target.admin_client(), &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more", "namespace": "demo"}})).await;
    let expected = expected(&collection, Unfinished::Resumed);
    let comparison = compare(&expected, &collected(&target).await);
    let differences = comparison.differences();
    assert_eq!(differences.len(), 2, "{comparison}");
    assert!(differences[0].starts_with("Promotion demo/dev.3 differs in status."), "{comparison}");
}
