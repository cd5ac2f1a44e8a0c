//! Stages that verify what they got, by AnalysisRuns that our own executor carries out.

use anyhow::{Context, Result, ensure};
use dev_testkit::eventually;
use serde_json::Value;

use crate::{
    patience::PATIENCE,
    project::{ABORT, Project, REVERIFY},
    stage::Stage,
    watching::{condition, phase_of, verification},
    world::World,
};

/// A Project with a Stage that asks for a verdict.
async fn verifying(world: &World, name: &'static str) -> Result<Project> {
    let project = world.project(name).await?;
    let stage = Stage::new("dev").direct("web").trivial().verified_at(&project.verdict_url());
    project.stage(stage).await?;
    Ok(project)
}

impl Project {
    /// Waits until the newest verification of what `dev` holds is in this phase and not the one with this id.
    async fn next_verification(&self, former: &str, phase: &str) -> Result<Value> {
        let what = format!("the next verification is {phase}");
        let is_it = |it: &Value| {
            let newest = verification(it);
            newest["id"] != former && newest["phase"] == phase
        };
        Ok(verification(&self.await_stage("dev", &what, is_it).await?).clone())
    }

    /// Asks for something about a verification, by its id.
    async fn ask_about(&self, annotation: &str, verification: &Value) -> Result<String> {
        let id = verification["id"].as_str().context("it has no id")?.to_owned();
        self.annotate("stages/dev", annotation, &id).await?;
        Ok(id)
    }

    async fn is_verified(&self, freight: &str) -> Result<bool> {
        let freight = self.get(&format!("freights/{freight}")).await?;
        Ok(freight["status"]["verifiedIn"]["dev"].is_object())
    }
}

/// Two Promotions at once, and nothing says yet whether the first is good.
pub(crate) async fn queued(world: &World) -> Result<()> {
    let project = verifying(world, "queued").await?;
    let first = project.freight("web", "1.0.0").await?;
    let second = project.freight("web", "2.0.0").await?;
    let promotion = project.promote("dev", &first).await?;
    let next = project.promote("dev", &second).await?;
    project.ended(&promotion, "Succeeded").await?;
    project.gate.await_visits(&project.door("verdict/1.0.0"), 1).await?;
    let begun = project.next_verification("", "Running").await?;
    ensure!(begun["finishTime"].is_null(), "{begun}");
    let stage = project.settled("dev").await?;
    ensure!(stage["status"]["currentPromotion"].is_null(), "{}", stage["status"]);
    ensure!(condition(&stage, "Verified")[1] == "VerificationRunning", "{}", stage["status"]);
    let resource = format!("promotions/{next}");
    project.await_that(&resource, "it waits", |it| phase_of(it) == "Pending").await?;
    ensure!(!project.is_verified(&first).await?, "nobody said that it is good");
    project.judge("1.0.0", true);
    project.verified(&first, "dev").await?;
    project.ended(&next, "Succeeded").await?;
    project.judge("2.0.0", false);
    let failed = project.next_verification("", "Failed").await?;
    ensure!(failed["message"].as_str().is_some_and(|it| it.contains("well")), "{failed}");
    ensure!(!project.is_verified(&second).await?, "it failed");
    let runs = project.runs().await?;
    ensure!(runs.len() == 2, "{} AnalysisRuns", runs.len());
    let labels = &runs[0]["metadata"]["labels"];
    ensure!(labels["kargo.akuity.io/stage"] == "dev", "{labels}");
    // Runs that begin within one second come in any order.
    for promotion in [&promotion, &next] {
        let is_by = |run: &Value| {
            run["metadata"]["annotations"]["kargo.akuity.io/promotion"] == promotion.as_str()
        };
        ensure!(runs.iter().any(is_by), "no AnalysisRun of {promotion}: {runs:?}");
    }
    Ok(())
}

/// A, B, A, and A once more while it is there: each time somebody has a look.
pub(crate) async fn comes_back(world: &World) -> Result<()> {
    let project = verifying(world, "comes-back").await?;
    let first = project.freight("web", "1.0.0").await?;
    let second = project.freight("web", "2.0.0").await?;
    project.judge("1.0.0", true);
    project.judge("2.0.0", true);
    for (count, freight) in (1..).zip([&first, &second, &first, &first]) {
        let promotion = project.promote("dev", freight).await?;
        project.ended(&promotion, "Succeeded").await?;
        project.recorded("dev", &promotion).await?;
        let has_looked = |it: &Value| {
            it["items"].as_array().is_some_and(|runs| {
                let is_good = |run: &Value| run["status"]["phase"] == "Successful";
                runs.len() == count && runs.iter().all(is_good)
            })
        };
        let path = project.argo("analysisruns");
        let is_so = async || Ok(has_looked(&project.read(&path).await?));
        let what = format!("AnalysisRun {count} succeeds");
        eventually(PATIENCE, &what, is_so).await?;
        project.next_verification("", "Successful").await?;
    }
    let stage = project.settled("dev").await?;
    let history = stage["status"]["freightHistory"].as_array().cloned().unwrap_or_default();
    let verifications: usize =
        history.iter().map(|it| it["verificationHistory"].as_array().map_or(0, Vec::len)).sum();
    ensure!(verifications == 4, "{}", stage["status"]);
    Ok(())
}

/// What was good is no longer, and the Stage behind does not get it.
pub(crate) async fn revoked(world: &World) -> Result<()> {
    let project = verifying(world, "revoked").await?;
    project.stage(Stage::new("test").after("web", &["dev"]).trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.judge("1.0.0", true);
    let promotion = project.promote("dev", &freight).await?;
    project.ended(&promotion, "Succeeded").await?;
    project.verified(&freight, "dev").await?;
    let former = project.next_verification("", "Successful").await?;
    project.judge("1.0.0", false);
    let former = project.ask_about(REVERIFY, &former).await?;
    let failed = project.next_verification(&former, "Failed").await?;
    let actor = failed["actor"].as_str().unwrap_or_default();
    ensure!(actor.starts_with("kubernetes:"), "{failed}");
    let is_gone = |it: &Value| it["status"]["verifiedIn"]["dev"].is_null();
    project.await_that(&format!("freights/{freight}"), "the mark is gone", is_gone).await?;
    let stage = project.get("stages/dev").await?;
    ensure!(condition(&stage, "Verified")[1] == "VerificationFailed", "{}", stage["status"]);
    let refusal = project.promote_in_vain("test", &freight).await?;
    ensure!(refusal.contains("Freight is not available to this Stage"), "{refusal}");
    project.judge("1.0.0", true);
    let former = project.ask_about(REVERIFY, &failed).await?;
    project.next_verification(&former, "Successful").await?;
    project.verified(&freight, "dev").await?;
    let promotion = project.promote("test", &freight).await?;
    project.ended(&promotion, "Succeeded").await?;
    Ok(())
}

/// Nobody wants to know any more.
pub(crate) async fn aborted(world: &World) -> Result<()> {
    let project = verifying(world, "verification-aborted").await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.promote("dev", &freight).await?;
    let running = project.next_verification("", "Running").await?;
    let id = project.ask_about(ABORT, &running).await?;
    let aborted = project.next_verification("", "Aborted").await?;
    ensure!(aborted["id"] == id.as_str(), "another one was aborted: {aborted}");
    ensure!(aborted["finishTime"].is_string(), "{aborted}");
    ensure!(!project.is_verified(&freight).await?, "it was not verified");
    let runs = project.runs().await?;
    ensure!(runs[0]["spec"]["terminate"] == true, "{}", runs[0]["spec"]);
    let stage = project.settled("dev").await?;
    ensure!(condition(&stage, "Verified")[1] == "VerificationAborted", "{}", stage["status"]);
    project.told("FreightVerificationAborted", &freight).await?;
    let next = project.promote("dev", &freight).await?;
    project.ended(&next, "Succeeded").await?;
    Ok(())
}
