//! The pipeline: the demo with people at it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kubeconfig, found};
use serde_json::{Value, json};

use crate::{
    PATIENCE,
    census::Census,
    command::{succeeds, text},
    outside::Outside,
    world::World,
};

/// The Project of the demo.
pub(crate) const PROJECT: &str = "demo";
pub(crate) const OWN: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo";
/// Objects that make a restore long enough to be killed in its middle.
const MAPS: usize = 300;
/// The file that the pipeline is saved to, and the passphrase of its Secrets.
pub(crate) const BACKUP: &str = "backup.tar.gz";
pub(crate) const PASSPHRASE: &str = "passphrase";
/// What it is saved to when it has moved and is back.
pub(crate) const SECOND_BACKUP: &str = "second.tar.gz";

/// Lets the pipeline grow until something of everything is there.
pub(crate) async fn grows(world: &World) -> Result<()> {
    let directory = world.path("first");
    let kargo = world.up(&directory).await?;
    let outside = world.outside(kargo.kubeconfig()).await?;
    world.story().await.port = outside.port();
    outside.demo.install().await?;
    let client = kargo.client()?;
    let freight = verified(&client, &[]).await?;
    promote(&client, "prod", &freight).await?;
    fails(&client, &freight).await?;
    approve(&client, &freight).await?;
    issue_token(&client).await?;
    for number in 0..MAPS {
        let map = json!({"metadata": {"name": format!("map-{number}")}, "data": {"on": "yes", "number": number.to_string()}});
        client.create("/api/v1/namespaces/demo/configmaps", &map).await?;
    }
    let census = settled(&client).await?;
    std::fs::write(world.path(PASSPHRASE), "correct horse battery staple\n")?;
    let (file, passphrase) = (text(&world.path(BACKUP)), text(&world.path(PASSPHRASE)));
    let printed = succeeds(&[
        "backup",
        "--portable",
        &file,
        "--data-dir",
        &text(&directory),
        "--passphrase-file",
        &passphrase,
    ])
    .await?;
    ensure!(printed.contains("all as it was at revision"), "{printed}");
    let mut story = world.story().await;
    (story.census, story.saved) = (census.clone(), census);
    drop(story);
    outside.stop().await?;
    ensure!(kargo.stop().await? == Some(0), "kargo up did not stop well");
    Ok(())
}

/// A release goes through all Stages.
pub(crate) async fn promotes(world: &World, kubeconfig: &Kubeconfig) -> Result<()> {
    let client = Client::new(kubeconfig)?;
    let outside: Outside = world.outside(kubeconfig).await?;
    let known = names(&client, "freights").await?;
    outside.demo.push().await?;
    let freight = verified(&client, &known).await?;
    promote(&client, "prod", &freight).await?;
    outside.stop().await
}

/// What the control plane holds once nothing happens any more.
pub(crate) async fn settled(client: &Client) -> Result<Census> {
    found(PATIENCE, "nothing happens any more", async || {
        let before = Census::take(client).await?;
        tokio::time::sleep(Duration::from_secs(3)).await;
        let after = Census::take(client).await?;
        Ok((before == after).then_some(after))
    })
    .await
}

/// New Freight that staging has verified.
async fn verified(client: &Client, known: &[String]) -> Result<String> {
    found(PATIENCE, "staging verifies new Freight", async || {
        let list = client.get(&format!("{OWN}/freights")).await?.json();
        let found = list["items"].as_array().into_iter().flatten().find(|freight| {
            let is_new = known.iter().all(|name| freight["metadata"]["name"] != name.as_str());
            is_new && freight["status"]["verifiedIn"]["staging"].is_object()
        });
        Ok(found.and_then(|freight| Some(freight["metadata"]["name"].as_str()?.to_owned())))
    })
    .await
}

/// Promotes Freight by hand, and waits for its success.
async fn promote(client: &Client, stage: &str, freight: &str) -> Result<()> {
    let phase = ended(client, stage, freight).await?;
    ensure!(phase == "Succeeded", "the Promotion to {stage} {phase}");
    let prod = client.get(&format!("{OWN}/stages/{stage}")).await?.json();
    let holds = prod["status"]["freightHistory"][0].to_string().contains(freight);
    ensure!(holds, "{stage} does not hold {freight}: {}", prod["status"]);
    Ok(())
}

/// A Promotion that does not end well, of a Stage that somebody added.
async fn fails(client: &Client, freight: &str) -> Result<()> {
    let stage = json!({
        "metadata": {"name": "broken"},
        "spec": {
            "requestedFreight": [{"origin": {"kind": "Warehouse", "name": "guestbook"}, "sources": {"direct": true}}],
            "promotionTemplate": {"spec": {"steps": [{"uses": "fail", "config": {"message": "yes: no"}}]}},
        },
    });
    client.create(&format!("{OWN}/stages"), &with_kind("Stage", stage)).await?;
    let phase = ended(client, "broken", freight).await?;
    ensure!(phase == "Failed", "the Promotion to broken {phase}");
    Ok(())
}

/// Promotes Freight, and waits for the end.
async fn ended(client: &Client, stage: &str, freight: &str) -> Result<String> {
    let promotion = json!({
        "metadata": {"generateName": format!("{stage}-")}, "spec": {"stage": stage, "freight": freight},
    });
    let made =
        client.create(&format!("{OWN}/promotions"), &with_kind("Promotion", promotion)).await?;
    let path =
        format!("{OWN}/promotions/{}", made["metadata"]["name"].as_str().context("no name")?);
    let phase = found(PATIENCE, "the Promotion ends", async || {
        let phase = client.get(&path).await?.json()["status"]["phase"].clone();
        let is_over =
            ["Succeeded", "Failed", "Errored", "Aborted"].iter().any(|over| phase == *over);
        Ok(phase.as_str().filter(|_| is_over).map(str::to_owned))
    })
    .await?;
    // The Stage takes note of it a moment later.
    found(PATIENCE, "the Stage has noted the end", async || {
        let stage = client.get(&format!("{OWN}/stages/{stage}")).await?.json();
        let last = &stage["status"]["lastPromotion"]["name"];
        Ok((*last == made["metadata"]["name"]).then_some(()))
    })
    .await?;
    Ok(phase)
}

async fn approve(client: &Client, freight: &str) -> Result<()> {
    let path = format!("{OWN}/freights/{freight}/status");
    let approval =
        json!({"status": {"approvedFor": {"prod": {"approvedAt": "2026-01-01T00:00:00Z"}}}});
    client.merge(&path, &approval).await.map(drop)
}

/// An API token, as the API server makes them.
async fn issue_token(client: &Client) -> Result<()> {
    let core = "/api/v1/namespaces/demo";
    let managed = json!({"rbac.kargo.akuity.io/managed": "true"});
    let account = json!({"metadata": {"name": "ci", "annotations": managed}});
    client.create(&format!("{core}/serviceaccounts"), &account).await?;
    let token = json!({
        "metadata": {
            "name": "ci-token", "labels": {"rbac.kargo.akuity.io/api-token": "true"},
            "annotations": {"kubernetes.io/service-account.name": "ci"},
        },
        "type": "kubernetes.io/service-account-token",
    });
    client.create(&format!("{core}/secrets"), &token).await.map(drop)
}

async fn names(client: &Client, plural: &str) -> Result<Vec<String>> {
    let list = client.get(&format!("{OWN}/{plural}")).await?.json();
    let items = list["items"].as_array().into_iter().flatten();
    Ok(items.filter_map(|item| Some(item["metadata"]["name"].as_str()?.to_owned())).collect())
}

fn with_kind(kind: &str, mut object: Value) -> Value {
    object["apiVersion"] = json!("kargo.akuity.io/v1alpha1");
    object["kind"] = json!(kind);
    object
}
