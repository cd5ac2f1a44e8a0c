//! Promotions, from their turn to their end.

use std::time::Duration;

use api_kinds::promotion::PromotionPhase;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{
    Api, ResourceExt,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::json;

use crate::{
    pipeline::Pipeline,
    world::{World, real_time},
};

/// A step that does nothing, one that takes until it is released, and one that does nothing.
fn slow_steps() -> serde_json::Value {
    json!([
        {"uses": "compose-output", "as": "first", "config": {"key": "first-${{ ctx.promotion }}"}},
        {"uses": "compose-output", "as": "slow", "config": {"do": "hang", "key": "${{ ctx.promotion }}"}},
        {"uses": "compose-output", "as": "last", "config": {"key": "last-${{ ctx.promotion }}"}},
    ])
}

fn one_step(config: serde_json::Value) -> serde_json::Value {
    json!([{"uses": "compose-output", "as": "step", "config": config}])
}

#[tokio::test]
async fn a_promotion_of_trivial_steps_is_written_once() {
    let pipeline = Pipeline::start(&[]).await;
    let steps = json!([
        {"uses": "compose-output", "as": "a", "config": {"x": "1"}},
        {"uses": "compose-output", "as": "b", "config": {"y": "${{ outputs.a.x }}"}},
    ]);
    pipeline.stage("dev", steps).await;
    let versions = pipeline.versions_of_promotions().await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    let promotion = pipeline.ended(&name, PromotionPhase::Succeeded).await;
    let status = &promotion.status;
    assert_eq!(status.state, Some(json!({"a": {"x": "1"}, "b": {"y": 1}}).into()));
    assert_eq!(status.current_step, 1);
    assert!(status.started_at.is_some() && status.finished_at.is_some());
    let freight = status.freight.as_ref().unwrap();
    assert_eq!(freight.name, pipeline.freight);
    assert_eq!(status.freight_collection.as_ref().unwrap().freight.len(), 1);
    assert_eq!(versions.until_ended(&name).await, ["", "Succeeded"]);
    let told = pipeline.events("PromotionSucceeded").await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].message.as_deref(), Some("Promotion Succeeded"));
    assert!(pipeline.directories().is_empty());
}

#[tokio::test]
async fn the_start_of_a_step_that_changes_something_outside_is_written_before_it_runs() {
    let pipeline = Pipeline::start(&[]).await;
    let steps = json!([
        {"uses": "compose-output", "as": "a", "config": {}},
        {"uses": "http", "as": "b", "config": {"do": "hang", "key": "b"}},
        {"uses": "compose-output", "as": "c", "config": {}},
        {"uses": "http", "as": "d", "config": {"do": "hang", "key": "d"}},
    ]);
    pipeline.stage("dev", steps).await;
    let versions = pipeline.versions_of_promotions().await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    for (key, step) in [("b", 1), ("d", 3)] {
        pipeline.begun(key).await;
        let status = pipeline.promotion(&name).await.status;
        assert_eq!((status.phase, status.current_step), (PromotionPhase::Running, step));
        assert!(status.started_at.is_some() && status.freight_collection.is_some());
        pipeline.world.script.release(key);
    }
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    let phases = versions.until_ended(&name).await;
    assert_eq!(phases, ["", "Running", "Running", "Succeeded"]);
}

#[tokio::test]
async fn promotions_of_a_stage_run_one_at_a_time_in_their_order() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let mut names = Vec::new();
    for _ in 0..3 {
        names.push(pipeline.promote("dev", &pipeline.freight).await);
        pipeline.clock().advance(Duration::from_millis(2));
    }
    pipeline
        .world
        .until("the others wait", || async {
            pipeline.attempts(&names[0]) == 1
                && pipeline.phase(&names[1]).await == PromotionPhase::Pending
                && pipeline.phase(&names[2]).await == PromotionPhase::Pending
        })
        .await;
    for (position, name) in names.iter().enumerate() {
        pipeline.begun(name).await;
        for later in &names[position + 1..] {
            assert_eq!(pipeline.attempts(later), 0, "{later} waits for {name}");
        }
        pipeline.world.script.release(name);
        pipeline.ended(name, PromotionPhase::Succeeded).await;
    }
}

#[tokio::test]
async fn an_abort_cuts_a_step_off_and_names_who_asked() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    let next = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&name).await;
    pipeline.annotate(&name, "kargo.akuity.io/abort", "terminate").await;
    let promotion = pipeline.ended(&name, PromotionPhase::Aborted).await;
    let status = &promotion.status;
    let actor = status.message.strip_prefix("Promotion terminated by ").unwrap();
    assert!(actor.starts_with("kubernetes:"), "{actor}");
    assert_eq!(status.step_execution_metadata.len(), 2);
    assert_eq!(status.step_execution_metadata[1].status.as_str(), "Aborted");
    assert!(status.finished_at.is_some());
    let told = pipeline.events("PromotionAborted").await;
    assert_eq!(told[0].annotations()["event.kargo.akuity.io/actor"], actor);
    pipeline.begun(&next).await;
}

#[tokio::test]
async fn a_promotion_that_waits_can_be_aborted() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let running = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&running).await;
    let waiting = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.annotate(&waiting, "kargo.akuity.io/abort", "terminate").await;
    let promotion = pipeline.ended(&waiting, PromotionPhase::Aborted).await;
    assert_eq!(promotion.status.started_at, None);
    assert_eq!(pipeline.attempts(&waiting), 0);
    pipeline.world.script.release(&running);
    pipeline.ended(&running, PromotionPhase::Succeeded).await;
}

#[tokio::test]
async fn a_new_process_goes_on_where_the_last_one_stopped() {
    let mut pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&name).await;
    pipeline.clock().advance(Duration::from_secs(1));
    pipeline.in_phase(&name, PromotionPhase::Running).await;
    let started_at = pipeline.promotion(&name).await.status.started_at;
    pipeline.world.stop_controller().await;
    assert_eq!(pipeline.phase(&name).await, PromotionPhase::Running);
    assert_eq!(pipeline.directories().len(), 1);
    pipeline.clock().advance(Duration::from_mins(5));
    pipeline.world.start_controller();
    pipeline.world.until("the step runs again", || async { pipeline.attempts(&name) == 2 }).await;
    pipeline.world.script.release(&name);
    let promotion = pipeline.ended(&name, PromotionPhase::Succeeded).await;
    assert_eq!(promotion.status.started_at, started_at);
    assert_eq!(pipeline.attempts(&format!("first-{name}")), 1, "what was done is not repeated");
    assert_eq!(pipeline.attempts(&format!("last-{name}")), 1);
}

#[tokio::test]
async fn what_was_not_written_yet_is_known_from_the_directory() {
    let mut pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&name).await;
    pipeline.world.stop_controller().await;
    assert_eq!(pipeline.phase(&name).await, PromotionPhase::default(), "nothing is written");
    pipeline.world.start_controller();
    pipeline.world.until("the step runs again", || async { pipeline.attempts(&name) == 2 }).await;
    pipeline.world.script.release(&name);
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    assert_eq!(pipeline.attempts(&format!("first-{name}")), 1);
}

#[tokio::test]
async fn without_its_directory_a_promotion_starts_over_and_keeps_its_outputs() {
    let mut pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&name).await;
    pipeline.clock().advance(Duration::from_secs(1));
    pipeline.in_phase(&name, PromotionPhase::Running).await;
    pipeline.world.stop_controller().await;
    for directory in pipeline.directories() {
        std::fs::remove_dir_all(directory).unwrap();
    }
    assert!(pipeline.promotion(&name).await.status.state.is_some());
    pipeline.world.start_controller();
    pipeline.world.until("the step runs again", || async { pipeline.attempts(&name) == 2 }).await;
    assert_eq!(pipeline.attempts(&format!("first-{name}")), 2);
    pipeline.world.script.release(&name);
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
}

#[tokio::test]
async fn a_refresh_wakes_a_step_that_waits() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", one_step(json!({"do": "wait", "key": "k"}))).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.in_phase(&name, PromotionPhase::Running).await;
    assert_eq!(pipeline.attempts("k"), 1);
    pipeline.world.script.release("k");
    real_time(Duration::from_millis(50)).await;
    assert_eq!(pipeline.attempts("k"), 1, "nobody looks before its time");
    pipeline.annotate(&name, "kargo.akuity.io/refresh", "now").await;
    let promotion = pipeline.ended(&name, PromotionPhase::Succeeded).await;
    assert_eq!(promotion.status.last_handled_refresh, "now");
    assert_eq!(pipeline.attempts("k"), 2);
}

#[tokio::test]
async fn an_answer_wakes_a_step_that_waits() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", one_step(json!({"do": "wait", "key": "k"}))).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.in_phase(&name, PromotionPhase::Running).await;
    assert_eq!(pipeline.attempts("k"), 1);
    pipeline.world.script.release("k");
    pipeline.annotate(&name, "kargo.akuity.io/description", "no answer").await;
    real_time(Duration::from_millis(50)).await;
    assert_eq!(pipeline.attempts("k"), 1, "nobody looks before its time");
    pipeline.annotate(&name, "kargo.akuity.io/responses", r#"{"step":[]}"#).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    assert_eq!(pipeline.attempts("k"), 2);
}

#[tokio::test]
async fn a_step_that_waits_is_looked_at_again_in_time_and_writes_nothing_new() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", one_step(json!({"do": "wait", "key": "k"}))).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.in_phase(&name, PromotionPhase::Running).await;
    let version = pipeline.promotion(&name).await.resource_version();
    for looks in 2..4 {
        real_time(Duration::from_millis(20)).await;
        pipeline.clock().advance(Duration::from_mins(1));
        pipeline.world.until("another look", || async { pipeline.attempts("k") == looks }).await;
    }
    assert_eq!(pipeline.promotion(&name).await.resource_version(), version);
}

#[tokio::test]
async fn no_more_run_at_once_than_the_setting_allows_and_waiting_takes_no_place() {
    let pipeline = Pipeline::start(&[("MAX_RUNNING_PROMOTIONS", "1")]).await;
    pipeline.stage("patient", one_step(json!({"do": "wait", "key": "patient"}))).await;
    pipeline.stage("dev", slow_steps()).await;
    pipeline.stage("test", slow_steps()).await;
    let patient = pipeline.promote("patient", &pipeline.freight).await;
    pipeline.in_phase(&patient, PromotionPhase::Running).await;
    let first = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&first).await;
    let second = pipeline.promote("test", &pipeline.freight).await;
    real_time(Duration::from_millis(100)).await;
    assert_eq!(pipeline.attempts(&second), 0);
    pipeline.clock().advance(Duration::from_secs(5));
    pipeline.in_phase(&second, PromotionPhase::Pending).await;
    pipeline.world.script.release(&first);
    pipeline.begun(&second).await;
    pipeline.world.script.release(&second);
    pipeline.ended(&second, PromotionPhase::Succeeded).await;
}

#[tokio::test]
async fn a_panic_ends_the_promotion_and_nothing_else() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", one_step(json!({"do": "panic"}))).await;
    pipeline.stage("test", one_step(json!({}))).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    let promotion = pipeline.ended(&name, PromotionPhase::Errored).await;
    assert_eq!(promotion.status.message, "told to panic");
    assert_eq!(pipeline.events("PromotionErrored").await.len(), 1);
    assert!(pipeline.directories().is_empty());
    let name = pipeline.promote("test", &pipeline.freight).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
}

#[tokio::test]
async fn a_status_that_cannot_be_written_ends_the_promotion_with_the_reason() {
    let pipeline = Pipeline::start(&[]).await;
    let steps: Vec<_> = (0..20)
        .map(|number| {
            let config = json!({"do": "big", "key": "k"});
            json!({"uses": "compose-output", "as": format!("s{number}"), "config": config})
        })
        .collect();
    pipeline.stage("dev", json!(steps)).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    let promotion = pipeline.ended(&name, PromotionPhase::Errored).await;
    let message = &promotion.status.message;
    assert!(message.starts_with("error updating status: "), "{message}");
    assert!(promotion.status.started_at.is_some());
}

#[tokio::test]
async fn an_end_whose_answer_got_lost_is_told_all_the_same() {
    let mut pipeline = Pipeline::start(&[]).await;
    pipeline.world.tick = Duration::from_millis(20);
    pipeline.stage("dev", one_step(json!({}))).await;
    pipeline.world.losses.lose(2);
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    assert_eq!(pipeline.events("PromotionSucceeded").await.len(), 1);
}

#[tokio::test]
async fn a_deleted_promotion_leaves_nothing_behind() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    let next = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&name).await;
    assert_eq!(pipeline.directories().len(), 1);
    pipeline.promotions().delete(&name, &DeleteParams::default()).await.unwrap();
    pipeline.begun(&next).await;
    pipeline.promotions().delete(&next, &DeleteParams::default()).await.unwrap();
    pipeline
        .world
        .until("the directories go", || async { pipeline.directories().is_empty() })
        .await;
}

#[tokio::test]
async fn a_promotion_that_somebody_else_ended_is_dropped_as_it_is() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&name).await;
    let end = json!({"status": {"phase": "Failed", "message": "by hand"}});
    let patch = Patch::Merge(end);
    pipeline.promotions().patch_status(&name, &PatchParams::default(), &patch).await.unwrap();
    let promotion = pipeline.ended(&name, PromotionPhase::Failed).await;
    pipeline.world.script.release(&name);
    pipeline.clock().advance(Duration::from_secs(5));
    real_time(Duration::from_millis(100)).await;
    assert_eq!(pipeline.promotion(&name).await.status, promotion.status);
    assert_eq!(pipeline.attempts(&format!("last-{name}")), 0);
}

#[tokio::test]
async fn a_promotion_that_goes_away_slowly_is_dropped_at_once() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&name).await;
    let patch = Patch::Merge(json!({"metadata": {"finalizers": ["example.com/slow"]}}));
    pipeline.promotions().patch(&name, &PatchParams::default(), &patch).await.unwrap();
    pipeline.promotions().delete(&name, &DeleteParams::default()).await.unwrap();
    pipeline
        .world
        .until("the directory goes", || async { pipeline.directories().is_empty() })
        .await;
    assert!(!pipeline.phase(&name).await.is_terminal());
}

#[tokio::test]
async fn without_a_place_to_work_in_a_promotion_ends_with_the_reason() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let directory = pipeline.world.work_directory();
    std::fs::remove_dir(directory).unwrap();
    std::fs::write(directory, "in the way").unwrap();
    let name = pipeline.promote("dev", &pipeline.freight).await;
    let promotion = pipeline.ended(&name, PromotionPhase::Errored).await;
    let message = &promotion.status.message;
    assert!(message.starts_with("the work directory "), "{message}");
    std::fs::remove_file(directory).unwrap();
}

#[tokio::test]
async fn what_belongs_to_another_shard_is_left_alone() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.sharded_stage("dev", "west", one_step(json!({}))).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.set_current("dev", &name).await;
    pipeline.clock().advance(Duration::from_secs(10));
    real_time(Duration::from_millis(200)).await;
    assert_eq!(pipeline.phase(&name).await, PromotionPhase::default());
}

#[tokio::test]
async fn what_comes_from_secrets_is_in_no_status() {
    let pipeline = Pipeline::start(&[]).await;
    let secrets: Api<Secret> = Api::namespaced(pipeline.world.client.clone(), "demo");
    let secret = serde_json::from_value(json!({
        "metadata": {"name": "s"}, "stringData": {"password": "hunter2-hunter2"},
    }));
    secrets.create(&PostParams::default(), &secret.unwrap()).await.unwrap();
    let config = json!({"x": "it is ${{ secret('s').password }}", "do": "say"});
    pipeline.stage("dev", one_step(config)).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    let promotion = pipeline.ended(&name, PromotionPhase::Succeeded).await;
    let text = serde_json::to_string(&promotion.status).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("***"), "{text}");
}

#[tokio::test]
async fn what_steps_tell_is_kept_and_goes_with_the_promotion() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", one_step(json!({"do": "say", "x": "hello"}))).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    let logs: Api<ConfigMap> = Api::namespaced(pipeline.world.client.clone(), "demo");
    let log_name = format!("{name}.log");
    pipeline
        .world
        .until("the log is kept", || async {
            logs.get_opt(&log_name).await.unwrap().is_some_and(|log| {
                log.data.unwrap_or_default().values().any(|text| text == "hello\n")
            })
        })
        .await;
    pipeline.promotions().delete(&name, &DeleteParams::default()).await.unwrap();
    pipeline
        .world
        .until("the log goes", || async { logs.get_opt(&log_name).await.unwrap().is_none() })
        .await;
}

#[tokio::test]
async fn directories_of_promotions_that_are_gone_are_swept() {
    let mut world = World::idle(&[]).await;
    let left = world.work_directory().join("promotion-gone/private");
    std::fs::create_dir_all(&left).unwrap();
    world.start_controller();
    world.until("it is swept", || async { !left.exists() }).await;
}

#[tokio::test]
async fn freight_that_the_stage_no_longer_takes_when_its_turn_comes_ends_the_promotion() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", slow_steps()).await;
    let running = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun(&running).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.withdraw("dev").await;
    pipeline.world.script.release(&running);
    let promotion = pipeline.ended(&name, PromotionPhase::Errored).await;
    let freight = &pipeline.freight;
    let text =
        format!("Freight {freight:?} is not available to Stage \"dev\" in namespace \"demo\"");
    assert_eq!(promotion.status.message, text);
    assert_eq!(pipeline.attempts(&name), 0);
}

#[tokio::test]
async fn freight_that_the_stage_holds_is_verified_again_after_it_was_promoted_again() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage("dev", one_step(json!({}))).await;
    let first = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&first, PromotionPhase::Succeeded).await;
    pipeline
        .world
        .until("it is verified", || async { pipeline.verification("dev").await.is_some() })
        .await;
    let verified = pipeline.verification("dev").await.unwrap();
    let again = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&again, PromotionPhase::Succeeded).await;
    let stage = pipeline.get_stage("dev").await;
    let request = &stage.annotations()["kargo.akuity.io/reverify"];
    assert!(request.contains(&verified), "{request}");
}
