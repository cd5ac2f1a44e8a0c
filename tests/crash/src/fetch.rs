//! Kills in the middle of fetches: mirrors stay whole, and no Freight is made twice.

use std::{collections::BTreeSet, path::Path, process::Command, time::Duration};

use anyhow::{Context, Result, ensure};
use core_clock::Entropy;
use dev_testkit::{
    Client, Kargo, Patience, UpOptions, eventually, found,
    server::{Behaviour, GitHttp, GitRepository},
};
use serde_json::{Value, json};

const KINDS: &str = "/apis/kargo.akuity.io/v1alpha1";
const WAREHOUSE: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/fetch/warehouses/web";
const FREIGHT: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/fetch/freights";
const PATIENCE: Patience = Patience::of(Duration::from_mins(1));
/// How long the server thinks before it answers a fetch: most kills meet one.
const FETCH: Duration = Duration::from_millis(200);
/// Commits that are there before the first kill, so that a fetch has something to write.
const HISTORY: u64 = 2000;

/// Kills `count` times, each time after a push and a refresh; returns how many pieces of Freight there are.
pub(crate) async fn run(data: &Path, count: u32, entropy: &dyn Entropy) -> Result<usize> {
    let server = GitHttp::start().await?;
    let repository = server.repository("app")?;
    let mut pushed = BTreeSet::from([repository.grow("main", HISTORY)?]);
    server.behave("app", Behaviour::SlowFetch(FETCH));
    prepare(data, &server.url("app")).await?;
    for number in 0..count {
        pushed.insert(push(&repository, number)?);
        let (kargo, client) = start(data).await?;
        refresh(&client, number).await?;
        tokio::time::sleep(Duration::from_millis(entropy.below(600))).await;
        kargo.kill().await?;
    }
    server.behave("app", Behaviour::Serve);
    let last = push(&repository, count)?;
    pushed.insert(last.clone());
    let (kargo, client) = start(data).await?;
    refresh(&client, count).await?;
    let found = await_commit(&client, &last).await?;
    ensure!(kargo.stop().await? == Some(0), "a clean stop exits with 0");
    let distinct: BTreeSet<&String> = found.iter().collect();
    ensure!(distinct.len() == found.len(), "Freight was made twice: {found:?}");
    ensure!(distinct.iter().all(|id| pushed.contains(*id)), "Freight of no commit: {found:?}");
    check_mirrors(&data.join("discovery/git/mirrors"))?;
    Ok(found.len())
}

fn push(repository: &GitRepository, number: u32) -> Result<String> {
    let text = number.to_string();
    repository.commit("main", &format!("push {number}"), &[("app.yaml", &text)])
}

async fn prepare(data: &Path, url: &str) -> Result<()> {
    let (kargo, client) = start(data).await?;
    let project = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": "fetch"},
    });
    client.create(&format!("{KINDS}/projects"), &project).await?;
    let is_there = async || Ok(client.get("/api/v1/namespaces/fetch").await?.status.is_success());
    eventually(PATIENCE, "the Project has a namespace", is_there).await?;
    let warehouse = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
        "metadata": {"name": "web", "namespace": "fetch"},
        "spec": {"interval": "1h", "subscriptions": [{"git": {"repoURL": url}}]},
    });
    client.create(&format!("{KINDS}/namespaces/fetch/warehouses"), &warehouse).await?;
    kargo.kill().await
}

async fn start(data: &Path) -> Result<(Kargo, Client)> {
    let kargo = Kargo::up(data, &UpOptions::default()).await.context("start after a kill")?;
    let client = kargo.client()?;
    Ok((kargo, client))
}

async fn refresh(client: &Client, number: u32) -> Result<()> {
    let patch =
        json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": number.to_string()}}});
    client.merge(WAREHOUSE, &patch).await.map(drop)
}

/// Waits for Freight of a commit; returns the commits of all Freight.
async fn await_commit(client: &Client, id: &str) -> Result<Vec<String>> {
    found(PATIENCE, "there is Freight of the last push", async || {
        let list = client.get(FREIGHT).await?.json();
        let items = list.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        let commit = |item: &Value| item.pointer("/commits/0/id")?.as_str().map(str::to_owned);
        let commits: Vec<String> = items.iter().filter_map(commit).collect();
        Ok(commits.iter().any(|commit| commit == id).then_some(commits))
    })
    .await
}

fn check_mirrors(mirrors: &Path) -> Result<()> {
    let mut count = 0;
    for mirror in std::fs::read_dir(mirrors)? {
        let path = mirror?.path().join("repository.git");
        let mut git = Command::new("git");
        git.arg("-C").arg(&path).args([
            "rev-list",
            "--quiet",
            "--objects",
            "--filter=blob:none",
            "--all",
        ]);
        let output = git.output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} is damaged: {said}", path.display());
        count += 1;
    }
    ensure!(count == 1, "there are {count} mirrors of one repository");
    Ok(())
}
