//! `helm-update-chart` with the real program, a chart repository and a registry.

use std::process::Command;

use api_kinds::promotion::PromotionStepStatus as Status;
use core_rules::credential::Credential;
use dev_testkit::server::{
    ChartServer, TlsFront,
    registry::{Door, PASSWORD, Registry, USERNAME},
};
use serde_json::{Value, json};
use work_steps::{
    Class,
    testbed::{Attempt, Testbed},
};

use crate::tools::{environment, find, homes, testbed_with};

/// Makes the archive of an empty chart.
fn archive(name: &str, version: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let chart = directory.path().join(name);
    std::fs::create_dir(&chart).unwrap();
    let text = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
    std::fs::write(chart.join("Chart.yaml"), text).unwrap();
    let packed = Command::new(find("helm").unwrap())
        .args(["package", name])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert!(packed.status.success(), "{packed:?}");
    std::fs::read(directory.path().join(format!("{name}-{version}.tgz"))).unwrap()
}

fn declare(testbed: &Testbed, repository: &str, version: &str) {
    let text = format!(
        "apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- name: dep # the one\n  version: {version}\n  repository: {repository}\n"
    );
    testbed.write("chart/Chart.yaml", text);
}

async fn update(testbed: &Testbed, charts: Value) -> Attempt {
    let mut config = json!({"path": "chart"});
    if !charts.is_null() {
        config["charts"] = charts;
    }
    testbed.run("helm-update-chart", config).await
}

fn wanted(repository: &str, version: &str) -> Value {
    json!([{"repository": repository, "name": "dep", "version": version}])
}

#[tokio::test]
async fn a_new_version_is_set_fetched_and_told_and_an_old_lock_stays_as_it_is() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    let server = ChartServer::start().await.unwrap();
    for version in ["1.0.0", "1.1.0"] {
        server.publish_archive("dep", version, archive("dep", version));
    }
    let url = server.url();
    declare(&testbed, &url, "1.0.0");
    let done = update(&testbed, wanted(&url, "1.0.0")).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert_eq!(
        done.output()["commitMessage"],
        "Updated chart dependencies for chart\n\n- dep: 1.0.0"
    );
    assert!(testbed.files().join("chart/charts/dep-1.0.0.tgz").exists());
    let lock = testbed.read("chart/Chart.lock").unwrap();

    let again = update(&testbed, wanted(&url, "1.0.0")).await;
    assert_eq!((again.status, &again.output), (Status::Succeeded, &None), "{}", again.message);
    assert_eq!(testbed.read("chart/Chart.lock").unwrap(), lock);

    let done = update(&testbed, wanted(&url, "1.1.0")).await;
    assert_eq!(
        done.output()["commitMessage"],
        "Updated chart dependencies for chart\n\n- dep: 1.0.0 -> 1.1.0"
    );
    assert!(
        testbed
            .read("chart/Chart.yaml")
            .unwrap()
            .contains("- name: dep # the one\n  version: 1.1.0\n")
    );
    assert!(!testbed.files().join("chart/charts/dep-1.0.0.tgz").exists());
    assert_eq!(homes(&testbed), 0);
}

#[tokio::test]
async fn without_charts_the_range_decides() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    let server = ChartServer::start().await.unwrap();
    server.publish_archive("dep", "1.2.3", archive("dep", "1.2.3"));
    declare(&testbed, &server.url(), "^1.0.0");
    let done = update(&testbed, Value::Null).await;
    assert_eq!(
        done.output()["commitMessage"],
        "Updated chart dependencies for chart\n\n- dep: 1.2.3",
        "{}",
        done.message
    );
    assert!(testbed.read("chart/Chart.yaml").unwrap().contains("version: ^1.0.0"));
}

#[tokio::test]
async fn a_locked_repository_opens_to_the_credential_of_the_project() {
    let Some(mut testbed) = testbed_with(&["helm"]).await else { return };
    let server = ChartServer::start().await.unwrap();
    server.publish_archive("dep", "1.0.0", archive("dep", "1.0.0"));
    server.lock_for("kargo", "hunter2");
    let front = TlsFront::start(server.address()).await.unwrap();
    let trusted = testbed.machine_directory().join("trusted.pem");
    std::fs::write(&trusted, front.certificate()).unwrap();
    let path = testbed.ports.environment.var("PATH").unwrap();
    let trusted = trusted.display().to_string();
    testbed.ports.environment = environment(&[("PATH", &path), ("SSL_CERT_FILE", &trusted)]);
    let url = format!("https://{}", front.address());
    declare(&testbed, &url, "1.0.0");
    let refused = update(&testbed, Value::Null).await;
    assert_eq!(refused.class, Some(Class::Retryable), "{}", refused.message);
    testbed.credentials.put(&url, Credential::basic("kargo", "hunter2"));
    let done = update(&testbed, Value::Null).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert!(!testbed.log().join("\n").contains("hunter2"));
}

#[tokio::test]
async fn charts_come_from_a_registry_with_its_log_in() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    let Some(server) = Registry::start(Door::Locked).await.unwrap() else { return };
    push(&server, "dep", "1.0.0");
    let url = format!("oci://{}/charts", server.address());
    declare(&testbed, &url, "1.0.0");
    let refused = update(&testbed, Value::Null).await;
    assert_eq!(refused.class, Some(Class::Retryable), "{}", refused.message);
    testbed.credentials.put(&format!("{url}/dep"), Credential::basic(USERNAME, PASSWORD));
    let done = update(&testbed, Value::Null).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert!(testbed.files().join("chart/charts/dep-1.0.0.tgz").exists());
}

fn push(server: &Registry, name: &str, version: &str) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(format!("{name}-{version}.tgz"));
    std::fs::write(&file, archive(name, version)).unwrap();
    let helm = |arguments: &[&str]| {
        let run = Command::new(find("helm").unwrap())
            .args(arguments)
            .env("HELM_REGISTRY_CONFIG", home.path().join("registries.json"))
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
    };
    let address = server.address().to_string();
    helm(&["registry", "login", &address, "--plain-http", "-u", USERNAME, "-p", PASSWORD]);
    let target = format!("oci://{address}/charts");
    helm(&["push", &file.display().to_string(), &target, "--plain-http"]);
}

#[tokio::test]
async fn what_the_chart_does_not_declare_cannot_be_set() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    declare(&testbed, "https://charts.example.com", "1.0.0");
    let before = testbed.read("chart/Chart.yaml");
    for repository in ["https://charts.example.com/", "https://other.example.com"] {
        let failed = update(&testbed, wanted(repository, "2.0.0")).await;
        assert_eq!(failed.class, Some(Class::Retryable), "{}", failed.message);
        assert!(failed.message.contains("no dependency dep"), "{}", failed.message);
    }
    assert_eq!(testbed.read("chart/Chart.yaml"), before);
}

#[tokio::test]
async fn links_cannot_make_helm_write_or_read_elsewhere() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    let outside = testbed.machine_directory().join("victim");
    std::fs::write(&outside, "untouched").unwrap();
    testbed.write("library/Chart.yaml", "apiVersion: v2\nname: dep\nversion: 1.0.0\n");
    declare(&testbed, "file://../library", "1.0.0");
    for (link, target) in [
        ("chart/Chart.lock", &*outside),
        ("library/stolen", &*outside),
        ("chart/charts", testbed.machine_directory()),
    ] {
        let link = testbed.files().join(link);
        std::os::unix::fs::symlink(target, &link).unwrap();
        let refused = update(&testbed, Value::Null).await;
        assert_eq!(refused.class, Some(Class::Retryable), "{}", refused.message);
        std::fs::remove_file(&link).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "untouched");
    let done = update(&testbed, Value::Null).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
}

#[tokio::test]
async fn a_repository_that_is_not_there_is_told() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    for (url, told) in [
        ("http://127.0.0.1:1", "127.0.0.1:1 could not be reached"),
        ("http://169.254.169.254/latest", "is not asked, because"),
        ("oci://169.254.169.254/charts", "is not asked, because"),
    ] {
        declare(&testbed, url, "1.0.0");
        let failed = update(&testbed, Value::Null).await;
        assert_eq!(failed.class, Some(Class::Retryable));
        assert!(failed.message.contains(told), "{}", failed.message);
    }
}
