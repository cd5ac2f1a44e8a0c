//! The ten scenarios of how Stages and Promotions work together.

use std::time::Duration;

use api_kinds::{annotations, promotion::PromotionPhase};
use kube::{ResourceExt, api::PostParams};
use serde_json::{Value, json};

use crate::{
    pipeline::Pipeline,
    scene::{after, direct, hanging, one_step, trivial},
};

const ROLLOUTS: [(&str, &str); 1] = [("ROLLOUTS_INTEGRATION_ENABLED", "true")];

/// A Stage with verification.
fn verifying(steps: Value) -> Value {
    json!({
        "requestedFreight": [direct("w")],
        "promotionTemplate": {"spec": {"steps": steps}},
        "verification": {
            "analysisTemplates": [{"name": "check"}],
            "args": [{"name": "stage", "value": "${{ ctx.stage }}"}],
        },
    })
}

#[tokio::test]
async fn scenario_1_new_freight_flows_by_itself_and_is_verified_on_the_way() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.stage_for("staging", json!([after(&["dev"])]), trivial()).await;
    pipeline.stage_for("prod", json!([after(&["staging"])]), trivial()).await;
    pipeline.automate(&["dev", "staging"]).await;
    pipeline.verified(&pipeline.freight, "staging").await;
    assert_eq!(pipeline.marks(&pipeline.freight, "dev").await, (true, true));
    for stage in ["dev", "staging"] {
        pipeline.has_condition(stage, "Ready", "True Verified").await;
        let promotions = pipeline.promotions_of(stage).await;
        assert_eq!(promotions.len(), 1);
        let status = pipeline.get_stage(stage).await.status;
        assert_eq!(status.last_promotion.unwrap().name, promotions[0].name_any());
        assert_eq!(status.current_promotion, None);
        assert_eq!(status.freight_summary, pipeline.freight);
        assert!(status.auto_promotion_enabled);
        assert_eq!(pipeline.condition(stage, "Healthy").await, "True Healthy");
        assert_eq!(pipeline.condition(stage, "Promoting").await, "");
    }
    assert!(pipeline.promotions_of("prod").await.is_empty(), "prod is promoted by hand");
    let created = pipeline.events("PromotionCreated").await;
    assert!(created.iter().all(|event| {
        event.message.as_deref().unwrap().starts_with("Automatically promoted Freight from origin")
    }));
    pipeline.promote("prod", &pipeline.freight).await;
    pipeline.verified(&pipeline.freight, "prod").await;
    assert_eq!(pipeline.events("FreightVerificationSucceeded").await.len(), 3);
}

#[tokio::test]
async fn scenario_2_the_queue_waits_for_the_verification_of_what_came_in() {
    let pipeline = Pipeline::flowing(&ROLLOUTS).await;
    pipeline.add_template().await;
    pipeline.add_stage("dev", verifying(trivial())).await;
    let second = pipeline.add_freight("w", '2').await;
    let first = pipeline.promote("dev", &pipeline.freight).await;
    let next = pipeline.promote("dev", &second).await;
    pipeline.ended(&first, PromotionPhase::Succeeded).await;
    let run = pipeline.open_run(1).await;
    pipeline.has_condition("dev", "Verified", "Unknown VerificationPending").await;
    pipeline.clock().advance(Duration::from_hours(1));
    pipeline.settle().await;
    assert!(!pipeline.phase(&next).await.is_terminal(), "it waits");
    let object = &pipeline.runs().await[0];
    assert_eq!(object.spec.args[0].value.as_deref(), Some("dev"));
    assert_eq!(object.annotations()[annotations::PROMOTION], first);
    pipeline.end_run(&run, "Successful").await;
    pipeline.ended(&next, PromotionPhase::Succeeded).await;
    let status = pipeline.get_freight(&pipeline.freight).await.status;
    assert!(
        status.verified_in.contains_key("dev"),
        "the first was verified before it was replaced"
    );
    let last = pipeline.open_run(2).await;
    pipeline.end_run(&last, "Failed").await;
    pipeline.has_condition("dev", "Ready", "False VerificationFailed").await;
    assert_eq!(pipeline.marks(&second, "dev").await, (true, false));
    assert_eq!(pipeline.history("dev").await, [[second], [pipeline.freight.clone()]]);
}

#[tokio::test]
async fn scenario_3_what_does_not_become_healthy_gives_way_after_a_grace_period() {
    let pipeline = Pipeline::flowing(&[("VERIFICATION_GRACE_PERIOD", "10m")]).await;
    let check = json!({"do": "check", "check": {"uses": "nobody-knows"}});
    pipeline.stage_for("dev", json!([direct("w")]), one_step(check)).await;
    let second = pipeline.add_freight("w", '2').await;
    let first = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&first, PromotionPhase::Succeeded).await;
    pipeline.has_condition("dev", "Healthy", "Unknown Unknown").await;
    let next = pipeline.promote("dev", &second).await;
    pipeline.clock().advance(Duration::from_mins(9));
    pipeline.settle().await;
    assert!(!pipeline.phase(&next).await.is_terminal(), "it waits for the grace period");
    pipeline.clock().advance(Duration::from_mins(1));
    pipeline.ended(&next, PromotionPhase::Succeeded).await;
    pipeline
        .stage_is("dev", "the second came in", |stage| stage.status.freight_history.len() == 2)
        .await;
    assert!(!pipeline.marks(&pipeline.freight, "dev").await.1, "the first was never verified");
}

#[tokio::test]
async fn scenario_4_older_freight_by_hand_is_held_until_the_newest_is_promoted() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.automate(&["dev"]).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    let second = pipeline.add_freight("w", '2').await;
    pipeline.verified(&second, "dev").await;

    let back = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&back, PromotionPhase::Succeeded).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    let third = pipeline.add_freight("w", '3').await;
    pipeline.settle().await;
    let status = pipeline.get_stage("dev").await.status;
    let hold = &status.effective_auto_promotion_holds["Warehouse/w"];
    assert_eq!((&hold.freight_name, &hold.promotion_name), (&pipeline.freight, &back));
    assert_eq!(status.auto_promotion_holds, status.effective_auto_promotion_holds);
    assert_eq!(pipeline.promotions_of("dev").await.len(), 3, "the third is held back");

    pipeline.promote("dev", &third).await;
    pipeline.verified(&third, "dev").await;
    pipeline
        .stage_is("dev", "the hold ends", |stage| stage.status.auto_promotion_holds.is_empty())
        .await;
    let fourth = pipeline.add_freight("w", '4').await;
    pipeline.verified(&fourth, "dev").await;
}

#[tokio::test]
async fn scenario_5_what_failed_is_not_tried_again_by_itself() {
    let pipeline = Pipeline::flowing(&[]).await;
    let steps = one_step(json!({
        "do": "${{ commitFrom('https://git.example.com/app.git').ID startsWith '1' ? 'fail' : 'go' }}",
    }));
    pipeline.stage_for("dev", json!([direct("w")]), steps).await;
    pipeline.automate(&["dev"]).await;
    pipeline.has_condition("dev", "Ready", "False LastPromotionFailed").await;
    pipeline.clock().advance(Duration::from_hours(1));
    pipeline.settle().await;
    let failed = pipeline.promotions_of("dev").await;
    assert_eq!(failed.len(), 1);
    assert!(pipeline.history("dev").await.is_empty());
    let second = pipeline.add_freight("w", '2').await;
    pipeline.verified(&second, "dev").await;
    assert_eq!(pipeline.promotions_of("dev").await.len(), 2);
}

#[tokio::test]
async fn scenario_6_freight_that_comes_back_is_verified_anew() {
    let pipeline = Pipeline::flowing(&ROLLOUTS).await;
    pipeline.add_template().await;
    pipeline.add_stage("dev", verifying(trivial())).await;
    let second = pipeline.add_freight("w", '2').await;
    for (position, freight) in [&pipeline.freight, &second, &pipeline.freight].iter().enumerate() {
        pipeline.promote("dev", freight).await;
        let run = pipeline.open_run(position + 1).await;
        pipeline.end_run(&run, "Successful").await;
        pipeline.verified(freight, "dev").await;
        pipeline.has_condition("dev", "Ready", "True Verified").await;
    }
    let again = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&again, PromotionPhase::Succeeded).await;
    let run = pipeline.open_run(4).await;
    pipeline.end_run(&run, "Successful").await;
    pipeline.has_condition("dev", "Ready", "True Verified").await;
}

#[tokio::test]
async fn scenario_7_a_new_process_ends_what_the_last_one_began() {
    let mut pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), hanging()).await;
    pipeline.automate(&["dev"]).await;
    pipeline
        .world
        .until("a Promotion", || async { !pipeline.promotions_of("dev").await.is_empty() })
        .await;
    let name = pipeline.promotions_of("dev").await[0].name_any();
    pipeline.begun(&name).await;
    pipeline.world.stop_controller().await;
    pipeline.world.script.release(&name);
    pipeline.world.start_controller();
    pipeline.verified(&pipeline.freight, "dev").await;
    assert_eq!(pipeline.promotions_of("dev").await.len(), 1);
}

#[tokio::test]
async fn scenario_8_an_aborted_promotion_of_one_origin_leaves_the_other_origin_alone() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.add_warehouse("v").await;
    pipeline.stage_for("dev", json!([direct("w"), direct("v")]), hanging()).await;
    let other = pipeline.add_freight("v", '7').await;
    let second = pipeline.add_freight("w", '2').await;
    for freight in [&pipeline.freight, &other] {
        let name = pipeline.promote("dev", freight).await;
        pipeline.world.script.release(&name);
        pipeline.ended(&name, PromotionPhase::Succeeded).await;
        pipeline.verified(freight, "dev").await;
    }
    let running = pipeline.promote("dev", &second).await;
    pipeline.begun(&running).await;
    let aborted = pipeline.promote("dev", &other).await;
    pipeline.annotate(&aborted, annotations::ABORT, "terminate").await;
    pipeline.ended(&aborted, PromotionPhase::Aborted).await;
    pipeline.clock().advance(Duration::from_secs(2));
    pipeline.world.script.release(&running);
    pipeline.ended(&running, PromotionPhase::Succeeded).await;
    pipeline.verified(&second, "dev").await;
    let mut held = vec![second.clone(), other.clone()];
    let mut current = pipeline.history("dev").await.remove(0);
    held.sort();
    current.sort();
    assert_eq!(current, held);
    let last = pipeline.get_stage("dev").await.status.last_promotion.unwrap();
    assert_eq!(last.name, running, "the one that ended last");

    let third = pipeline.add_freight("w", '3').await;
    let name = pipeline.promote("dev", &third).await;
    pipeline.world.script.release(&name);
    pipeline.verified(&third, "dev").await;
    assert!(pipeline.history("dev").await[0].contains(&other), "the other origin is inherited");
}

#[tokio::test]
async fn scenario_9_a_step_may_stumble_as_often_as_it_is_allowed_to() {
    let pipeline = Pipeline::flowing(&[]).await;
    let steps = json!([{
        "uses": "compose-output", "as": "step",
        "config": {"do": "stumble", "key": "stumbling"},
        "retry": {"errorThreshold": 3},
    }]);
    pipeline.stage_for("dev", json!([direct("w")]), steps).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.world.until("the first error", || async { pipeline.attempts("stumbling") == 1 }).await;
    pipeline.in_phase(&name, PromotionPhase::Running).await;
    let goes_on = || async {
        let records = pipeline.promotion(&name).await.status.step_execution_metadata;
        records.first().is_some_and(|record| record.message.ends_with("step will be retried"))
    };
    pipeline.world.until("the record says that it goes on", goes_on).await;
    while pipeline.attempts("stumbling") < 3 {
        pipeline.clock().advance(Duration::from_secs(10));
        pipeline.settle().await;
    }
    pipeline.ended(&name, PromotionPhase::Errored).await;
    assert_eq!(pipeline.attempts("stumbling"), 3);
    pipeline.has_condition("dev", "Ready", "False LastPromotionErrored").await;
}

#[tokio::test]
async fn scenario_10_a_stage_with_targets_is_promoted_by_requests() {
    let pipeline = Pipeline::flowing(&[]).await;
    let spec = |selectors: Value| {
        json!({
            "requestedFreight": [direct("w")],
            "promotionTemplate": {"spec": {"steps": trivial()}},
            "targets": {"selectors": selectors},
        })
    };
    pipeline.add_stage("none", spec(json!([]))).await;
    let target = json!({"metadata": {"name": "east", "namespace": "demo"}, "spec": {"params": {}}});
    let target = serde_json::from_value(target).unwrap();
    pipeline.api::<api_kinds::Target>().create(&PostParams::default(), &target).await.unwrap();
    pipeline.add_stage("all", spec(json!([{}]))).await;
    pipeline.automate(&["none", "all"]).await;
    for (stage, phase) in [("none", "Succeeded"), ("all", "Errored")] {
        let what = format!("the request of {stage} ends");
        let ended = || async {
            let requests = pipeline.requests_of(stage).await;
            requests.len() == 1 && requests[0].status.phase.as_str() == phase
        };
        pipeline.world.until(&what, ended).await;
    }
    let request = &pipeline.requests_of("all").await[0];
    assert_eq!(request.spec.targets[0].name, "east");
    let ready = &request.status.conditions[0];
    assert_eq!(ready.reason, "FanOutUnavailable");
    pipeline
        .stage_is("all", "the request is the last one", |stage| {
            let last = stage.status.last_promotion_request.as_ref();
            last.is_some_and(|last| last.name == request.name_any())
        })
        .await;
    pipeline.settle().await;
    assert_eq!(pipeline.requests_of("all").await.len(), 1, "what failed is not tried again");
    assert!(pipeline.promotions_of("all").await.is_empty());
}
