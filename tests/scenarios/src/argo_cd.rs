//! A Stage with an Application that takes its time. The test plays Argo CD, in a cluster of its own.

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, eventually};
use http::Method;
use serde_json::{Value, json};

use crate::{
    patience::PATIENCE,
    server::GRACE,
    stage::Stage,
    watching::{condition, phase_of},
    world::World,
};

const PATH: &str = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications";
/// When every sync was; that it is the same time everywhere says that what is shown is up to date.
const SYNCED: &str = "2026-01-01T00:00:00Z";

/// An Application, and the hand of Argo CD.
struct Application {
    client: Client,
    name: &'static str,
}

impl Application {
    /// Creates it, for the Stage `dev` of the Project of the same name.
    async fn create(client: Client, name: &'static str) -> Result<Self> {
        let body = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {
                "name": name,
                "annotations": { "kargo.akuity.io/authorized-stage": format!("{name}:dev") },
            },
            "spec": { "source": { "repoURL": "https://git.invalid/app.git", "path": "." } },
        });
        let reply = client.json(Method::POST, PATH, &body).await?;
        ensure!(reply.status.is_success(), "{}", reply.text());
        Ok(Self { client, name })
    }

    /// Carries out the sync that is asked for; the health is this afterwards.
    async fn sync(&self, health: &str) -> Result<()> {
        let path = format!("{PATH}/{}", self.name);
        let operation = async || {
            Ok::<_, anyhow::Error>(self.client.get(&path).await?.json()["operation"].take())
        };
        eventually(PATIENCE, "a sync is asked for", async || Ok(operation().await?.is_object()))
            .await?;
        let state = json!({
            "phase": "Succeeded", "operation": operation().await?,
            "startedAt": SYNCED, "finishedAt": SYNCED, "syncResult": { "revision": "abc" },
        });
        let status = json!({
            "operationState": state, "reconciledAt": SYNCED,
            "sync": { "status": "Synced", "revision": "abc" }, "health": { "status": health },
        });
        let annotations = json!({ "argocd.argoproj.io/refresh": null });
        let done = json!({ "metadata": { "annotations": annotations }, "operation": null, "status": status });
        self.patch(&done).await
    }

    async fn become_healthy(&self) -> Result<()> {
        self.patch(&json!({ "status": { "health": { "status": "Healthy" } } })).await
    }

    async fn patch(&self, patch: &Value) -> Result<()> {
        let headers = [("content-type", "application/merge-patch+json")];
        let path = format!("{PATH}/{}", self.name);
        let reply = self.client.send(Method::PATCH, &path, &headers, patch.to_string()).await?;
        ensure!(reply.status.is_success(), "{}", reply.text());
        Ok(())
    }
}

/// Health of what was promoted is not known for a while: the next one gives it time, but not for ever.
pub(crate) async fn progressing(world: &World) -> Result<()> {
    let project = world.project("progressing").await?;
    let application = Application::create(world.server.neighbour()?, "progressing").await?;
    let update =
        json!({ "uses": "argocd-update", "config": { "apps": [{ "name": "progressing" }] } });
    project.stage(Stage::new("dev").direct("web").steps(&json!([update]))).await?;
    let mut freight = Vec::new();
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        freight.push(project.freight("web", version).await?);
    }
    let first = project.promote("dev", &freight[0]).await?;
    let second = project.promote("dev", &freight[1]).await?;
    application.sync("Progressing").await?;
    let ended = project.ended(&first, "Succeeded").await?;
    let stage = project.recorded("dev", &first).await?;
    ensure!(condition(&stage, "Healthy")[0] == "Unknown", "{}", stage["status"]);
    let resource = format!("promotions/{second}");
    let is_running = |it: &Value| phase_of(it) == "Running";
    let begun = project.await_that(&resource, "it begins after a while", is_running).await?;
    let waited = seconds(&begun["status"]["startedAt"])? - seconds(&ended["status"]["finishedAt"])?;
    let waited = waited.rem_euclid(24 * 3600);
    ensure!(waited >= i64::try_from(GRACE.as_secs())?, "it waited {waited} s only");
    application.sync("Progressing").await?;
    project.ended(&second, "Succeeded").await?;
    project.recorded("dev", &second).await?;
    let third = project.promote("dev", &freight[2]).await?;
    // In time: it is verified, and only then makes way.
    application.become_healthy().await?;
    project.verified(&freight[1], "dev").await?;
    application.sync("Healthy").await?;
    project.ended(&third, "Succeeded").await?;
    project.verified(&freight[2], "dev").await?;
    let overtaken = project.get(&format!("freights/{}", freight[0])).await?;
    ensure!(overtaken["status"]["verifiedIn"].is_null(), "{}", overtaken["status"]);
    Ok(())
}

/// The time of day of a timestamp.
fn seconds(time: &Value) -> Result<i64> {
    let text = time.as_str().context("there is no time")?;
    let (_, clock) = text.split_once('T').context("it is no time")?;
    let parts = clock.trim_end_matches('Z').split(':');
    parts.map(str::parse::<i64>).try_fold(0, |sum, part| Ok(sum * 60 + part?))
}
