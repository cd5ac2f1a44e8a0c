//! The pipeline moves, and works where it is.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use dev_testkit::{Client, Kargo, Kubeconfig, found};
use http::Method;
use serde_json::json;

use crate::{
    PATIENCE,
    census::Census,
    command::{fails, succeeds, text},
    pipeline::{OWN, SECOND_BACKUP, promotes, settled},
    world::World,
};

/// From the embedded engine to kube-apiserver. Nothing works there yet, so that it must be as it was.
pub(crate) async fn to_cluster(world: &World) -> Result<()> {
    let (from, to) = (text(&world.path("first")), text(&world.cluster().path));
    let printed =
        succeeds(&["migrate", "--from", &from, "--to", &to, "--install-analysis-kinds"]).await?;
    ensure!(
        printed
            .contains("has a new token: give it to whoever uses the old one: Secret demo/ci-token"),
        "{printed}"
    );
    arrived(world, &Client::new(world.cluster())?).await
}

/// What arrived is what was there, and the token is a new one that works.
async fn arrived(world: &World, client: &Client) -> Result<()> {
    let token = found(PATIENCE, "the token is filled", async || token(client).await).await?;
    let census = world.story().await.census.clone().once_started();
    census.ensure_same(&Census::take(client).await?.once_started())?;
    let account = client.with_token(Some(&token));
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let reply = account.json(Method::POST, path, &review).await?;
    let user = reply.json()["status"]["userInfo"]["username"].clone();
    ensure!(
        user == "system:serviceaccount:demo:ci",
        "the token is that of {user}: {}",
        reply.text()
    );
    Ok(())
}

/// The token of the account, once the server has made it.
async fn token(client: &Client) -> Result<Option<String>> {
    let secret = client.get("/api/v1/namespaces/demo/secrets/ci-token").await?.json();
    let Some(encoded) = secret["data"]["token"].as_str() else { return Ok(None) };
    Ok(Some(String::from_utf8(STANDARD.decode(encoded)?)?))
}

/// The same pipeline, with its history, goes on.
pub(crate) async fn promotes_on_cluster(world: &World) -> Result<()> {
    let kargo = world.up_on(world.cluster()).await?;
    let (to, cluster) = (text(&world.path("second")), text(&world.cluster().path));
    promotes(world, world.cluster()).await?;
    is_managed(&kargo.client()?).await?;
    fails(
        &["migrate", "--from", &cluster, "--to", &to],
        27,
        "controllers are at work: Lease kargo",
    )
    .await?;
    leave(world, kargo, world.cluster()).await
}

/// What commands and components have written belongs to them by name.
async fn is_managed(client: &Client) -> Result<()> {
    let stage = client.get(&format!("{OWN}/stages/prod")).await?.json();
    let entries = stage["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let managers: BTreeSet<_> =
        entries.iter().filter_map(|entry| entry["manager"].as_str()).collect();
    let expected = BTreeSet::from(["kargo", "kargo-controller"]);
    ensure!(managers == expected, "the Stage is managed by {managers:?}");
    Ok(())
}

/// From kube-apiserver to an embedded engine that is new.
pub(crate) async fn back(world: &World) -> Result<()> {
    let (from, to) = (text(&world.cluster().path), text(&world.path("second")));
    succeeds(&["migrate", "--from", &from, "--to", &to]).await?;
    // Without controllers there is no server to ask: it is saved, and asked on the way.
    let backup = text(&world.path(SECOND_BACKUP));
    let printed = succeeds(&["backup", "--portable", &backup, "--data-dir", &to]).await?;
    ensure!(printed.contains("note: it holds Secrets in plain"), "{printed}");
    Ok(())
}

pub(crate) async fn promotes_again(world: &World) -> Result<()> {
    let kargo = world.up(&world.path("second")).await?;
    let client = kargo.client()?;
    arrived(world, &client).await?;
    promotes(world, kargo.kubeconfig()).await?;
    let kubeconfig = kargo.kubeconfig().clone();
    leave(world, kargo, &kubeconfig).await
}

/// Stops the control plane once nothing happens any more, and remembers what it holds.
async fn leave(world: &World, kargo: Kargo, kubeconfig: &Kubeconfig) -> Result<()> {
    let census = settled(&Client::new(kubeconfig)?).await?;
    let before = world.story().await.census.len();
    ensure!(census.len() > before, "{} objects after {before}", census.len());
    world.story().await.census = census;
    ensure!(kargo.stop().await? == Some(0), "kargo up did not stop well");
    Ok(())
}
