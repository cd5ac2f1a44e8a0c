//! Stages: what wakes them, and what becomes of them.

use std::time::Duration;

use api_kinds::{ProjectConfig, annotations, promotion::PromotionPhase};
use kube::{
    ResourceExt,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::json;

use crate::{
    pipeline::Pipeline,
    scene::{after, direct, hanging, trivial},
};

#[tokio::test]
async fn a_change_of_the_policies_is_acted_on_at_once() {
    let pipeline = Pipeline::start(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline
        .stage_is("dev", "it was looked at", |stage| stage.status.observed_generation == 1)
        .await;
    assert!(pipeline.promotions_of("dev").await.is_empty());
    pipeline.automate(&["dev"]).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    let configs = pipeline.api::<ProjectConfig>();
    configs.delete("demo", &DeleteParams::default()).await.unwrap();
    pipeline.stage_is("dev", "it is off again", |stage| !stage.status.auto_promotion_enabled).await;
}

#[tokio::test]
async fn a_creation_whose_answer_got_lost_is_not_made_again() {
    let mut pipeline = Pipeline::flowing(&[]).await;
    pipeline.world.tick = Duration::from_millis(100);
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.world.losses.lose_creations(1);
    pipeline.world.losses.blind(true);
    pipeline.automate(&["dev"]).await;
    pipeline
        .world
        .until("it is created", || async { !pipeline.promotions_of("dev").await.is_empty() })
        .await;
    pipeline.settle().await;
    assert_eq!(pipeline.promotions_of("dev").await.len(), 1);
    pipeline.world.losses.blind(false);
    pipeline.verified(&pipeline.freight, "dev").await;
    assert_eq!(pipeline.promotions_of("dev").await.len(), 1);
}

#[tokio::test]
async fn a_refresh_is_handled() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.annotate_stage("dev", annotations::REFRESH, "token").await;
    pipeline
        .stage_is("dev", "the refresh is handled", |stage| {
            stage.status.last_handled_refresh == "token"
        })
        .await;
}

#[tokio::test]
async fn freight_goes_on_when_it_has_soaked_for_long_enough() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    let soaking = json!({
        "origin": {"kind": "Warehouse", "name": "w"},
        "sources": {"stages": ["dev"], "requiredSoakTime": "1h"},
    });
    pipeline.stage_for("staging", json!([soaking]), trivial()).await;
    pipeline.automate(&["dev", "staging"]).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    pipeline.clock().advance(Duration::from_mins(59));
    pipeline.settle().await;
    assert!(
        pipeline.promotions_of("staging").await.is_empty(),
        "it has not soaked for long enough"
    );
    pipeline.clock().advance(Duration::from_mins(1));
    pipeline.verified(&pipeline.freight, "staging").await;
}

#[tokio::test]
async fn approved_freight_needs_no_way_through_the_stages_before() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.stage_for("prod", json!([after(&["dev"])]), trivial()).await;
    pipeline.automate(&["prod"]).await;
    pipeline.settle().await;
    let approval =
        json!({"status": {"approvedFor": {"prod": {"approvedAt": "2026-01-01T00:00:00Z"}}}});
    let pieces = pipeline.api::<api_kinds::Freight>();
    let (params, patch) = (PatchParams::default(), Patch::Merge(approval));
    pieces.patch_status(&pipeline.freight, &params, &patch).await.unwrap();
    pipeline.verified(&pipeline.freight, "prod").await;
}

#[tokio::test]
async fn a_stage_that_only_passes_freight_on_verifies_at_once() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.add_stage("gate", json!({"requestedFreight": [after(&["dev"])]})).await;
    pipeline.stage_for("prod", json!([after(&["gate"])]), trivial()).await;
    pipeline.automate(&["dev", "prod"]).await;
    pipeline.verified(&pipeline.freight, "prod").await;
    assert_eq!(pipeline.marks(&pipeline.freight, "gate").await, (false, true));
    pipeline.has_condition("gate", "Ready", "True Ready").await;
    assert_eq!(pipeline.get_stage("gate").await.status.freight_summary, "N/A");
}

#[tokio::test]
async fn a_stage_that_is_deleted_is_forgotten_by_freight() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.automate(&["dev"]).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    pipeline.delete_stage("dev").await;
    let gone = || async { pipeline.stages().get_opt("dev").await.unwrap().is_none() };
    pipeline.world.until("the Stage goes", gone).await;
    let status = pipeline.get_freight(&pipeline.freight).await.status;
    assert!(status.currently_in.is_empty() && status.verified_in.is_empty(), "{status:?}");
}

#[tokio::test]
async fn a_stage_that_ceases_to_promote_keeps_nothing_of_it() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.automate(&["dev"]).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    pipeline.change_stage("dev", json!({"spec": {"promotionTemplate": null}})).await;
    pipeline.has_condition("dev", "Ready", "True Ready").await;
    let status = pipeline.get_stage("dev").await.status;
    assert!(status.freight_history.is_empty() && status.last_promotion.is_none());
    let left = || async { pipeline.marks(&pipeline.freight, "dev").await == (false, true) };
    pipeline.world.until("Freight is no longer in it", left).await;

    let template = json!({"spec": {"steps": trivial()}});
    pipeline.change_stage("dev", json!({"spec": {"promotionTemplate": template}})).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    assert_eq!(pipeline.history("dev").await.len(), 1);
}

#[tokio::test]
async fn stages_of_other_shards_are_left_alone() {
    let pipeline = Pipeline::flowing(&[]).await;
    let spec = |shard: &str| {
        json!({
            "shard": shard,
            "requestedFreight": [direct("w")],
            "promotionTemplate": {"spec": {"steps": trivial()}},
        })
    };
    pipeline.add_stage("east", spec("east")).await;
    pipeline.add_stage("ours", spec("")).await;
    pipeline.automate(&["east", "ours"]).await;
    pipeline.verified(&pipeline.freight, "ours").await;
    let east = pipeline.get_stage("east").await;
    assert_eq!((east.finalizers().len(), east.status.conditions.len()), (0, 0));
    assert!(pipeline.promotions_of("east").await.is_empty());
}

#[tokio::test]
async fn a_promotion_that_ends_after_a_later_one_was_aborted_is_not_lost() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), hanging()).await;
    let second = pipeline.add_freight("w", '2').await;
    let first = pipeline.promote("dev", &pipeline.freight).await;
    let next = pipeline.promote("dev", &second).await;
    let aborted = pipeline.promote("dev", &second).await;
    pipeline.annotate(&aborted, annotations::ABORT, "terminate").await;
    pipeline.ended(&aborted, PromotionPhase::Aborted).await;
    for (name, freight) in [(&first, &pipeline.freight), (&next, &second)] {
        pipeline.clock().advance(Duration::from_secs(2));
        pipeline.world.script.release(name);
        pipeline.ended(name, PromotionPhase::Succeeded).await;
        pipeline.verified(freight, "dev").await;
    }
    assert_eq!(pipeline.history("dev").await, [[second], [pipeline.freight.clone()]]);
    let last = pipeline.get_stage("dev").await.status.last_promotion.unwrap();
    assert_eq!(last.name, next);
}

#[tokio::test]
async fn a_warehouse_that_is_gone_is_told_and_others_go_on() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w"), direct("gone")]), trivial()).await;
    pipeline.automate(&["dev"]).await;
    pipeline.verified(&pipeline.freight, "dev").await;
    pipeline
        .stage_is("dev", "the missing Warehouse is told of", |stage| {
            let mut conditions = stage.status.conditions.iter();
            conditions.any(|condition| condition.message.contains("gone"))
        })
        .await;
}

#[tokio::test]
async fn a_warehouse_that_comes_later_counts() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("v")]), trivial()).await;
    pipeline.automate(&["dev"]).await;
    let told = |stage: &api_kinds::Stage| {
        let mut conditions = stage.status.conditions.iter();
        conditions.any(|condition| condition.message.contains("\"v\""))
    };
    pipeline.stage_is("dev", "the Warehouse is missed", told).await;
    pipeline.add_warehouse("v").await;
    pipeline.stage_is("dev", "the Warehouse is there", |stage| !told(stage)).await;
    let freight = pipeline.add_freight("v", '5').await;
    pipeline.verified(&freight, "dev").await;
}

#[tokio::test]
async fn verified_freight_wakes_the_stages_after_and_nobody_else() {
    let pipeline = Pipeline::flowing(&[]).await;
    pipeline.stage_for("dev", json!([direct("w")]), trivial()).await;
    pipeline.stage_for("staging", json!([after(&["dev"])]), trivial()).await;
    pipeline.stage_for("aside", json!([after(&["elsewhere"])]), trivial()).await;
    pipeline.automate(&["dev", "staging", "aside"]).await;
    pipeline.verified(&pipeline.freight, "staging").await;
    pipeline.settle().await;
    let settled = pipeline.get_stage("aside").await.resource_version();
    let second = pipeline.add_freight("w", '2').await;
    pipeline.verified(&second, "staging").await;
    pipeline.settle().await;
    assert_eq!(pipeline.get_stage("aside").await.resource_version(), settled);
    let status = pipeline.get_freight(&pipeline.freight).await.status;
    assert!(status.currently_in.is_empty());
    assert_eq!(status.verified_in.len(), 2);
}
