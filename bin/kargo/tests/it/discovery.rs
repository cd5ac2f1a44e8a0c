//! Warehouses on repositories of a real Git server: in `kargo up`, and with no server at all.

use std::time::{Duration, Instant};

use api_kinds::{
    artifact::{Chart, GitCommit, Image},
    origin::FreightOrigin,
};
use core_rules::freight::{Contents, freight_name};
use dev_testkit::{
    Client, Kargo, UpOptions,
    server::{
        Behaviour, ChartServer, GitHttp, SshServer, ToxicProxy, Toxin, missing_sshd,
        registry::{Door, Image as Built, Registry},
    },
};
use http::Method;
use serde_json::{Value, json};

use super::{kargo, program, stderr};

const PROJECT: &str = "demo";
const KINDS: &str = "/apis/kargo.akuity.io/v1alpha1";
const PATIENCE: Duration = Duration::from_secs(30);

fn warehouse(url: &str) -> Value {
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

async fn create(client: &Client, path: &str, body: &Value) {
    let reply = client.json(Method::POST, path, body).await.unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
}

/// Waits until there is something at a path.
async fn await_object(client: &Client, path: &str) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let reply = client.get(path).await.unwrap();
        if reply.status.is_success() {
            return reply.json();
        }
        assert!(Instant::now() < deadline, "{path}: {}", reply.text());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn create_project(client: &Client) {
    let project = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": PROJECT},
    });
    create(client, &format!("{KINDS}/projects"), &project).await;
    await_object(client, &format!("/api/v1/namespaces/{PROJECT}")).await;
}

async fn refresh(client: &Client, path: &str, token: &str) {
    let patch = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": token}}});
    let headers = [("content-type", "application/merge-patch+json")];
    let reply = client.send(Method::PATCH, path, &headers, patch.to_string()).await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn a_push_becomes_freight_with_the_name_of_its_content() {
    let server = GitHttp::start().await.unwrap();
    let repository = server.repository("app").unwrap();
    let first = repository.commit("main", "first", &[("a.yaml", "1")]).unwrap();
    let url = server.url("app");
    let directory = tempfile::tempdir().unwrap();
    let options = UpOptions {
        binary: Some(program()),
        arguments: vec!["--in-memory".into()],
        ..UpOptions::default()
    };
    let kargo = Kargo::up(directory.path(), &options).await.unwrap();
    let client = kargo.client().unwrap();
    create_project(&client).await;
    let warehouses = format!("{KINDS}/namespaces/{PROJECT}/warehouses");
    let freight = |id: &str| format!("{KINDS}/namespaces/{PROJECT}/freights/{}", name_of(&url, id));
    create(&client, &warehouses, &warehouse(&url)).await;
    await_object(&client, &freight(&first)).await;

    let second = repository.commit("main", "second", &[("a.yaml", "2")]).unwrap();
    let this = format!("{warehouses}/web");
    refresh(&client, &this, "now").await;
    let made = await_object(&client, &freight(&second)).await;
    assert_eq!(made["commits"][0]["message"], "second");
    assert_eq!(made["origin"], json!({"kind": "Warehouse", "name": "web"}));

    let reply = client.send(Method::DELETE, &this, &[], "").await.unwrap();
    assert!(reply.status.is_success(), "{}", reply.text());
    assert_eq!(client.get(&this).await.unwrap().status, 404);
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}

/// A Warehouse of one subscription, and the Freight that it must make.
struct Case {
    name: &'static str,
    subscription: Value,
    freight: String,
}

impl Case {
    fn new(name: &'static str, subscription: Value, contents: &Contents<'_>) -> Self {
        let freight = freight_name(&FreightOrigin::warehouse(name), contents);
        Self { name, subscription, freight }
    }

    async fn run(&self, client: &Client) {
        let warehouse = json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
            "metadata": {"name": self.name, "namespace": PROJECT},
            "spec": {"interval": "1h", "subscriptions": [self.subscription]},
        });
        let home = format!("{KINDS}/namespaces/{PROJECT}");
        create(client, &format!("{home}/warehouses"), &warehouse).await;
        await_object(client, &format!("{home}/freights/{}", self.freight)).await;
    }
}

#[tokio::test]
async fn images_charts_and_repositories_over_ssh_become_freight() {
    let directory = tempfile::tempdir().unwrap();
    let options = UpOptions {
        binary: Some(program()),
        arguments: vec!["--in-memory".into()],
        ..UpOptions::default()
    };
    let kargo = Kargo::up(directory.path(), &options).await.unwrap();
    let client = kargo.client().unwrap();
    create_project(&client).await;

    let server = ChartServer::start().await.unwrap();
    server.publish("app", "1.0.0");
    server.publish("app", "1.1.0");
    let (repo_url, name, version) = (server.url(), "app".to_owned(), "1.1.0".to_owned());
    let subscription = json!({"chart": {"repoURL": repo_url, "name": name}});
    let charts = [Chart { repo_url, name, version, ..Chart::default() }];
    let contents = Contents { charts: &charts, ..Contents::default() };
    Case::new("charts", subscription, &contents).run(&client).await;

    if let Some(registry) = Registry::start(Door::Open).await.unwrap() {
        let built = Built::built("2026-01-01T00:00:00Z");
        let digest = registry.push("app", "v1.0.0", &built).await.unwrap();
        let (repo_url, tag) = (registry.repository("app"), "v1.0.0".to_owned());
        let subscription = json!({"image": {"repoURL": repo_url}});
        let images = [Image { repo_url, tag, digest, ..Image::default() }];
        let contents = Contents { images: &images, ..Contents::default() };
        Case::new("images", subscription, &contents).run(&client).await;
    }

    if missing_sshd().is_none() {
        let server = SshServer::start().await.unwrap();
        let id = server.repository("app").unwrap().commit("main", "first", &[("a", "1")]).unwrap();
        let repo_url = server.url("app");
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "ssh", "labels": {"kargo.akuity.io/cred-type": "git"}},
            "stringData": {"repoURL": repo_url, "sshPrivateKey": server.client_key().unwrap()},
        });
        create(&client, &format!("/api/v1/namespaces/{PROJECT}/secrets"), &secret).await;
        let subscription = json!({"git": {"repoURL": repo_url}});
        let commits = [GitCommit { repo_url, id, ..GitCommit::default() }];
        let contents = Contents { commits: &commits, ..Contents::default() };
        Case::new("ssh", subscription, &contents).run(&client).await;
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
    let mut warehouse = warehouse(&url);
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
    std::fs::write(&file, warehouse("http://127.0.0.1:1/nothing").to_string()).unwrap();
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
    let mut warehouse = warehouse(&format!("http://{}/app", proxy.address()));
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
    let client = kargo.client().unwrap();
    create_project(&client).await;
    let mut warehouse = warehouse(&url);
    warehouse["spec"]["shard"] = json!("dev");
    create(&client, &format!("{KINDS}/namespaces/{PROJECT}/warehouses"), &warehouse).await;
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
    let freight = format!("{KINDS}/namespaces/{PROJECT}/freights/{}", name_of(&url, &id));
    await_object(&client, &freight).await;
    let pid = controller.id().unwrap().to_string();
    tokio::process::Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
    let status = tokio::time::timeout(PATIENCE, controller.wait()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}
