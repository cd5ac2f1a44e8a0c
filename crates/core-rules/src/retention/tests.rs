//! What is in use, kind by kind, and that nothing in use ever goes.

use std::{collections::BTreeSet, time::Duration};

use api_kinds::{Freight, Promotion, PromotionRequest, Stage, Warehouse};
use core_clock::Time;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{AnalysisRun, Identity, Inventory, Limit, Policy, Reckoning};

const NOW: Time = Time::from_seconds(1_800_000_000);

fn ago(hours: u64) -> String {
    (NOW - Duration::from_hours(hours)).to_rfc3339_seconds()
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn stage(name: &str, spec: Value, status: Value) -> Stage {
    read(json!({"metadata": {"name": name}, "spec": spec, "status": status}))
}

fn freight(name: &str, hours: u64, status: Value) -> Freight {
    read(json!({
        "metadata": {"name": name, "creationTimestamp": ago(hours)},
        "origin": {"kind": "Warehouse", "name": "w"},
        "status": status,
    }))
}

fn promotion(name: &str, freight: &str, hours: u64, status: Value) -> Promotion {
    read(json!({
        "metadata": {"name": name, "creationTimestamp": ago(hours)},
        "spec": {"stage": "test", "freight": freight},
        "status": status,
    }))
}

fn succeeded(hours: u64) -> Value {
    json!({"phase": "Succeeded", "finishedAt": ago(hours)})
}

/// Keeps nothing that is not in use.
fn nothing_spared(reckoning: Reckoning) -> Policy {
    let limit = Limit { max: 0, min_age: Duration::ZERO };
    let policy = Policy::default();
    Policy { promotions: limit, freight: limit, analysis_runs: limit, reckoning, ..policy }
}

fn gone(inventory: &Inventory, policy: &Policy) -> Vec<String> {
    let plan = inventory.plan(policy, NOW);
    plan.iter().map(|gone| format!("{} {}", gone.kind.kind(), gone.identity.name)).collect()
}

/// A Stage that noticed everything that ended up to an hour ago.
fn quiet_stage() -> Stage {
    let last = json!({"name": "last", "finishedAt": ago(1)});
    stage("test", json!({}), json!({"lastPromotion": last}))
}

fn with_warehouse() -> Inventory {
    let mut inventory = Inventory::default();
    inventory.add_warehouse(&read::<Warehouse>(json!({"metadata": {"name": "w"}})));
    inventory
}

#[test]
fn freight_in_a_stage_stays_and_newer_unused_freight_goes() {
    let mut inventory = with_warehouse();
    let held = json!({"freightHistory": [
        {"id": "a", "items": {"Warehouse/w": {"name": "held"}}},
        {"id": "b", "items": {"Warehouse/w": {"name": "former"}}},
    ]});
    inventory.add_stage(&stage("test", json!({}), held));
    for (name, hours) in [("newest", 1), ("former", 2), ("held", 3), ("oldest", 4)] {
        inventory.add_freight(&freight(name, hours, json!({})));
    }
    assert_eq!(
        gone(&inventory, &nothing_spared(Reckoning::ByUse)),
        ["Freight newest", "Freight former", "Freight oldest"]
    );
    assert_eq!(gone(&inventory, &nothing_spared(Reckoning::ByPosition)), ["Freight oldest"]);
}

#[test]
fn freight_that_something_refers_to_stays() {
    let mut inventory = with_warehouse();
    let status = json!({
        "metadata": {"stableFreight": {"Warehouse/w": "stable"}},
        "currentPromotion": {"name": "p", "freight": {"name": "arriving"}},
        "lastPromotion": {"name": "o", "finishedAt": ago(5)},
    });
    inventory.add_stage(&stage("test", json!({}), status));
    inventory.add_promotion(&promotion("queued", "promoted", 1, json!({})));
    inventory.add_promotion(&promotion("unnoticed", "arrived", 9, succeeded(4)));
    inventory.add_promotion(&promotion("noticed", "passed", 9, succeeded(6)));
    let request = json!({"metadata": {"name": "r"}, "spec": {"stage": "test", "freight": "asked"}});
    inventory.add_promotion_request(&read::<PromotionRequest>(request));
    let names = ["stable", "arriving", "promoted", "arrived", "passed", "asked", "plain"];
    for name in names {
        inventory.add_freight(&freight(name, 9, json!({})));
    }
    let in_it = json!({"currentlyIn": {"test": {}}});
    inventory.add_freight(&freight("inside", 9, in_it));
    inventory.add_freight(&freight("left", 9, json!({"currentlyIn": {"deleted": {}}})));
    let plan = gone(&inventory, &nothing_spared(Reckoning::ByUse));
    let of_freight: Vec<_> = plan.iter().filter(|line| line.starts_with("Freight")).collect();
    assert_eq!(of_freight, ["Freight plain", "Freight passed", "Freight left"]);
}

#[test]
fn approved_and_named_freight_stays_when_asked_for() {
    let mut inventory = with_warehouse();
    inventory.add_stage(&quiet_stage());
    let named = Freight { alias: "the-good-one".into(), ..freight("named", 9, json!({})) };
    let alias = crate::freight::choose_alias("plain", |_| false);
    inventory.add_freight(&named);
    inventory.add_freight(&Freight { alias, ..freight("plain", 9, json!({})) });
    inventory.add_freight(&freight("approved", 9, json!({"approvedFor": {"test": {}}})));
    inventory.add_freight(&freight("void", 9, json!({"approvedFor": {"deleted": {}}})));
    let policy = nothing_spared(Reckoning::ByUse);
    assert_eq!(gone(&inventory, &policy).len(), 4);
    let policy = Policy { keep_aliased: true, ..policy };
    assert_eq!(gone(&inventory, &policy), ["Freight void", "Freight plain"]);
}

#[test]
fn freight_without_warehouse_goes_unless_a_stage_asks_for_it() {
    let policy = Policy { freight: Limit { max: 1, min_age: Duration::ZERO }, ..Policy::default() };
    let mut inventory = Inventory::default();
    for (name, hours) in [("a", 1), ("b", 2)] {
        inventory.add_freight(&freight(name, hours, json!({})));
    }
    assert_eq!(gone(&inventory, &policy), ["Freight a", "Freight b"]);
    let by_position = Policy { reckoning: Reckoning::ByPosition, ..policy };
    assert!(gone(&inventory, &by_position).is_empty());
    let asks = json!({"requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}}]});
    inventory.add_stage(&stage("test", asks, json!({})));
    assert_eq!(gone(&inventory, &policy), ["Freight b"]);
}

#[test]
fn discovery_counts_before_creation() {
    let mut inventory = with_warehouse();
    let mut found_long_ago = freight("f", 1, json!({}));
    found_long_ago.discovered_at = read(json!(ago(48)));
    inventory.add_freight(&found_long_ago);
    let limit = Limit { max: 0, min_age: Duration::from_hours(24) };
    assert_eq!(gone(&inventory, &Policy { freight: limit, ..Policy::default() }), ["Freight f"]);
}

#[test]
fn promotions_that_a_stage_or_request_refers_to_stay() {
    let mut inventory = Inventory::default();
    inventory.add_stage(&quiet_stage());
    let targets = json!([{"name": "eu", "promotion": "child"}]);
    inventory.add_promotion_request(&read::<PromotionRequest>(json!({
        "metadata": {"name": "r"}, "spec": {"stage": "test"},
        "status": {"phase": "Running", "targets": targets},
    })));
    for (name, hours) in [("last", 2), ("child", 3), ("done", 4)] {
        inventory.add_promotion(&promotion(name, "f", hours, succeeded(hours)));
    }
    inventory.add_promotion(&promotion("running", "f", 9, json!({"phase": "Running"})));
    inventory.add_promotion(&promotion("older", "f", 10, json!({"phase": "Aborted"})));
    assert_eq!(
        gone(&inventory, &nothing_spared(Reckoning::ByUse)),
        ["Promotion done", "Promotion older"]
    );
    assert_eq!(gone(&inventory, &nothing_spared(Reckoning::ByPosition)), ["Promotion older"]);
}

#[test]
fn finished_requests_and_runs_go_too_but_not_by_position() {
    let mut inventory = Inventory::default();
    let verified = json!([{"id": "v", "analysisRun": {"name": "shown"}}]);
    let status = json!({
        "lastPromotionRequest": {"name": "r1"},
        "freightHistory": [{"id": "a", "verificationHistory": verified}],
    });
    inventory.add_stage(&stage("test", json!({}), status));
    for (name, phase) in [("r1", "Succeeded"), ("r2", "Failed"), ("r3", "Running")] {
        inventory.add_promotion_request(&read::<PromotionRequest>(json!({
            "metadata": {"name": name, "creationTimestamp": ago(9)},
            "spec": {"stage": "test", "freight": "f"}, "status": {"phase": phase},
        })));
    }
    for (name, is_finished) in [("shown", true), ("done", true), ("running", false)] {
        inventory.add_analysis_run(AnalysisRun {
            identity: Identity { name: name.to_owned(), ..Identity::default() },
            stage: "test".to_owned(),
            created_at: Some(NOW - Duration::from_secs(9)),
            is_finished,
            is_going: false,
        });
    }
    let plan = gone(&inventory, &nothing_spared(Reckoning::ByUse));
    assert_eq!(plan, ["PromotionRequest r2", "AnalysisRun done"]);
    assert!(gone(&inventory, &nothing_spared(Reckoning::ByPosition)).is_empty());
}

#[test]
fn what_is_being_deleted_is_neither_deleted_again_nor_counted() {
    let mut inventory = Inventory::default();
    inventory.add_stage(&quiet_stage());
    let mut going = promotion("going", "f", 2, succeeded(2));
    going.metadata.deletion_timestamp = read(json!(ago(1)));
    inventory.add_promotion(&going);
    inventory.add_promotion(&promotion("kept", "f", 3, succeeded(3)));
    let limit = Limit { max: 1, min_age: Duration::ZERO };
    assert!(gone(&inventory, &Policy { promotions: limit, ..Policy::default() }).is_empty());
}

proptest! {
    #[test]
    fn nothing_in_use_goes_and_the_limit_is_kept(
        pieces in prop::collection::vec((0_u64..1000, any::<bool>(), any::<bool>()), 0..20),
        max in 0_usize..6,
        hours in 0_u64..500,
    ) {
        let mut inventory = with_warehouse();
        let name = |index: usize| format!("f{index}");
        let (mut items, mut used) = (serde_json::Map::new(), BTreeSet::new());
        for (index, &(age, is_held, is_moving)) in pieces.iter().enumerate() {
            inventory.add_freight(&freight(&name(index), age, json!({})));
            if is_held {
                items.insert(format!("Warehouse/w{index}"), json!({"name": name(index)}));
            }
            if is_moving {
                let moving = promotion(&format!("p{index}"), &name(index), age, json!({}));
                inventory.add_promotion(&moving);
            }
            if is_held || is_moving {
                used.insert(format!("Freight f{index}"));
            }
        }
        let history = json!({"freightHistory": [{"id": "a", "items": items}]});
        inventory.add_stage(&stage("test", json!({}), history));
        let limit = Limit { max, min_age: Duration::from_hours(hours) };
        let plan = gone(&inventory, &Policy { freight: limit, ..Policy::default() });
        prop_assert!(plan.iter().all(|line| !used.contains(line)));
        let unused = pieces.len() - used.len();
        prop_assert!(unused - plan.len() >= max.min(unused));
    }
}
