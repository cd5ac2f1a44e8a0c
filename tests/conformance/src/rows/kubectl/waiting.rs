//! Commands that wait for something to happen.

use std::{process::Stdio, time::Duration};

use anyhow::{Context, Result, ensure};
use futures::future::try_join;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{
    expect::equal,
    namespace::{Namespace, widget},
    rows::tool::Tool,
    world::World,
};

/// So that the command waits already when it happens.
const LATER: Duration = Duration::from_millis(1500);
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn all(world: &World<'_>, kubectl: &Tool) -> Result<()> {
    let namespace = world.namespace().await?;
    condition(world, kubectl, &namespace).await?;
    deletion(world, kubectl, &namespace).await?;
    watch(world, kubectl, &namespace).await?;
    whole_namespace(world, kubectl).await
}

async fn condition(world: &World<'_>, kubectl: &Tool, namespace: &Namespace) -> Result<()> {
    world.create(&namespace.widgets(), &widget("w")).await?;
    let status = format!("{}/status", namespace.widget("w"));
    let ready =
        json!({"status": {"phase": "Good", "conditions": [{"type": "Ready", "status": "True"}]}});
    let met = "widget.conf.example.com/w condition met\n";
    for line in [
        "wait wd/w --for=condition=Ready --timeout=20s",
        "wait wd/w --for=jsonpath={.status.phase}=Good",
    ] {
        world
            .merge(&status, &json!({"status": {"phase": null, "conditions": null}}))
            .await?
            .is(200)?;
        let output =
            during(kubectl.succeeds(&namespace.name, line), world.merge(&status, &ready)).await?;
        equal(line, &output.as_str(), &met)?;
    }
    Ok(())
}

async fn deletion(world: &World<'_>, kubectl: &Tool, namespace: &Namespace) -> Result<()> {
    let path = namespace.widget("held");
    let released = json!({"metadata": {"finalizers": null}});
    let gone =
        format!("widget.conf.example.com \"held\" deleted from {} namespace\n", namespace.name);
    for (line, want) in [
        ("delete widget held --wait=true --timeout=20s", gone.as_str()),
        ("wait wd/held --for=delete --timeout=20s", "widget.conf.example.com/held condition met\n"),
    ] {
        world.create(&namespace.widgets(), &held()).await?;
        if line.starts_with("wait") {
            world.delete(&path).await?.is(200)?;
        }
        let output =
            during(kubectl.succeeds(&namespace.name, line), world.merge(&path, &released)).await?;
        equal(line, &output.as_str(), &want)?;
        world.get(&path).await?.fails(404, "NotFound")?;
    }
    Ok(())
}

fn held() -> Value {
    let mut object = widget("held");
    object["metadata"]["finalizers"] = json!(["conf.example.com/hold"]);
    object
}

/// Runs the command and, a little later, what it waits for.
async fn during<T>(
    command: impl Future<Output = Result<String>>,
    change: impl Future<Output = Result<T>>,
) -> Result<String> {
    let change = async {
        tokio::time::sleep(LATER).await;
        change.await
    };
    Ok(try_join(command, change).await?.0)
}

/// `get -w` prints the table and then each change.
async fn watch(world: &World<'_>, kubectl: &Tool, namespace: &Namespace) -> Result<()> {
    let mut child = kubectl
        .command(&namespace.name, &["get", "wd", "-w", "--output-watch-events"])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no stdout")?).lines();
    let mut next = async || -> Result<Vec<String>> {
        let line = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .context("get -w is silent")??;
        let line = line.context("get -w ended")?;
        Ok(line.split_whitespace().take(4).map(str::to_owned).collect())
    };
    equal(
        "header",
        &next().await?,
        &["EVENT", "NAME", "COLOR", "COUNT"].map(str::to_owned).to_vec(),
    )?;
    equal(
        "first",
        &next().await?[..3].to_vec(),
        &["ADDED", "w", "red"].map(str::to_owned).to_vec(),
    )?;
    world
        .merge(&namespace.widget("w"), &json!({"spec": {"color": "blue", "count": 7}}))
        .await?
        .is(200)?;
    equal("change", &next().await?, &["MODIFIED", "w", "blue", "7"].map(str::to_owned).to_vec())?;
    world.delete(&namespace.widget("w")).await?.is(200)?;
    equal("deletion", &next().await?, &["DELETED", "w", "blue", "7"].map(str::to_owned).to_vec())?;
    Ok(child.kill().await?)
}

async fn whole_namespace(world: &World<'_>, kubectl: &Tool) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("w")).await?;
    let line = format!("delete namespace {} --timeout=60s", namespace.name);
    let output = kubectl.succeeds("default", &line).await?;
    equal(&line, &output, &format!("namespace \"{}\" deleted\n", namespace.name))?;
    let left = world.get(&format!("/api/v1/namespaces/{}", namespace.name)).await?;
    ensure!(left.status == 404, "the namespace is still there");
    Ok(())
}
