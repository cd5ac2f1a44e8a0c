//! The queue: what ended, whose turn it is, and holds.

use api_kinds::promotion::PromotionPhase::{Aborted, Errored, Failed, Succeeded};
use serde_json::{Value, json};

use super::bench::{Bench, row};
use crate::stage::Wake;

const HOLD: &str = "kargo.akuity.io/auto-promotion-hold";
const RESUME: &str = "kargo.akuity.io/auto-promotion-resume";

fn holds(bench: &Bench) -> Vec<&str> {
    bench.stage.status.auto_promotion_holds.keys().map(String::as_str).collect()
}

fn effective(bench: &Bench) -> Vec<&str> {
    bench.stage.status.effective_auto_promotion_holds.keys().map(String::as_str).collect()
}

fn with_freight(warehouses: &[&str]) -> Bench {
    let mut bench = Bench::new(warehouses);
    for (name, warehouse) in [("a1", "w1"), ("a2", "w1"), ("a3", "w1"), ("b1", "w2")] {
        bench.add_freight(name, warehouse);
    }
    bench
}

#[test]
fn the_oldest_that_waits_has_the_turn_and_keeps_it() {
    let mut bench = with_freight(&["w1"]);
    let first = bench.promote("a1", json!({}));
    let second = bench.promote("a2", json!({}));
    bench.pass();
    assert_eq!(bench.current(), Some(first.as_str()));
    let status = &bench.stage.status;
    assert_eq!(row(&status.conditions, "Promoting"), "True/ActivePromotion");
    assert_eq!(row(&status.conditions, "Ready"), "False/ActivePromotion");
    assert_eq!(row(&status.conditions, "Healthy"), "Unknown/ActivePromotion");
    let freight = status.current_promotion.as_ref().and_then(|current| current.freight.as_ref());
    assert_eq!(freight.map(|freight| freight.name.as_str()), Some("a1"));
    bench.finish(&first, Succeeded);
    bench.settle();
    assert_eq!((bench.last(), bench.current()), (Some(first.as_str()), Some(second.as_str())));
}

#[test]
fn one_that_runs_has_the_turn_even_when_the_stage_forgot() {
    let mut bench = with_freight(&["w1"]);
    bench.promote("a1", json!({}));
    let running = bench.promote("a2", json!({}));
    bench.run(&running);
    bench.pass();
    assert_eq!(bench.current(), Some(running.as_str()));
}

#[test]
fn one_that_is_deleted_gives_the_turn_away() {
    let mut bench = with_freight(&["w1"]);
    let first = bench.promote("a1", json!({}));
    let second = bench.promote("a2", json!({}));
    bench.pass();
    bench.update(&first, |promotion| {
        promotion.metadata.deletion_timestamp = promotion.metadata.creation_timestamp.clone();
    });
    bench.pass();
    assert_eq!(bench.current(), Some(second.as_str()));
    bench.promotions.clear();
    bench.pass();
    assert_eq!(bench.current(), None);
    assert_eq!(row(&bench.stage.status.conditions, "Promoting"), "");
}

#[test]
fn a_success_counts_whatever_ended_in_the_meantime() {
    let mut bench = with_freight(&["w1"]);
    let [first, second, third] = ["a1", "a2", "a3"].map(|name| bench.promote(name, json!({})));
    bench.pass();
    bench.later(10);
    bench.finish(&first, Succeeded);
    bench.later(1);
    bench.abort(&third);
    bench.settle();
    assert_eq!(bench.last(), Some(third.as_str()));
    assert_eq!(bench.current(), Some(second.as_str()));
    bench.later(10);
    bench.finish(&second, Succeeded);
    bench.settle();
    assert_eq!(bench.last(), Some(second.as_str()));
    assert_eq!(bench.history(), ["a2", "a1"]);
}

#[test]
fn what_is_taken_out_of_the_queue_hides_no_end_of_the_same_second() {
    let mut bench = with_freight(&["w1"]);
    let first = bench.promote("a1", json!({}));
    let second = bench.promote("a2", json!({}));
    bench.pass();
    bench.abort(&second);
    bench.pass();
    assert_eq!(bench.last(), Some(second.as_str()));
    bench.finish(&first, Succeeded);
    bench.settle();
    assert_eq!((bench.last(), bench.history()), (Some(first.as_str()), vec!["a1".to_owned()]));
    assert_eq!(row(&bench.stage.status.conditions, "Ready"), "True/Verified");
}

#[test]
fn what_had_the_turn_and_ended_before_the_last_is_news_all_the_same() {
    let mut bench = with_freight(&["w1"]);
    let first = bench.promote("a1", json!({}));
    let second = bench.promote("a2", json!({}));
    bench.pass();
    bench.later(10);
    bench.abort(&second);
    bench.pass();
    assert_eq!(bench.last(), Some(second.as_str()));
    // The clock went back.
    bench.now = bench.now - std::time::Duration::from_secs(20);
    bench.finish(&first, Succeeded);
    bench.settle();
    assert_eq!((bench.last(), bench.history()), (Some(second.as_str()), vec!["a1".to_owned()]));
    let before = bench.stage.status.clone();
    bench.settle();
    assert_eq!(bench.stage.status, before);
}

#[test]
fn a_failure_is_the_last_promotion_and_no_history() {
    for phase in [Failed, Errored, Aborted] {
        let mut bench = with_freight(&["w1"]);
        let name = bench.promote("a1", json!({}));
        bench.pass();
        bench.finish(&name, phase.clone());
        bench.settle();
        assert_eq!(bench.last(), Some(name.as_str()));
        assert!(bench.history().is_empty());
        let ready = format!("False/LastPromotion{phase}");
        assert_eq!(row(&bench.stage.status.conditions, "Ready"), ready);
    }
}

#[test]
fn an_aborted_promotion_that_never_began_keeps_the_other_origins() {
    let mut bench = with_freight(&["w1", "w2"]);
    for freight in ["a1", "b1"] {
        let name = bench.promote(freight, json!({}));
        bench.settle();
        bench.later(10);
        bench.finish(&name, Succeeded);
        bench.settle();
    }
    assert_eq!(bench.history(), ["a1+b1", "a1"]);
    let name = bench.promote("a2", json!({}));
    bench.later(10);
    bench.abort(&name);
    bench.settle();
    let last = bench.stage.status.last_promotion.as_ref().unwrap();
    let kept = last.status.as_ref().unwrap().freight_collection.as_ref().unwrap();
    assert_eq!(kept.freight.len(), 2);
    assert!(kept.verification_history.is_empty());
    assert_eq!(bench.stage.status.freight_summary, "2/2 Fulfilled");
}

#[test]
fn promotions_that_the_stage_does_not_know_are_caught_up_with_in_order() {
    let mut bench = with_freight(&["w1"]);
    let [first, second] = ["a1", "a2"].map(|name| bench.promote(name, json!({})));
    bench.finish(&second, Succeeded);
    bench.later(10);
    bench.finish(&first, Succeeded);
    bench.settle();
    assert_eq!(bench.history(), ["a1", "a2"]);
}

#[test]
fn every_end_but_an_abort_settles_what_was_meant() {
    for (phase, annotations, expected) in [
        (Succeeded, json!({HOLD: "Warehouse/w1"}), vec!["Warehouse/w1"]),
        (Failed, json!({HOLD: "Warehouse/w1"}), vec!["Warehouse/w1"]),
        (Aborted, json!({HOLD: "Warehouse/w1"}), vec![]),
        (Succeeded, json!({HOLD: "Warehouse/other"}), vec![]),
        (Succeeded, json!({HOLD: "nonsense"}), vec![]),
    ] {
        let mut bench = with_freight(&["w1"]).promoting_by_itself();
        bench.freight.truncate(1);
        let name = bench.promote("a1", annotations);
        bench.pass();
        bench.finish(&name, phase);
        bench.pass();
        assert_eq!(holds(&bench), expected);
    }
}

fn ended(bench: &mut Bench, freight: &str, annotations: Value) {
    let name = bench.promote(freight, annotations);
    bench.later(1);
    bench.finish(&name, Failed);
}

#[test]
fn the_later_intent_wins_and_origins_do_not_mind_each_other() {
    let mut bench = with_freight(&["w1", "w2"]).promoting_by_itself();
    ended(&mut bench, "a1", json!({HOLD: "Warehouse/w1"}));
    ended(&mut bench, "b1", json!({HOLD: "Warehouse/w2"}));
    ended(&mut bench, "a2", json!({RESUME: "Warehouse/w1"}));
    bench.pass();
    assert_eq!(holds(&bench), ["Warehouse/w2"]);
    ended(&mut bench, "b1", json!({RESUME: "Warehouse/w2"}));
    ended(&mut bench, "b1", json!({HOLD: "Warehouse/w2"}));
    bench.pass();
    assert_eq!(holds(&bench), ["Warehouse/w2"]);
    // It survives the Promotion behind it, and goes with the policy.
    bench.promotions.clear();
    bench.pass();
    assert_eq!(effective(&bench), ["Warehouse/w2"]);
    bench.policy = Ok(false);
    bench.pass();
    assert!(holds(&bench).is_empty() && effective(&bench).is_empty());
}

#[test]
fn a_hold_on_an_origin_that_is_no_longer_asked_for_goes() {
    let mut bench = with_freight(&["w1", "w2"]).promoting_by_itself();
    ended(&mut bench, "b1", json!({HOLD: "Warehouse/w2"}));
    bench.pass();
    bench.promotions.clear();
    bench.stage.spec.requested_freight.pop();
    bench.pass();
    assert!(holds(&bench).is_empty() && effective(&bench).is_empty());
}

#[test]
fn a_hold_counts_while_its_promotion_waits_and_after_a_later_one_was_aborted() {
    let mut bench = with_freight(&["w1"]).promoting_by_itself();
    let pinned = bench.promote("a1", json!({HOLD: "Warehouse/w1"}));
    bench.pass();
    assert_eq!((effective(&bench), holds(&bench)), (vec!["Warehouse/w1"], vec![]));
    bench.run(&pinned);
    let later = bench.promote("a2", json!({}));
    bench.later(1);
    bench.abort(&later);
    bench.pass();
    assert_eq!(bench.last(), Some(later.as_str()));
    assert_eq!(effective(&bench), ["Warehouse/w1"]);
    assert_eq!(bench.promotions.len(), 2);
}

#[test]
fn an_automatic_promotion_under_way_is_not_touched_by_a_hold() {
    let mut bench = with_freight(&["w1"]).promoting_by_itself();
    bench.pass();
    let automatic = bench.current().unwrap().to_owned();
    bench.promote("a1", json!({HOLD: "Warehouse/w1"}));
    bench.pass();
    assert_eq!(bench.current(), Some(automatic.as_str()));
    assert_eq!(effective(&bench), ["Warehouse/w1"]);
}

#[test]
fn the_next_one_waits_for_health_for_a_while_and_no_longer() {
    let mut bench = with_freight(&["w1"]);
    let [first, second] = ["a1", "a2"].map(|name| bench.promote(name, json!({})));
    bench.pass();
    bench.update(&first, |promotion| {
        promotion.status.health_checks = serde_json::from_value(json!([{"uses": "slow"}])).unwrap();
    });
    bench.finish(&first, Succeeded);
    let plan = bench.settle();
    assert_eq!(bench.current(), None);
    let until = bench.now + bench.settings.verification_grace;
    assert!(matches!(plan.next, Wake::At { time, .. } if time == until));
    bench.now = until;
    bench.settle();
    assert_eq!(bench.current(), Some(second.as_str()));
}

#[test]
fn nobody_begins_while_the_window_is_closed() {
    let mut bench = with_freight(&["w1"]);
    let opens = json!({"closed": true, "reason": "night", "nextOpen": "2026-01-11T06:00:00Z"});
    bench.window = Some(serde_json::from_value(opens).unwrap());
    bench.promote("a1", json!({}));
    let plan = bench.pass();
    assert_eq!(bench.current(), None);
    let opens = "2026-01-11T06:00:00Z".parse().unwrap();
    assert!(matches!(plan.next, Wake::At { time, .. } if time == opens));
    assert!(bench.stage.status.promotion_window_status.is_some());
}
