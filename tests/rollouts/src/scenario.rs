//! What becomes of Freight that a Stage verifies with Argo Rollouts.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use dev_testkit::eventually;
use serde_json::{Value, json};

use crate::{
    executor::Executor,
    manifest::{self, ELSEWHERE, TEMPLATE},
    neighbour::INSTANCE_ID,
    world::{PATIENCE, World, argo, kargo},
};

const REVERIFY: &str = "kargo.akuity.io/reverify";
const ABORT: &str = "kargo.akuity.io/abort";
/// What Argo Rollouts is called as a writer of objects.
const NEIGHBOUR: &str = "argo-rollouts";
/// Long enough for whoever would take a run to take it.
const A_WHILE: Duration = Duration::from_secs(5);

/// From Freight to a mark on it, through a Promotion and an AnalysisRun.
pub(crate) async fn verified(world: &World) -> Result<()> {
    let freight = world.client.create(&kargo("freights"), &manifest::freight()).await?;
    let name = freight["metadata"]["name"].as_str().context("Freight has no name")?;
    let ended = world
        .await_verification("the verification succeeds", |it| it["phase"] == "Successful")
        .await?;
    eventually(PATIENCE, "the Freight is verified", async || world.is_verified(name).await).await?;
    let message = ended["message"].as_str().unwrap_or_default();
    ensure!(message.contains("\"spare\" is declared by no analysis template"), "{ended}");
    let run = world.run_of(&ended).await?;
    let labels = &run["metadata"]["labels"];
    ensure!(labels["argo-rollouts.argoproj.io/controller-instance-id"] == INSTANCE_ID, "{labels}");
    ensure!(labels["team"] == "shop" && labels["kargo.akuity.io/stage"] == "dev", "{labels}");
    ensure!(run["metadata"]["ownerReferences"][0]["name"] == name, "{run}");
    let url = format!("http://{}/dev/1.0.0", world.application.address());
    ensure!(run["spec"]["args"] == json!([{ "name": "url", "value": url }]), "{}", run["spec"]);
    let measured = &run["status"]["metricResults"][0];
    ensure!(measured["count"] == 1 && measured["measurements"][0]["value"] == "true", "{measured}");
    ensure!(ended["finishTime"] == run["status"]["completedAt"], "{ended}");
    Ok(())
}

/// The application is no longer well: the same Freight fails, and is no longer verified.
pub(crate) async fn revoked(world: &World) -> Result<()> {
    world.application.set_well(false);
    let former = world.request(REVERIFY).await?;
    let ended = world
        .await_verification("the repeated verification fails", |it| {
            it["id"] != former.as_str() && it["phase"] == "Failed"
        })
        .await?;
    let said = ended["message"].as_str().unwrap_or_default();
    ensure!(said.contains("Metric \"well\" assessed Failed"), "{ended}");
    let stage = world.client.read(&kargo("stages/dev")).await?;
    let held = &stage["status"]["freightHistory"][0]["items"]["Warehouse/web"]["name"];
    let name = held.as_str().context("the Stage holds nothing")?;
    eventually(PATIENCE, "the mark is gone", async || Ok(!world.is_verified(name).await?)).await?;
    let [status, reason, _] = world.condition("Verified").await?;
    ensure!(status == "False" && reason == "VerificationFailed", "Verified={status} {reason}");
    Ok(())
}

/// A verification that would go on for an hour.
pub(crate) async fn aborted(world: &World) -> Result<()> {
    world.application.set_well(true);
    let longer = json!({ "spec": manifest::template(3600)["spec"] });
    world.client.merge(&argo(&format!("analysistemplates/{TEMPLATE}")), &longer).await?;
    let former = world.request(REVERIFY).await?;
    let running = world
        .await_verification("the next verification runs", |it| {
            it["id"] != former.as_str() && it["phase"] == "Running"
        })
        .await?;
    world.request(ABORT).await?;
    let ended = world.await_verification("it is aborted", |it| it["phase"] == "Aborted").await?;
    ensure!(ended["id"] == running["id"], "another verification was aborted: {ended}");
    let is_over = async || Ok(world.run_of(&ended).await?["status"]["completedAt"].is_string());
    eventually(PATIENCE, "the AnalysisRun ends", is_over).await
}

/// What cannot begin says why, and what to do.
pub(crate) async fn impossible(world: &World) -> Result<()> {
    let missing =
        json!({ "spec": { "verification": { "analysisTemplates": [{ "name": "gone" }] } } });
    world.client.merge(&kargo("stages/dev"), &missing).await?;
    let former = world.request(REVERIFY).await?;
    let ended = world
        .await_verification("the verification ends", |it| {
            it["id"] != former.as_str() && it["phase"] == "Error"
        })
        .await?;
    let said = ended["message"].as_str().unwrap_or_default();
    ensure!(said.contains("AnalysisTemplate \"gone\" does not exist"), "{ended}");
    Ok(())
}

/// Neither Argo Rollouts nor `kargo up` takes what is meant for somebody else.
pub(crate) async fn foreign(world: &World) -> Result<()> {
    let run = manifest::foreign_run(&world.application.address());
    world.client.create(&argo("analysisruns"), &run).await?;
    tokio::time::sleep(A_WHILE).await;
    let run = world.client.read(&argo("analysisruns/foreign")).await?;
    ensure!(run["status"]["phase"].as_str().unwrap_or_default().is_empty(), "{}", run["status"]);
    Ok(())
}

/// Both would take the AnalysisRuns without a label.
pub(crate) async fn refused(world: &World) -> Result<()> {
    let output = Executor::run_without_id(world.kubeconfig()).await?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(!output.status.success(), "it ended well");
    ensure!(said.contains("Argo Rollouts is installed"), "{said}");
    Ok(())
}

/// Side by side, each has its own; the Stage is still verified by Argo Rollouts.
pub(crate) async fn shared(world: &World) -> Result<()> {
    let _executor = Executor::start(world.kubeconfig(), ELSEWHERE)?;
    let has_ended = async || {
        let run = world.client.read(&argo("analysisruns/foreign")).await?;
        Ok(run["status"]["phase"] == "Successful")
    };
    eventually(PATIENCE, "our executor carries out what is meant for it", has_ended).await?;
    let run = world.client.read(&argo("analysisruns/foreign")).await?;
    ensure!(run["status"]["metricResults"][0]["measurements"][0]["value"] == "true", "{run}");
    ensure!(!is_written_by(&run, NEIGHBOUR), "Argo Rollouts wrote it: {}", run["metadata"]);
    let template = json!({ "spec": manifest::template(2)["spec"] });
    world.client.merge(&argo(&format!("analysistemplates/{TEMPLATE}")), &template).await?;
    let again =
        json!({ "spec": { "verification": { "analysisTemplates": [{ "name": TEMPLATE }] } } });
    world.client.merge(&kargo("stages/dev"), &again).await?;
    let former = world.request(REVERIFY).await?;
    let ended = world
        .await_verification("the verification succeeds", |it| {
            it["id"] != former.as_str() && it["phase"] == "Successful"
        })
        .await?;
    let run = world.run_of(&ended).await?;
    ensure!(run["status"]["metricResults"][0]["count"] == 2, "{}", run["status"]);
    ensure!(is_written_by(&run, NEIGHBOUR), "Argo Rollouts did not write it: {}", run["metadata"]);
    let writers = run["metadata"]["managedFields"].as_array().map_or(0, Vec::len);
    ensure!(writers == 2, "somebody wrote it beside Kargo and Argo Rollouts: {}", run["metadata"]);
    Ok(())
}

fn is_written_by(object: &Value, manager: &str) -> bool {
    let writers = object["metadata"]["managedFields"].as_array();
    writers.is_some_and(|writers| writers.iter().any(|writer| writer["manager"] == manager))
}
