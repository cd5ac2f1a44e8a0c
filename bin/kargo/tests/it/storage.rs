//! The data directory: encryption of Secrets, damage and its repair, the audit log.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use dev_testkit::{Client, Kargo, UpOptions};
use http::Method;
use serde_json::{Value, json};

use super::{kargo, program, stderr, try_up};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
/// `correct horse` in base64, as the store has it.
const VALUE: &str = "Y29ycmVjdCBob3JzZQ==";

async fn up_with(directory: &Path, arguments: &[&str]) -> Kargo {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let options = UpOptions { binary: Some(program()), arguments, ..UpOptions::default() };
    Kargo::up(directory, &options).await.unwrap()
}

async fn create_secret(client: &Client, name: &str) {
    let body = json!({"metadata": {"name": name}, "data": {"password": VALUE}});
    let reply = client.json(Method::POST, SECRETS, &body).await.unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
}

async fn password(client: &Client, name: &str) -> Value {
    client.get(&format!("{SECRETS}/{name}")).await.unwrap().json()["data"]["password"].clone()
}

fn is_shown(directory: &Path) -> bool {
    let names = ["store.db", "store.db-wal"];
    let files = names.iter().filter_map(|name| fs::read(directory.join(name)).ok());
    files.into_iter().any(|bytes| bytes.windows(VALUE.len()).any(|part| part == VALUE.as_bytes()))
}

#[tokio::test]
async fn secrets_are_encrypted_with_the_keys_of_a_file_and_need_them_ever_after() {
    let directory = tempfile::tempdir().unwrap();
    let (data, keys) = (directory.path().join("data"), directory.path().join("keys"));
    fs::write(&keys, format!("{}=\n", "A".repeat(43))).unwrap();
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o600)).unwrap();
    let with_keys = ["--encryption-key-file", &keys.display().to_string()];
    let first = up_with(&data, &with_keys).await;
    create_secret(&first.client().unwrap(), "a").await;
    assert!(!is_shown(&data));
    first.stop().await.unwrap();
    assert!(!is_shown(&data));
    let refused = try_up(&data);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("needs the encryption key"), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("--encryption-key-file"), "{}", stderr(&refused));
    let second = up_with(&data, &with_keys).await;
    assert_eq!(password(&second.client().unwrap(), "a").await, VALUE);
    second.stop().await.unwrap();
}

#[tokio::test]
async fn a_damaged_database_is_repaired_and_losses_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().display().to_string();
    let first = up_with(directory.path(), &[]).await;
    create_secret(&first.client().unwrap(), "a").await;
    first.stop().await.unwrap();
    let file = directory.path().join("store.db");
    let mut bytes = fs::read(&file).unwrap();
    bytes[..100].fill(0);
    fs::write(&file, bytes).unwrap();
    let refused = try_up(directory.path());
    assert_eq!(refused.status.code(), Some(23), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("`kargo repair`"), "{}", stderr(&refused));
    let repaired = kargo(&["repair", "--data-dir", &text]);
    let told = String::from_utf8_lossy(&repaired.stdout).into_owned();
    assert!(repaired.status.success(), "{}", stderr(&repaired));
    assert!(told.contains("; 0 losses") && told.contains("store.db.damaged"), "{told}");
    let second = up_with(directory.path(), &[]).await;
    assert_eq!(password(&second.client().unwrap(), "a").await, VALUE);
    second.stop().await.unwrap();
}

#[tokio::test]
async fn every_request_is_in_the_audit_log_and_no_secret() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("audit.log");
    let log_text = log.display().to_string();
    let arguments = ["--audit-log", &log_text, "--audit-level", "request"];
    let kargo = up_with(directory.path(), &arguments).await;
    let client = kargo.client().unwrap();
    create_secret(&client, "a").await;
    super::create(&client, "told").await;
    kargo.stop().await.unwrap();
    let text = fs::read_to_string(&log).unwrap();
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o077, 0);
    assert!(!text.contains(VALUE));
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |resource: &str| {
        let mut found = events.iter().filter(|event| {
            event["verb"] == "create"
                && event["objectRef"]["resource"] == resource
                && event["sourceIPs"] == json!(["127.0.0.1"])
        });
        found.next().unwrap_or_else(|| panic!("no {resource} in {text}"))
    };
    assert_eq!(of("secrets")["level"], "Metadata");
    assert_eq!(of("configmaps")["requestObject"]["metadata"]["name"], "told");
}

#[test]
fn a_file_that_is_neither_snapshot_nor_portable_backup_is_not_restored() {
    let directory = tempfile::tempdir().unwrap();
    let (file, target) = (directory.path().join("notes.txt"), directory.path().join("data"));
    let (file_text, target_text) = (file.display().to_string(), target.display().to_string());
    for content in ["", "buy milk", "SQLite format 3\0 but no more"] {
        fs::write(&file, content).unwrap();
        for place in [["--data-dir", &target_text], ["--kubeconfig", &file_text]] {
            let refused = kargo(&[["restore", &file_text], place].concat());
            assert_eq!(refused.status.code(), Some(23), "{}", stderr(&refused));
            let told = format!("error: {file_text} is neither a snapshot nor a portable backup\n");
            assert!(stderr(&refused).starts_with(&told), "{}", stderr(&refused));
        }
    }
    assert!(!target.exists());
}

#[test]
fn what_is_no_data_directory_is_not_repaired() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("none").display().to_string();
    let refused = kargo(&["repair", "--data-dir", &text]);
    assert_eq!(refused.status.code(), Some(2));
    let told = format!("error: {text} is not the data directory of a control plane\n");
    assert!(stderr(&refused).starts_with(&told), "{}", stderr(&refused));
}
