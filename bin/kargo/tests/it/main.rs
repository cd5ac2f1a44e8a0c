//! The binary as a user meets it: exit codes, messages, files, signals.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests run on the real clock and runtime, and fail by panicking"
)]

mod analysis_kinds;
mod demo;
mod discovery;
mod faults;
mod grpc;
mod object_storage;
mod process;
mod replicas;
mod rest;
mod run;
mod run_mistakes;
mod storage;
mod verbs;
mod webhook;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use dev_testkit::{Client, Kargo, Kubeconfig, UpOptions};
use http::Method;
use serde_json::{Value, json};

async fn merge(client: &Client, path: &str, patch: &Value) -> Value {
    let headers = [("content-type", "application/merge-patch+json")];
    let reply = client.send(Method::PATCH, path, &headers, patch.to_string()).await.unwrap();
    assert!(reply.status.is_success(), "{path}: {}", reply.text());
    reply.json()
}

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_kargo").into()
}

fn kargo(arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).env("LOG_LEVEL", "error").output().unwrap()
}

async fn up(directory: &Path) -> Kargo {
    Kargo::up(directory, &UpOptions { binary: Some(program()), ..UpOptions::default() })
        .await
        .unwrap()
}

/// A `kargo up` that ends by itself, because it does not get what it needs.
fn try_up(directory: &Path) -> Output {
    let directory = directory.display().to_string();
    kargo(&["up", "--api-port", "0", "--kube-port", "0", "--data-dir", &directory])
}

async fn create(client: &Client, name: &str) {
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let reply =
        client.json(Method::POST, "/api/v1/namespaces/default/configmaps", &body).await.unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_taken_port_has_its_own_exit_code_and_a_way_out() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = kargo(&["up", "--in-memory", "--api-port", "0", "--kube-port", &port]);
    assert_eq!(output.status.code(), Some(20));
    assert_eq!(
        stderr(&output).replace(&port, "PORT"),
        "error: 127.0.0.1:PORT is in use by another process; stop it or choose another port\n\
         hint: choose another port with --kube-port\n"
    );
}

#[tokio::test]
async fn a_locked_directory_names_the_process_that_holds_it() {
    let directory = tempfile::tempdir().unwrap();
    let first = up(directory.path()).await;
    let output = try_up(directory.path());
    assert_eq!(output.status.code(), Some(21));
    let pid = first.pid().unwrap().to_string();
    assert!(
        stderr(&output).contains(&format!("in use by process {pid} (127.0.0.1:")),
        "{}",
        stderr(&output)
    );
    first.kill().await.unwrap();
    up(directory.path()).await.stop().await.unwrap();
}

#[tokio::test]
async fn a_damaged_database_is_refused_with_a_way_out() {
    let directory = tempfile::tempdir().unwrap();
    up(directory.path()).await.stop().await.unwrap();
    fs::write(directory.path().join("store.db"), b"this is no database, whatever its name says")
        .unwrap();
    let output = try_up(directory.path());
    assert_eq!(output.status.code(), Some(23), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("hint: put back a snapshot with `kargo restore FILE`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_bad_setting_is_named() {
    let output = Command::new(program()).arg("crds").env("LOG_LEVEL", "loud").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: LOG_LEVEL: \"loud\" is not one of discard, error, info, debug, trace\n"
    );
}

#[tokio::test]
async fn a_stop_ends_open_watches_within_five_seconds() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let client = kargo.client().unwrap();
    let mut watch = client.lines("/api/v1/namespaces?watch=true", &[]).await.unwrap();
    assert!(watch.next_json(Duration::from_secs(5)).await.unwrap().is_some());
    let begin = Instant::now();
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    while let Ok(Some(_)) = watch.next().await {}
}

#[tokio::test]
async fn every_kubeconfig_is_private_and_opens_the_door() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let mut files = vec![directory.path().join("admin.kubeconfig")];
    files.extend(
        fs::read_dir(directory.path().join("kubeconfigs"))
            .unwrap()
            .map(|entry| entry.unwrap().path()),
    );
    assert_eq!(files.len(), 8, "the administrator and seven components");
    for file in files {
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            file.display()
        );
        let client = Client::new(&Kubeconfig::read(&file).unwrap()).unwrap();
        assert_eq!(client.get("/apis").await.unwrap().status, 200, "{}", file.display());
    }
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn a_snapshot_taken_while_serving_comes_back_under_new_revisions() {
    let directory = tempfile::tempdir().unwrap();
    let snapshot = directory.path().join("snapshot.db").display().to_string();
    let data = directory.path().join("data");
    let data_dir = data.display().to_string();
    let running = up(&data).await;
    create(&running.client().unwrap(), "before").await;
    let saved = kargo(&["backup", "--snapshot", &snapshot, "--data-dir", &data_dir]);
    assert!(saved.status.success(), "{}", stderr(&saved));
    create(&running.client().unwrap(), "after").await;
    let refused = kargo(&["restore", &snapshot, "--data-dir", &data_dir]);
    assert_eq!(refused.status.code(), Some(21), "{}", stderr(&refused));
    running.stop().await.unwrap();

    let restored = kargo(&["restore", &snapshot, "--data-dir", &data_dir]);
    assert!(restored.status.success(), "{}", stderr(&restored));
    let again = up(&data).await;
    let list =
        again.client().unwrap().get("/api/v1/namespaces/default/configmaps").await.unwrap().json();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["metadata"]["name"], "before");
    let revision: u64 = list["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    assert!(revision >= 1_000_000_000, "{revision}");
    again.stop().await.unwrap();
}

#[test]
fn crds_are_printed_as_eleven_documents() {
    let output = kargo(&["crds"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("kind: CustomResourceDefinition").count(), 11);
}

#[tokio::test]
async fn the_management_controller_keeps_projects() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let client = kargo.client().unwrap();
    let project = json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": "demo"}});
    let created = client
        .json(Method::POST, "/apis/kargo.akuity.io/v1alpha1/projects", &project)
        .await
        .unwrap();
    assert_eq!(created.status, 201, "{}", created.text());
    let mut watch = client
        .lines(
            "/apis/kargo.akuity.io/v1alpha1/projects?watch=true&fieldSelector=metadata.name%3Ddemo",
            &[],
        )
        .await
        .unwrap();
    loop {
        let event = watch
            .next_json(Duration::from_secs(20))
            .await
            .unwrap()
            .expect("the Project becomes ready");
        let conditions =
            event["object"]["status"]["conditions"].as_array().cloned().unwrap_or_default();
        if conditions
            .iter()
            .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
        {
            break;
        }
    }
    let role = "/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles/kargo-promoter";
    assert_eq!(client.get(role).await.unwrap().status, 200);
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn a_dry_run_of_the_garbage_collector_works_on_any_cluster() {
    let directory = tempfile::tempdir().unwrap();
    let running = up(directory.path()).await;
    let output = Command::new(program())
        .args(["garbage-collector", "--dry-run"])
        .env("KUBECONFIG", directory.path().join("admin.kubeconfig"))
        .env("ROLLOUTS_INTEGRATION_ENABLED", "false")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "would delete 0 objects in 0 Projects\n");
    running.stop().await.unwrap();
}

#[tokio::test]
async fn the_rules_of_admission_hold_in_process() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let client = kargo.client().unwrap();
    let stage = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "metadata": {"name": "dev", "namespace": "default"},
        "spec": {"requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}]},
    });
    let path = "/apis/kargo.akuity.io/v1alpha1/namespaces/default/stages";
    let refused = client.json(Method::POST, path, &stage).await.unwrap();
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(
        refused.text().contains("namespace \\\"default\\\" is not a project"),
        "{}",
        refused.text()
    );
    kargo.stop().await.unwrap();
}
