//! `kargo up --demo` as a person follows it: a release goes through dev and staging by itself and into prod on demand,
//! the next one follows over a kill, and the whole can be taken away.

use std::path::Path;

use dev_testkit::{Client, Kargo, UpOptions, warehouse::eventually};
use http::Method;
use serde_json::{Value, json};

use super::{
    kargo,
    process::{free_port, get},
    program, stderr,
};

const OBJECTS: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo";

/// A demo on a port of its own.
struct Demo {
    kargo: Kargo,
    client: Client,
    address: String,
}

impl Demo {
    async fn up(directory: &Path, port: &str) -> Self {
        let arguments = ["--demo", "--demo-port", port].map(str::to_owned).into();
        let options = UpOptions { binary: Some(program()), arguments, ..UpOptions::default() };
        let kargo = Kargo::up(directory, &options).await.unwrap();
        let client = kargo.client().unwrap();
        Self { kargo, client, address: format!("127.0.0.1:{port}") }
    }

    async fn get(&self, path: &str) -> Value {
        self.client.get(&format!("{OBJECTS}/{path}")).await.unwrap().json()
    }

    /// The version that the application says it runs in a Stage.
    async fn version(&self, stage: &str) -> Option<String> {
        let (status, body) = get(&self.address, &format!("/app/{stage}")).await;
        let told: Value = serde_json::from_str(&body).ok()?;
        (status == 200).then(|| told["version"].as_str().unwrap_or_default().to_owned())
    }

    /// Waits until a Stage runs a version and has verified it; returns the name of the Freight.
    async fn await_verified(&self, stage: &str, version: &str) -> String {
        let is_verified = async || {
            let newest = &self.get(&format!("stages/{stage}")).await["status"]["freightHistory"][0];
            let holds = newest["items"]["Warehouse/guestbook"]["images"][0]["tag"] == version;
            let verified = newest["verificationHistory"][0]["phase"] == "Successful";
            Ok(holds && verified && self.version(stage).await.as_deref() == Some(version))
        };
        let what = format!("{stage} runs {version} verified");
        if let Err(error) = eventually(&what, is_verified).await {
            panic!(
                "{error:#}: {:#} {:#}",
                self.get(&format!("stages/{stage}")).await["status"],
                self.get("promotions").await["items"]
            );
        }
        let held = self.get(&format!("stages/{stage}")).await;
        let items = &held["status"]["freightHistory"][0]["items"];
        let freight = items["Warehouse/guestbook"]["name"].as_str().unwrap().to_owned();
        // The Stages after this one go by the mark on the Freight, which follows.
        let is_marked = async || {
            let freight = self.get(&format!("freights/{freight}")).await;
            Ok(freight["status"]["verifiedIn"][stage].is_object())
        };
        eventually("the Freight is marked", is_marked).await.unwrap();
        freight
    }

    async fn promotions(&self, stage: &str) -> usize {
        let list = self.get("promotions").await;
        let of_stage = |promotion: &&Value| promotion["spec"]["stage"] == stage;
        list["items"].as_array().unwrap().iter().filter(of_stage).count()
    }
}

fn demo(command: &str, directory: &Path) -> String {
    let directory = directory.display().to_string();
    let output =
        tokio::task::block_in_place(|| kargo(&["demo", command, "--data-dir", &directory]));
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn releases_go_through_the_whole_pipeline_also_over_a_kill() {
    let (directory, port) = (tempfile::tempdir().unwrap(), free_port());
    let running = Demo::up(directory.path(), &port).await;
    let first = running.await_verified("dev", "1.0.0").await;
    assert_eq!(running.await_verified("staging", "1.0.0").await, first);
    assert_eq!(running.version("prod").await, None, "nobody asked for it");

    // As README has it for kubectl.
    let promotion = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
        "metadata": {"generateName": "prod-", "namespace": "demo"},
        "spec": {"stage": "prod", "origin": {"kind": "Warehouse", "name": "guestbook"}},
    });
    let path = format!("{OBJECTS}/promotions");
    let created = running.client.json(Method::POST, &path, &promotion).await.unwrap();
    assert_eq!(created.status, 201, "{}", created.text());
    assert_eq!(running.await_verified("prod", "1.0.0").await, first);

    let told = demo("push", directory.path());
    assert!(told.contains("guestbook 1.0.1 is there: commit "), "{told}");
    running.kargo.kill().await.unwrap();
    let again = Demo::up(directory.path(), &port).await;
    let second = again.await_verified("staging", "1.0.1").await;
    assert_ne!(second, first);
    assert_eq!(again.version("dev").await.as_deref(), Some("1.0.1"));
    assert_eq!(again.version("prod").await.as_deref(), Some("1.0.0"), "by hand only");
    assert_eq!(again.promotions("dev").await, 2, "a restart promotes nothing twice");

    let told = demo("remove", directory.path());
    assert!(told.contains("Project demo is going away"), "{told}");
    let project = "/apis/kargo.akuity.io/v1alpha1/projects/demo";
    let is_gone = async || Ok(again.client.get(project).await?.status == 404);
    eventually("the Project is gone", is_gone).await.unwrap();
    assert!(!directory.path().join("demo").exists());
    assert_eq!(again.kargo.stop().await.unwrap(), Some(0));
}

#[test]
fn a_demo_that_does_not_run_is_told_in_two_lines() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().display().to_string();
    let output = kargo(&["demo", "push", "--data-dir", &place]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(stderr(&output).replace(&place, "DIR"), @r"
    error: no demo runs: there is no DIR/demo/control.json
    hint: start it with `kargo up --demo`, and name its --data-dir if it has one
    ");
}
