//! Passes of automatic promotion, as the documents tell them.

use std::collections::BTreeMap;

use api_kinds::origin::FreightOrigin;
use api_kinds::stage::AutoPromotionHold;
use api_kinds::{Freight, Promotion, Stage};
use core_clock::Time;
use serde_json::{Value, json};

use super::{HoldIntent, Pass, candidate_of, effective_holds, plan, prune_holds, settle_holds};
use crate::gate::PassingStages;

fn stage(sources: Value, status: Value) -> Stage {
    let request = json!({"origin": {"kind": "Warehouse", "name": "w1"}, "sources": sources});
    serde_json::from_value(json!({
        "metadata": {"name": "prod", "namespace": "demo"},
        "spec": {"requestedFreight": [request]},
        "status": status,
    }))
    .unwrap()
}

fn freight(name: &str, discovered_at: &str, status: Value) -> Freight {
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "demo"},
        "origin": {"kind": "Warehouse", "name": "w1"},
        "discoveredAt": discovered_at,
        "status": status,
    }))
    .unwrap()
}

fn promotion(name: &str, freight: &str, phase: &str, intent: Option<HoldIntent>) -> Promotion {
    let annotations: BTreeMap<&str, &str> =
        intent.into_iter().map(|intent| (intent.annotation(), "Warehouse/w1")).collect();
    serde_json::from_value(json!({
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"stage": "prod", "freight": freight},
        "status": {"phase": phase},
    }))
    .unwrap()
}

fn promoted(stage: &Stage, freight: &[&Freight], promotions: &[&Promotion]) -> Vec<String> {
    let holds = effective_holds(stage, true, promotions);
    let pass = Pass {
        stage,
        is_enabled: true,
        freight,
        promotions,
        holds: &holds,
        window: None,
        passing_stages: &PassingStages::new(),
        now: Time::default(),
    };
    let decisions = plan(&pass);
    decisions.iter().filter_map(|d| d.promotes()?.metadata.name.clone()).collect()
}

fn newer_and_older() -> (Freight, Freight) {
    let newer = freight("new", "2026-01-10T12:00:00Z", json!({}));
    (newer, freight("old", "2026-01-09T12:00:00Z", json!({})))
}

#[test]
fn the_newest_is_promoted_once() {
    let (newer, older) = newer_and_older();
    let stage = stage(json!({"direct": true}), json!({}));
    assert_eq!(promoted(&stage, &[&newer, &older], &[]), ["new"]);
    let pending = promotion("p1", "new", "Pending", None);
    assert_eq!(promoted(&stage, &[&newer, &older], &[&pending]), [""; 0]);
}

#[test]
fn a_failure_is_not_repeated_but_a_newer_piece_is_tried() {
    let (newer, older) = newer_and_older();
    let stage = stage(json!({"direct": true}), json!({"lastPromotion": {"name": "p1"}}));
    let failed = promotion("p1", "old", "Failed", None);
    assert_eq!(promoted(&stage, &[&older], &[&failed]), [""; 0]);
    assert_eq!(promoted(&stage, &[&newer, &older], &[&failed]), ["new"]);
}

#[test]
fn a_pin_counts_while_it_waits_and_is_lifted_by_promoting_the_pick() {
    let (newer, older) = newer_and_older();
    let stage = stage(json!({"direct": true}), json!({}));
    let pin = promotion("p1", "old", "Pending", Some(HoldIntent::of_choice("old", Some("new"))));
    assert_eq!(promoted(&stage, &[&newer, &older], &[&pin]), [""; 0]);
    let aborted = promotion("p1", "old", "Aborted", Some(HoldIntent::Hold));
    assert_eq!(promoted(&stage, &[&newer, &older], &[&aborted]), ["new"]);

    let mut holds = BTreeMap::new();
    settle_holds(&mut holds, &stage, &[&promotion("p1", "old", "Failed", Some(HoldIntent::Hold))]);
    assert_eq!(holds["Warehouse/w1"].freight_name, "old");
    let resume = HoldIntent::of_choice("new", Some("new"));
    let ended = [
        &promotion("p3", "new", "Errored", Some(resume)),
        &promotion("p2", "old", "Succeeded", Some(HoldIntent::Hold)),
    ];
    settle_holds(&mut holds, &stage, &ended);
    assert!(holds.is_empty());
}

#[test]
fn holds_on_origins_nobody_asks_for_go() {
    let stage = stage(json!({"direct": true}), json!({}));
    let mut holds = BTreeMap::new();
    holds.insert("Warehouse/w1".to_owned(), AutoPromotionHold::default());
    holds.insert("Warehouse/gone".to_owned(), AutoPromotionHold::default());
    prune_holds(&mut holds, &stage);
    assert_eq!(holds.into_keys().collect::<Vec<_>>(), ["Warehouse/w1"]);
}

#[test]
fn matching_the_stage_before_waits_while_it_changes_over() {
    let sources = json!({
        "stages": ["qa"], "autoPromotionOptions": {"selectionPolicy": "MatchUpstream"},
    });
    let stage = stage(sources, json!({}));
    let in_qa = json!({"verifiedIn": {"qa": {}}, "currentlyIn": {"qa": {}}});
    let was_in_qa = json!({"verifiedIn": {"qa": {}}});
    let old = freight("old", "2026-01-09T12:00:00Z", in_qa.clone());
    let new = freight("new", "2026-01-10T12:00:00Z", was_in_qa);
    assert_eq!(promoted(&stage, &[&old, &new], &[]), ["old"]);
    let new = freight("new", "2026-01-10T12:00:00Z", in_qa);
    assert_eq!(promoted(&stage, &[&old, &new], &[]), [""; 0]);
}

#[test]
fn of_two_seen_at_the_same_time_the_greater_name_is_picked() {
    let [a, b] = ["a", "b"].map(|name| freight(name, "2026-01-10T12:00:00Z", json!({})));
    let stage = stage(json!({"direct": true}), json!({}));
    let origin = FreightOrigin::warehouse("w1");
    for selectable in [[&a, &b], [&b, &a]] {
        let pick = candidate_of(&stage, &origin, &selectable).unwrap();
        assert_eq!(pick.metadata.name.as_deref(), Some("b"));
    }
    assert!(candidate_of(&stage, &FreightOrigin::warehouse("w2"), &[&a]).is_none());
}
