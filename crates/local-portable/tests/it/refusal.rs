//! What a restore does not do.

use local_portable::{
    Error,
    restore::{RestoreOptions, restore},
};
use serde_json::json;

use crate::world::{OFFLINE, collected, engine, fill, make, read, refusing, restored};

#[tokio::test]
async fn a_target_with_objects_of_its_own_is_left_alone() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    fill(&target.admin_client()).await;
    let before = collected(&target).await;
    let error = restored(&target, &collected(&source).await).await.unwrap_err();
    assert!(matches!(&error, Error::NotEmpty(what) if what.contains("demo")), "{error}");
    assert!(error.hint().unwrap().contains("--merge"));
    assert_eq!(collected(&target).await.len(), before.len());
}

#[tokio::test]
async fn a_merge_adds_what_is_missing_and_keeps_what_is_there() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let client = target.admin_client();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo", "labels": {"mine": "yes"}}});
    make(&client, &namespace).await;
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "git", "namespace": "demo"}, "stringData": {"password": "mine"}});
    make(&client, &secret).await;
    let collection = collected(&source).await;
    let options = RestoreOptions { merge: true, ..OFFLINE };
    let report = restore(&client, &*target.clock(), &collection, &options).await.unwrap();
    assert_eq!(report.refused().len(), 1, "{report}");
    assert!(
        report.refused()[0].starts_with("Secret demo/git: the target has another one"),
        "{report}"
    );
    let kept = read(&client, "Secret", "demo", "git").await;
    assert_eq!(kept["data"]["password"], "bWluZQ==");
    let labels = &read(&client, "Namespace", "", "demo").await["metadata"]["labels"];
    assert_eq!(
        (&labels["mine"], &labels["kargo.akuity.io/project"]),
        (&json!("yes"), &json!("true"))
    );
    assert_eq!(read(&client, "Promotion", "demo", "dev.1").await["status"]["phase"], "Succeeded");
}

#[tokio::test]
async fn a_control_plane_that_works_is_not_restored_into() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let options = RestoreOptions { is_offline: false, ..OFFLINE };
    let collection = collected(&source).await;
    let refused = restore(&target.admin_client(), &*target.clock(), &collection, &options).await;
    assert!(matches!(refused, Err(Error::Running)), "{refused:?}");
}

#[tokio::test]
async fn a_disk_that_is_full_ends_the_work_with_a_way_to_go_on() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let client = refusing(&target, 503, "storage: no space left on the disk: 28");
    let collection = collected(&source).await;
    let error = restore(&client, &*target.clock(), &collection, &OFFLINE).await.unwrap_err();
    assert!(matches!(error, Error::TargetFull(_)), "{error}");
    assert!(error.hint().unwrap().contains("run the same command again"));
}

#[tokio::test]
async fn a_restore_of_another_backup_is_ended_first() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let first = collected(&source).await;
    let marker = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kargo-restore", "namespace": "kargo"}, "data": {
        "restore": json!({"backup": "x", "madeAt": "2026-01-01T00:00:00Z", "progress": "UnderWay", "existing": "BroughtIntoLine", "webhooks": []}).to_string(),
    }});
    make(&target.admin_client(), &marker).await;
    let error = restored(&target, &first).await.unwrap_err();
    assert!(matches!(&error, Error::Another(made) if made.contains("2026")), "{error}");
}
