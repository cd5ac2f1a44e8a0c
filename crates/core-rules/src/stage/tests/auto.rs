//! Automatic promotion within a pass.

use api_kinds::promotion::PromotionPhase::{Failed, Succeeded};
use serde_json::json;

use super::bench::{Bench, origin, row};
use crate::condition;
use crate::selector::matches_name;
use crate::stage::{Effect, Wake};

fn bench(warehouses: &[&str]) -> Bench {
    let mut bench = Bench::new(warehouses).promoting_by_itself();
    bench.add_freight("a1", "w1");
    bench
}

fn promoted(bench: &Bench) -> Vec<&str> {
    bench.promotions.iter().map(|promotion| promotion.spec.freight.as_str()).collect()
}

#[test]
fn creation_and_turn_are_one_write() {
    let mut bench = bench(&["w1"]);
    let plan = bench.pass();
    let created = bench.promotions[0].metadata.name.clone();
    assert_eq!(bench.current(), created.as_deref());
    assert_eq!(row(&bench.stage.status.conditions, "Promoting"), "True/ActivePromotion");
    assert!(bench.stage.status.auto_promotion_enabled);
    let events = plan.events(&bench.world());
    let message = "Automatically promoted Freight from origin \"Warehouse/w1\" for Stage \"prod\"";
    assert_eq!((events.len(), events[0].message.as_str()), (1, message));
    let before = bench.stage.status.clone();
    bench.settle();
    assert_eq!((promoted(&bench), &bench.stage.status), (vec!["a1"], &before));
}

#[test]
fn of_two_that_are_created_the_first_has_the_turn() {
    let mut bench = bench(&["w1", "w2"]);
    bench.add_freight("b1", "w2");
    bench.pass();
    assert_eq!(promoted(&bench), ["a1", "b1"]);
    assert_eq!(bench.current(), bench.promotions[0].metadata.name.as_deref());
}

#[test]
fn one_that_is_created_behind_others_waits() {
    let mut bench = bench(&["w1", "w2"]);
    let by_hand = bench.promote("a1", json!({}));
    bench.add_freight("b1", "w2");
    bench.pass();
    assert_eq!(promoted(&bench), ["a1", "b1"]);
    assert_eq!(bench.current(), Some(by_hand.as_str()));
}

#[test]
fn what_failed_is_not_repeated_until_something_newer_comes() {
    let mut bench = bench(&["w1"]);
    bench.pass();
    let name = bench.current().unwrap().to_owned();
    bench.finish(&name, Failed);
    bench.settle();
    assert_eq!(promoted(&bench), ["a1"]);
    bench.later(60);
    bench.add_freight("a2", "w1");
    bench.settle();
    assert_eq!(promoted(&bench), ["a1", "a2"]);
}

#[test]
fn the_next_is_created_when_one_arrives_and_begins_once_freight_is_marked() {
    let mut bench = bench(&["w1"]);
    bench.pass();
    let first = bench.current().unwrap().to_owned();
    bench.later(60);
    bench.add_freight("a2", "w1");
    bench.finish(&first, Succeeded);
    let plan = bench.pass();
    assert_eq!(promoted(&bench), ["a1", "a2"]);
    assert!(matches!(plan.next, Wake::Now { .. }));
    assert!(bench.freight("a1").status.verified_in.contains_key("prod"));
    bench.pass();
    assert_eq!(bench.current(), bench.promotions[1].metadata.name.as_deref());
}

#[test]
fn a_denial_is_told_and_asked_again_later() {
    let mut bench = bench(&["w1"]);
    bench.denial = Some("not on Fridays".to_owned());
    let plan = bench.pass();
    assert_eq!(plan.error, None);
    assert!(plan.events(&bench.world()).is_empty());
    let later = bench.now + std::time::Duration::from_mins(5);
    assert!(matches!(plan.next, Wake::At { time, .. } if time == later));
    let conditions = &bench.stage.status.conditions;
    assert_eq!(row(conditions, "Stalled"), "True/AutoPromotionDenied");
    assert!(
        condition::find(conditions, "Stalled").unwrap().message.ends_with("denied: not on Fridays")
    );
    let before = bench.stage.status.clone();
    bench.later(10);
    bench.pass();
    assert_eq!(bench.stage.status, before);
    bench.denial = None;
    bench.pass();
    assert_eq!(row(&bench.stage.status.conditions, "Stalled"), "");
    assert_eq!(promoted(&bench), ["a1"]);
}

#[test]
fn a_creation_that_fails_fails_the_pass() {
    let bench = bench(&["w1"]);
    let mut plan = bench.plan();
    let Effect::CreatePromotion(creation) = plan.effects[0].clone() else { panic!("a creation") };
    plan.creation_failed(&bench.world(), &creation, "no connection");
    assert_eq!(
        plan.error.as_deref(),
        Some("error promoting Freight \"a1\" from Warehouse/w1: no connection")
    );
    assert_eq!(row(&plan.status.conditions, "Ready"), "False/ReconcileError");
    assert_eq!(plan.status.observed_generation, 0);
}

#[test]
fn an_origin_without_its_warehouse_does_not_stop_the_others() {
    let mut bench = bench(&["w1", "w2"]);
    bench.add_freight("b1", "w2");
    bench.warehouses.remove("w1");
    bench.pass();
    assert_eq!(promoted(&bench), ["b1"]);
    assert_eq!(row(&bench.stage.status.conditions, "Stalled"), "True/WarehouseNotFound");
}

#[test]
fn a_policy_that_cannot_be_read_stops_only_what_happens_by_itself() {
    let mut bench = bench(&["w1"]);
    let hold = json!({"kargo.akuity.io/auto-promotion-hold": "Warehouse/w1"});
    let by_hand = bench.promote("a1", hold);
    bench.finish(&by_hand, Succeeded);
    bench.settle();
    bench.policy = Err(matches_name("regex:(", "prod").unwrap_err());
    bench.later(60);
    bench.add_freight("a2", "w1");
    bench.settle();
    let status = &bench.stage.status;
    assert_eq!(row(&status.conditions, "Stalled"), "True/PromotionPolicyInvalid");
    assert_eq!(row(&status.conditions, "Ready"), "True/Verified");
    assert!(status.auto_promotion_enabled && status.effective_auto_promotion_holds.len() == 1);
    assert_eq!(promoted(&bench), ["a1"]);
}

#[test]
fn time_alone_wakes_the_stage_when_freight_has_soaked() {
    let sources = json!({"stages": ["qa"], "requiredSoakTime": "1h"});
    let mut bench = Bench::with_spec(json!({
        "requestedFreight": [{"origin": origin("w1"), "sources": sources}],
        "promotionTemplate": {"spec": {"steps": [{"uses": "copy"}]}},
    }))
    .promoting_by_itself();
    let since = json!({"qa": {"since": "2026-01-10T11:30:00Z"}});
    bench.add_freight_with("a1", "w1", json!({"currentlyIn": since, "verifiedIn": {"qa": {}}}));
    let plan = bench.settle();
    let Wake::At { time, .. } = plan.next else { panic!("{:?}", plan.next) };
    assert_eq!(time.to_rfc3339_seconds(), "2026-01-10T12:30:00Z");
    bench.now = time;
    bench.pass();
    assert_eq!(promoted(&bench), ["a1"]);
}
