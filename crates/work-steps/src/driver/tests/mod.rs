//! Promotions run whole: rendering, secrets, stops, restarts.

mod kill;
mod secret;
mod world;

use api_kinds::promotion::{PromotionPhase, PromotionStepStatus};
use core_engine::Progress;
use futures::FutureExt;
use serde_json::json;

use self::world::{World, step, step_with};
use super::{Directory, Passed, Stop, StopSignal, stopping};
use crate::port::LookupError;

fn phase(passed: &Passed) -> Option<&PromotionPhase> {
    match passed {
        Passed::Ended(end) => Some(&end.phase),
        _ => None,
    }
}

#[tokio::test]
async fn variables_outputs_and_conditions_reach_the_steps() {
    let mut world = World::new([
        step_with("echo", json!({"config": {"x": "${{ vars.greeting }}"}, "as": "one"})),
        step_with(
            "echo",
            json!({
                "if": "${{ outputs.one.x == 'hello world' }}",
                "vars": [{"name": "greeting", "value": "step: ${{ vars.greeting }}"}],
                "config": {"y": "${{ vars.greeting }}", "s": "${{ ctx.stage }}-${{ status('one') }}"},
            }),
        ),
        step_with("echo", json!({"if": "${{ false }}"})),
    ]);
    world.variable("name", "world");
    world.variable("greeting", "hello ${{ vars.name }}");
    let passed = world.run().await;
    assert_eq!(phase(&passed), Some(&PromotionPhase::Succeeded));
    let state = json!(world.journal.last().progress.state);
    assert_eq!(
        state,
        json!({
            "one": {"x": "hello world"},
            "step-2": {"y": "step: hello world", "s": "dev-Succeeded"},
        })
    );
    assert_eq!(world.seen(), ["start one", "end one", "start step-2", "end step-2", "end step-3"]);
}

#[tokio::test]
async fn where_a_schema_wants_text_versions_stay_text() {
    let mut world =
        World::new([step_with("fail", json!({"config": {"message": "${{ '1.20' }}"}}))]);
    world.use_built_in_steps().await;
    let Passed::Ended(end) = world.run().await else { panic!("the promotion ends") };
    assert_eq!(end.phase, PromotionPhase::Failed);
    assert_eq!(end.message, "step \"step-1\": failed: 1.20");
}

#[tokio::test]
async fn a_bad_expression_ends_its_step_and_skips_the_rest() {
    let bad = step_with("echo", json!({"config": {"a": "${{ 1 + }}"}}));
    let mut world = World::new([bad, step("echo")]);
    let passed = world.run().await;
    assert_eq!(phase(&passed), Some(&PromotionPhase::Errored));
    assert!(world.runs().is_empty());
}

#[tokio::test]
async fn an_object_that_cannot_be_looked_at_is_asked_for_again() {
    let config = json!({"config": {"a": "${{ configMap('m').k }}"}});
    let mut world = World::new([step_with("echo", config)]);
    let down = LookupError { message: "no connection".into(), is_temporary: true };
    *world.control_plane.failure.lock() = Some(down);
    assert!(matches!(world.run().await, Passed::Waiting(_)));
    let told = world.journal.last().message;
    assert!(told.ends_with("no connection; step will be retried"), "{told}");
    *world.control_plane.failure.lock() = None;
    let passed = world.run().await;
    assert_eq!(phase(&passed), Some(&PromotionPhase::Succeeded));
}

#[tokio::test]
async fn expressions_may_not_ask_for_ever() {
    let config = json!({"config": {"a": "${{ map(1..100, configMap(string(#))) }}"}});
    let mut world = World::new([step_with("echo", config)]);
    let Passed::Ended(end) = world.run().await else { panic!("the promotion ends") };
    assert!(end.message.contains("more than 64 objects"), "{}", end.message);
}

#[tokio::test]
async fn an_abort_cuts_a_step_off() {
    let world = World::new([step("hang"), step("echo")]);
    let (handle, mut signal) = stopping();
    let mut session = world.open(Progress::default());
    {
        let mut pass = std::pin::pin!(session.pass(&mut signal));
        assert!((&mut pass).now_or_never().is_none());
        handle.stop(Stop::Abort("stopped by a person".into()));
        handle.stop(Stop::Suspend);
        let passed = pass.await.unwrap();
        assert_eq!(phase(&passed), Some(&PromotionPhase::Aborted));
    }
    let record = &session.progress().step_execution_metadata[0];
    assert_eq!(record.status, PromotionStepStatus::Aborted);
    assert_eq!(world.journal.last().phase, PromotionPhase::Aborted);
    assert_eq!(world.dropped(), 1);
}

#[tokio::test]
async fn a_suspended_promotion_goes_on_where_it_was() {
    let mut world = World::new([step("echo"), step("hang"), step("echo")]);
    let (handle, mut signal) = stopping();
    let mut session = world.open(Progress::default());
    {
        let mut pass = std::pin::pin!(session.pass(&mut signal));
        assert!((&mut pass).now_or_never().is_none());
        handle.stop(Stop::Suspend);
        assert_eq!(pass.await.unwrap(), Passed::Suspended);
    }
    drop(session);
    world.hang_no_more();
    let passed = world.run().await;
    assert_eq!(phase(&passed), Some(&PromotionPhase::Succeeded));
    assert_eq!(world.runs(), ["step-1", "step-2", "step-2", "step-3"]);
}

#[tokio::test]
async fn starts_of_quiet_steps_stay_in_the_directory() {
    let mut world = World::new([step("write"), step("echo"), step("hang"), step("echo")]);
    world.journal.leave_out();
    let (handle, mut signal) = stopping();
    let mut session = world.open(Progress::default());
    {
        let mut pass = std::pin::pin!(session.pass(&mut signal));
        assert!((&mut pass).now_or_never().is_none());
        handle.stop(Stop::Suspend);
        assert_eq!(pass.await.unwrap(), Passed::Suspended);
    }
    drop(session);
    assert!(world.journal.entries().is_empty(), "nothing is written");
    world.hang_no_more();
    let passed = world.run().await;
    assert_eq!(phase(&passed), Some(&PromotionPhase::Succeeded));
    assert_eq!(world.runs(), ["step-1", "step-2", "step-3", "step-3", "step-4"]);
    assert_eq!(world.journal.entries().len(), 1, "only the end is written");
    assert_eq!(Directory::all(world.root()).unwrap(), ["uid"]);
    Directory::remove(world.root(), "uid").unwrap();
    assert!(Directory::all(world.root()).unwrap().is_empty());
}

#[tokio::test]
async fn a_lost_directory_starts_everything_over_and_keeps_outputs() {
    let mut world = World::new([step("write"), step_with("poll", json!({"config": {"times": 1}}))]);
    assert!(matches!(world.run().await, Passed::Waiting(_)));
    Directory::remove(world.root(), "uid").unwrap();
    let passed = world.run().await;
    assert_eq!(phase(&passed), Some(&PromotionPhase::Succeeded));
    assert_eq!(world.runs(), ["step-1", "step-2", "step-1", "step-2"]);
    assert!(world.seen().contains(&"restart".to_owned()));
    let session = world.open(Progress::default());
    session.close().unwrap();
    assert!(!world.root().join("promotion-uid").exists());
}

#[tokio::test]
async fn too_many_bytes_fail_a_step_also_while_it_runs() {
    let mut world = World::new([step("fill")]);
    world.quota(Some(10_000));
    let Passed::Ended(end) = world.run().await else { panic!("the promotion ends") };
    assert_eq!(end.phase, PromotionPhase::Failed);
    assert!(end.message.contains("10000 bytes"), "{}", end.message);
    let mut world = World::new([step("fill-and-hang")]);
    world.quota(Some(10_000));
    let mut session = world.open(Progress::default());
    let mut signal = StopSignal::never();
    let mut pass = std::pin::pin!(session.pass(&mut signal));
    assert!((&mut pass).now_or_never().is_none());
    world.clock.advance(std::time::Duration::from_secs(2));
    assert_eq!(phase(&pass.await.unwrap()), Some(&PromotionPhase::Failed));
}

#[tokio::test]
async fn an_output_that_nobody_can_keep_fails_its_step() {
    let mut world = World::new([step_with("echo", json!({"config": {"a": "x".repeat(300_000)}}))]);
    let Passed::Ended(end) = world.run().await else { panic!("the promotion ends") };
    assert_eq!(end.phase, PromotionPhase::Failed);
    assert!(world.journal.last().progress.state["step-1"].is_null());
}
