//! Warehouses on repositories of a real Git server: in `kargo up`, and with no server at all.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use api_kinds::{artifact::GitCommit, origin::FreightOrigin};
use core_rules::freight::{Contents, freight_name};
use dev_testkit::{
    Kargo, UpOptions,
    server::{Behaviour, ChartServer, GitHttp, ToxicProxy, Toxin},
    warehouse::{self, Origin, Project, Watched, eventually},
};
use http::Method;
use serde_json::{Value, json};

use super::{kargo, program, stderr};

pub(super) const PROJECT: &str = "demo";
const PATIENCE: Duration = Duration::from_secs(30);

/// A `kargo up` in memory with more variables.
pub(super) async fn up_with(directory: &Path, environment: Vec<(String, String)>) -> Kargo {
    let arguments = vec!["--in-memory".into()];
    let options = UpOptions { binary: Some(program()), arguments, environment };
    Kargo::up(directory, &options).await.unwrap()
}

fn git_warehouse(url: &str) -> Value {
    json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
        "metadata": {"name": "web", "namespace": PROJECT},
        "spec": {"interval": "1h", "subscriptions": [{"git": {"repoURL": url}}]},
    })
}

/// The name that Freight of one commit has by the rules.
fn name_of(url: &str, id: &str) -> String {
    let commits = [GitCommit { repo_url: url.into(), id: id.into(), ..GitCommit::default() }];
    let contents = Contents { commits: &commits, ..Contents::default() };
    freight_name(&FreightOrigin::warehouse("web"), &contents)
}

async fn await_freight(project: &Project, name: &str) -> Value {
    let path = format!("freights/{name}");
    eventually("there is Freight", async || project.has(&path).await).await.unwrap();
    project.get(&path).await.unwrap()
}

#[tokio::test]
async fn a_push_becomes_freight_with_the_name_of_its_content() {
    let server = GitHttp::start().await.unwrap();
    let repository = server.repository("app").unwrap();
    let first = repository.commit("main", "first", &[("a.yaml", "1")]).unwrap();
    let url = server.url("app");
    let directory = tempfile::tempdir().unwrap();
    let kargo = up_with(directory.path(), Vec::new()).await;
    let project = Project::create(&kargo.client().unwrap(), PROJECT).await.unwrap();
    project.warehouse("web", &json!({"git": {"repoURL": url}})).await.unwrap();
    await_freight(&project, &name_of(&url, &first)).await;

    let second = repository.commit("main", "second", &[("a.yaml", "2")]).unwrap();
    project.refresh("web", "now").await.unwrap();
    let made = await_freight(&project, &name_of(&url, &second)).await;
    assert_eq!(made["commits"][0]["message"], "second");
    assert_eq!(made["origin"], json!({"kind": "Warehouse", "name": "web"}));

    let this = project.path("warehouses/web");
    let reply = project.client.send(Method::DELETE, &this, &[], "").await.unwrap();
    assert!(reply.status.is_success(), "{}", reply.text());
    assert!(!project.has("warehouses/web").await.unwrap());
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}

#[tokio::test]
async fn pushes_of_every_kind_become_freight_with_a_refresh() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up_with(directory.path(), warehouse::environment()).await;
    let project = Project::create(&kargo.client().unwrap(), PROJECT).await.unwrap();
    for mut origin in Origin::all().await.unwrap() {
        let first = origin.push().await.unwrap();
        let mut watched = Watched::create(&project, origin).await.unwrap();
        watched.await_freight(&first).await.unwrap();
        watched.push().await.unwrap();
        watched.push().await.unwrap();
    }
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn discover_tells_what_a_file_would_find_with_credentials_from_it() {
    let server = GitHttp::start().await.unwrap();
    let repository = server.repository("app").unwrap();
    repository.commit("main", "docs", &[("docs/a.md", "1")]).unwrap();
    let wanted = repository.commit("main", "chart", &[("chart/a.yaml", "1")]).unwrap();
    repository.commit("main", "more docs", &[("docs/a.md", "2")]).unwrap();
    server.behave("app", Behaviour::Login("kargo".into(), "hunter2".into()));
    let url = server.url("app");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("warehouse.yaml");
    let mut warehouse = git_warehouse(&url);
    warehouse["spec"]["subscriptions"][0]["git"]["includePaths"] = json!(["chart"]);
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "git", "labels": {"kargo.akuity.io/cred-type": "git"}},
        "stringData": {"repoURL": url, "username": "kargo", "password": "hunter2"},
    });
    std::fs::write(&file, format!("{warehouse}\n---\n{secret}\n")).unwrap();
    let (file, cache) = (file.display().to_string(), directory.path().join("cache"));
    let run = || {
        let cache = cache.display().to_string();
        let output = std::process::Command::new(program())
            .args(["discover", "-f", &file, "-o", "json", "--cache-dir", &cache])
            .env("LOG_LEVEL", "error")
            .env("ALLOW_CREDENTIALS_OVER_HTTP", "true")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let report = tokio::task::block_in_place(run);
    let found = &report["warehouses"][0];
    assert_eq!(found["subscriptions"][0]["selected"][0]["id"], wanted.as_str());
    let reasons = found["subscriptions"][0]["rejected"].as_array().unwrap();
    assert_eq!(reasons.len(), 2, "{report:#}");
    assert_eq!(found["freight"]["metadata"]["name"], name_of(&url, &wanted).as_str());
}

#[tokio::test]
async fn discover_fails_when_a_repository_cannot_be_searched() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("warehouse.yaml");
    std::fs::write(&file, git_warehouse("http://127.0.0.1:1/nothing").to_string()).unwrap();
    let cache = directory.path().join("cache").display().to_string();
    let output = kargo(&["discover", "-f", &file.display().to_string(), "--cache-dir", &cache]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "error: not everything could be searched\n");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("failed: error discovering commits from git repo"), "{told}");
    assert!(told.contains("no Freight: not everything could be searched"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_servers_are_told_and_hide_no_other() {
    let (git, charts) = (GitHttp::start().await.unwrap(), ChartServer::start().await.unwrap());
    git.repository("app").unwrap().commit("main", "first", &[("a.yaml", "1")]).unwrap();
    charts.publish("app", "1.0.0");
    let proxy = ToxicProxy::start(git.address()).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("warehouse.yaml");
    let mut warehouse = git_warehouse(&format!("http://{}/app", proxy.address()));
    let subscriptions = warehouse["spec"]["subscriptions"].as_array_mut().unwrap();
    subscriptions.push(json!({"chart": {"repoURL": charts.url(), "name": "app"}}));
    std::fs::write(&file, warehouse.to_string()).unwrap();
    let (file, cache) =
        (file.display().to_string(), directory.path().join("cache").display().to_string());
    let toxins = [
        Toxin::CutAfter(50),
        Toxin::Status(429, vec!["retry-after: 3600".into()]),
        Toxin::Status(500, Vec::new()),
        Toxin::EndlessBody,
    ];
    for toxin in toxins {
        proxy.poison(toxin.clone());
        let begin = Instant::now();
        let output = tokio::task::block_in_place(|| {
            kargo(&["discover", "-f", &file, "-o", "json", "--cache-dir", &cache])
        });
        assert_eq!(output.status.code(), Some(1), "{toxin:?}");
        assert!(begin.elapsed() < PATIENCE, "{toxin:?} took {:?}", begin.elapsed());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let [git, chart] = [0, 1].map(|index| &report["warehouses"][0]["subscriptions"][index]);
        assert!(git["error"].is_string(), "{toxin:?}: {git}");
        assert_eq!(chart["selected"][0]["version"], "1.0.0", "{toxin:?}: {chart}");
    }
}

#[test]
fn a_controller_without_credentials_is_refused_in_one_line() {
    let output = kargo(&["controller"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "error: CREDENTIAL_PROVIDERS_ENABLED: must be set to true\n");
}

#[tokio::test]
async fn a_controller_of_its_own_serves_its_shard_and_stops_on_a_signal() {
    let server = GitHttp::start().await.unwrap();
    let repository = server.repository("app").unwrap();
    let id = repository.commit("main", "first", &[("a.yaml", "1")]).unwrap();
    let url = server.url("app");
    let directory = tempfile::tempdir().unwrap();
    let kargo = super::up(directory.path()).await;
    let project = Project::create(&kargo.client().unwrap(), PROJECT).await.unwrap();
    let mut warehouse = git_warehouse(&url);
    warehouse["spec"]["shard"] = json!("dev");
    let path = project.path("warehouses");
    let reply = project.client.json(Method::POST, &path, &warehouse).await.unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
    let mut controller = tokio::process::Command::new(program())
        .arg("controller")
        .env("KUBECONFIG", directory.path().join("kubeconfigs/kargo-controller.kubeconfig"))
        .env("KARGO_DATA_DIR", directory.path().join("controller"))
        .env("CREDENTIAL_PROVIDERS_ENABLED", "true")
        .env("SHARD_NAME", "dev")
        .env("HEALTH_BIND_ADDRESS", "0")
        .env("LOG_LEVEL", "error")
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    await_freight(&project, &name_of(&url, &id)).await;
    let pid = controller.id().unwrap().to_string();
    tokio::process::Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
    let status = tokio::time::timeout(PATIENCE, controller.wait()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}
