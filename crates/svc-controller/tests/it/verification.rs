//! Verification by AnalysisRuns.

use std::time::Duration;

use api_analysis::AnalysisRun;
use api_kinds::{annotations, promotion::PromotionPhase, verification::VerificationInfo};
use kube::{
    Api, ResourceExt,
    api::{DeleteParams, PostParams},
};
use serde_json::{Value, json};

use crate::{
    pipeline::Pipeline,
    scene::{after, direct, trivial},
    world::World,
};

const ROLLOUTS: [(&str, &str); 1] = [("ROLLOUTS_INTEGRATION_ENABLED", "true")];

fn verifying() -> Value {
    json!({
        "requestedFreight": [direct("w")],
        "promotionTemplate": {"spec": {"steps": trivial()}},
        "verification": {
            "analysisTemplates": [{"name": "check"}],
            "args": [{"name": "stage", "value": "${{ ctx.stage }}"}],
        },
    })
}

/// A pipeline whose Stage `dev` waits for the end of its first verification; the name of the run.
async fn verified_once() -> (Pipeline, String) {
    let pipeline = Pipeline::flowing(&ROLLOUTS).await;
    pipeline.add_template().await;
    pipeline.add_stage("dev", verifying()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    let run = pipeline.open_run(1).await;
    (pipeline, run)
}

/// The newest verification of what `dev` holds.
async fn newest(pipeline: &Pipeline) -> VerificationInfo {
    let mut history = pipeline.get_stage("dev").await.status.freight_history;
    history.remove(0).verification_history.remove(0)
}

#[tokio::test]
async fn a_verification_that_is_aborted_ends_its_run() {
    let (pipeline, run) = verified_once().await;
    pipeline.has_condition("dev", "Verified", "Unknown VerificationPending").await;
    let id = newest(&pipeline).await.id;
    pipeline.annotate_stage("dev", annotations::ABORT, &id).await;
    pipeline.has_condition("dev", "Verified", "False VerificationAborted").await;
    let terminated = || async { pipeline.runs().await[0].spec.terminate };
    pipeline.world.until("the run is told to end", terminated).await;
    assert_eq!(newest(&pipeline).await.analysis_run.unwrap().name, run);
    assert_eq!(pipeline.events("FreightVerificationAborted").await.len(), 1);
}

#[tokio::test]
async fn freight_that_fails_when_it_is_verified_again_is_no_longer_verified() {
    let (pipeline, run) = verified_once().await;
    pipeline.end_run(&run, "Successful").await;
    pipeline.verified(&pipeline.freight, "dev").await;
    pipeline.has_condition("dev", "Ready", "True Verified").await;
    let first = newest(&pipeline).await.id;
    pipeline.annotate_stage("dev", annotations::REVERIFY, &first).await;
    let again = pipeline.open_run(2).await;
    pipeline.end_run(&again, "Failed").await;
    pipeline.has_condition("dev", "Verified", "False VerificationFailed").await;
    let revoked = || async { pipeline.marks(&pipeline.freight, "dev").await == (true, false) };
    pipeline.world.until("it is no longer verified", revoked).await;
    pipeline.settle().await;
    assert_eq!(pipeline.runs().await.len(), 2, "a request is handled once");
}

#[tokio::test]
async fn what_was_begun_before_a_crash_is_taken_over() {
    let (mut pipeline, run) = verified_once().await;
    pipeline.world.stop_controller().await;
    // As if the process had ended after it created the run, and before it wrote that down.
    let stages = pipeline.stages();
    let mut stage = pipeline.get_stage("dev").await;
    stage.status.freight_history[0].verification_history.clear();
    stages.replace_status("dev", &PostParams::default(), &stage).await.unwrap();
    pipeline.world.start_controller();
    pipeline.has_condition("dev", "Verified", "Unknown VerificationPending").await;
    pipeline.end_run(&run, "Successful").await;
    pipeline.verified(&pipeline.freight, "dev").await;
    assert_eq!(pipeline.runs().await.len(), 1);
}

#[tokio::test]
async fn a_run_that_somebody_deletes_ends_the_verification() {
    let (pipeline, run) = verified_once().await;
    pipeline.has_condition("dev", "Verified", "Unknown VerificationPending").await;
    let runs: Api<AnalysisRun> = pipeline.api();
    runs.delete(&run, &DeleteParams::default()).await.unwrap();
    pipeline.has_condition("dev", "Verified", "False VerificationError").await;
    assert!(newest(&pipeline).await.message.contains(&run));
}

#[tokio::test]
async fn a_template_that_is_missing_is_told() {
    let pipeline = Pipeline::flowing(&ROLLOUTS).await;
    pipeline.add_stage("dev", verifying()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    pipeline.has_condition("dev", "Verified", "False VerificationError").await;
    let message = newest(&pipeline).await.message;
    assert!(message.contains("\"check\""), "{message}");
}

#[tokio::test]
async fn without_the_integration_a_verification_cannot_begin() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.add_stage("dev", verifying()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    pipeline.has_condition("dev", "Ready", "False VerificationError").await;
    assert_eq!(
        newest(&pipeline).await.message,
        "Rollouts integration is disabled on this controller: cannot start verification"
    );
}

#[tokio::test]
async fn runs_of_a_stage_go_with_it() {
    let (pipeline, run) = verified_once().await;
    pipeline.stage_for("other", json!([after(&["dev"])]), trivial()).await;
    assert_eq!(pipeline.runs().await[0].name_any(), run);
    pipeline.delete_stage("dev").await;
    let gone = || async { pipeline.stages().get_opt("dev").await.unwrap().is_none() };
    pipeline.world.until("the Stage goes", gone).await;
    assert!(pipeline.runs().await.is_empty());
}

#[tokio::test]
async fn kinds_that_are_installed_later_need_no_restart() {
    let mut world = World::serving(&ROLLOUTS, Vec::new()).await;
    world.start_controller();
    let mut pipeline = Pipeline::of(world).await;
    pipeline.world.tick = Duration::from_secs(1);
    pipeline.install(api_analysis::crds()).await;
    let served = || async {
        let runs: Api<AnalysisRun> = pipeline.api();
        runs.get_opt("x").await.is_ok()
    };
    pipeline.world.until("AnalysisRuns are served", served).await;
    pipeline.clock().advance(Duration::from_mins(1));
    pipeline.settle().await;
    pipeline.add_template().await;
    pipeline.add_stage("dev", verifying()).await;
    pipeline.promote("dev", &pipeline.freight).await;
    let run = pipeline.open_run(1).await;
    pipeline.end_run(&run, "Successful").await;
    pipeline.verified(&pipeline.freight, "dev").await;
}
