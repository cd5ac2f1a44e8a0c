//! Warehouses on servers of the outside world: what is pushed becomes Freight.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use api_kinds::{
    artifact::{Chart, GitCommit, Image},
    origin::FreightOrigin,
};
use core_rules::freight::{Contents, freight_name};
use dev_testkit::{
    Kargo, UpOptions,
    server::{
        Behaviour, ChartServer, GitHttp, SshServer, missing_sshd,
        registry::{Door, Image as Built, Registry},
    },
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::world::{KARGO, World, stop};

const PROJECT: &str = "discovery";
/// From a refresh to Freight, on a machine that has other things to do.
const PROMPT: Duration = Duration::from_secs(10);

/// From a push to Freight with the name of its content, by every kind of server there is on this machine.
pub(crate) async fn freight(world: &World) -> Result<()> {
    let options = UpOptions {
        environment: vec![("ALLOW_CREDENTIALS_OVER_HTTP".into(), "true".into())],
        ..UpOptions::default()
    };
    let kargo: Kargo = world.up_by(&options).await?;
    world.ready_project(PROJECT).await?;
    git_over_http(world).await.context("Git over HTTP")?;
    match missing_sshd() {
        Some(reason) => println!("       {reason}"),
        None => git_over_ssh(world).await.context("Git over SSH")?,
    }
    if let Some(registry) = Registry::start(Door::Open).await? {
        images(world, &registry).await.context("images")?;
    }
    charts(world).await.context("charts")?;
    stop(kargo).await
}

async fn git_over_http(world: &World) -> Result<()> {
    let server = GitHttp::start().await?;
    let repository = server.repository("app")?;
    repository.commit("main", "first", &[("a", "1")])?;
    server.behave("app", Behaviour::Login("kargo".into(), "hunter2".into()));
    let url = server.url("app");
    let login = json!({"repoURL": url, "username": "kargo", "password": "hunter2"});
    secret(world, "http", &login).await?;
    create(world, "http", &json!({"git": {"repoURL": url}})).await?;
    let id = repository.commit("main", "second", &[("a", "2")])?;
    expect_commit(world, "http", &url, &id).await
}

async fn git_over_ssh(world: &World) -> Result<()> {
    let server = SshServer::start().await?;
    let repository = server.repository("app")?;
    repository.commit("main", "first", &[("a", "1")])?;
    let url = server.url("app");
    let key = json!({"repoURL": url, "sshPrivateKey": server.client_key()?});
    secret(world, "ssh", &key).await?;
    create(world, "ssh", &json!({"git": {"repoURL": url}})).await?;
    let id = repository.commit("main", "second", &[("a", "2")])?;
    expect_commit(world, "ssh", &url, &id).await
}

async fn images(world: &World, registry: &Registry) -> Result<()> {
    registry.push("app", "v1.0.0", &Built::built("2026-01-01T00:00:00Z")).await?;
    let url = registry.repository("app");
    create(world, "image", &json!({"image": {"repoURL": url}})).await?;
    let digest = registry.push("app", "v1.1.0", &Built::built("2026-01-02T00:00:00Z")).await?;
    let images = [Image { repo_url: url, tag: "v1.1.0".into(), digest, ..Image::default() }];
    expect(world, "image", &Contents { images: &images, ..Contents::default() }).await
}

async fn charts(world: &World) -> Result<()> {
    let server = ChartServer::start().await?;
    server.publish("app", "1.0.0");
    let url = server.url();
    create(world, "chart", &json!({"chart": {"repoURL": url, "name": "app"}})).await?;
    server.publish("app", "1.1.0");
    let charts =
        [Chart { repo_url: url, name: "app".into(), version: "1.1.0".into(), ..Chart::default() }];
    expect(world, "chart", &Contents { charts: &charts, ..Contents::default() }).await
}

async fn secret(world: &World, name: &str, data: &Value) -> Result<()> {
    let body = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": data,
        "metadata": {"name": name, "labels": {"kargo.akuity.io/cred-type": "git"}},
    });
    world.created(&format!("/api/v1/namespaces/{PROJECT}/secrets"), &body).await.map(drop)
}

fn path(warehouse: &str) -> String {
    format!("{KARGO}/namespaces/{PROJECT}/warehouses/{warehouse}")
}

/// Creates a Warehouse and waits until it has looked around.
async fn create(world: &World, name: &str, subscription: &Value) -> Result<()> {
    let body = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse", "metadata": {"name": name},
        "spec": {"interval": "1h", "subscriptions": [subscription]},
    });
    world.created(&format!("{KARGO}/namespaces/{PROJECT}/warehouses"), &body).await?;
    let has_freight = async || {
        let warehouse = world.get(&path(name)).await?;
        Ok(warehouse["status"]["lastFreightID"].is_string())
    };
    world.eventually(&format!("Warehouse {name} makes Freight"), has_freight).await
}

async fn expect_commit(world: &World, warehouse: &str, url: &str, id: &str) -> Result<()> {
    let commits = [GitCommit { repo_url: url.into(), id: id.into(), ..GitCommit::default() }];
    expect(world, warehouse, &Contents { commits: &commits, ..Contents::default() }).await
}

/// Asks for a refresh, and waits for Freight of these contents.
async fn expect(world: &World, warehouse: &str, contents: &Contents<'_>) -> Result<()> {
    let name = freight_name(&FreightOrigin::warehouse(warehouse), contents);
    let begin = Instant::now();
    let request = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": "now"}}});
    world.patch(&path(warehouse), &request).await?;
    let freight = format!("{KARGO}/namespaces/{PROJECT}/freights/{name}");
    world.eventually("Freight of the push", async || world.exists(&freight).await).await?;
    let took = begin.elapsed();
    println!("       {warehouse}: Freight {} ms after the refresh", took.as_millis());
    ensure!(took < PROMPT, "Freight took {took:?}");
    Ok(())
}
