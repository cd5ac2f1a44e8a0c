//! Stages that only pass Freight on.

use api_kinds::promotion::PromotionPhase::Succeeded;
use serde_json::json;

use super::bench::{Bench, origin, row};
use crate::stage::Wake;

fn bench(sources: serde_json::Value) -> Bench {
    let requests = json!([{"origin": origin("w1"), "sources": sources}]);
    Bench::with_spec(json!({"requestedFreight": requests}))
}

#[test]
fn what_is_available_is_verified_and_told_once() {
    let mut bench = bench(json!({"stages": ["qa"]}));
    bench.add_freight_with("a1", "w1", json!({"verifiedIn": {"qa": {}}}));
    bench.add_freight("a2", "w1");
    let plan = bench.pass();
    let events = plan.events(&bench.world());
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].reason, events[0].name.as_str()), ("FreightVerificationSucceeded", "a1"));
    assert!(bench.freight("a1").status.verified_in.contains_key("prod"));
    assert!(!bench.freight("a2").status.verified_in.contains_key("prod"));
    let status = &bench.stage.status;
    assert_eq!((status.freight_summary.as_str(), status.observed_generation), ("N/A", 1));
    assert_eq!(row(&status.conditions, "Ready"), "True/Ready");
    assert!(bench.pass().events(&bench.world()).is_empty());
}

#[test]
fn soak_wakes_it_too() {
    let mut bench = bench(json!({"stages": ["qa"], "requiredSoakTime": "1h"}));
    bench.passing_stages.insert("qa".to_owned());
    let verified = json!({"verifiedIn": {"qa": {"verifiedAt": "2026-01-10T11:30:00Z"}}});
    bench.add_freight_with("a1", "w1", verified);
    let plan = bench.pass();
    let expected = "2026-01-10T12:30:00Z".parse().unwrap();
    assert!(matches!(plan.next, Wake::At { time, .. } if time == expected));
}

#[test]
fn a_failure_to_mark_freight_is_told() {
    let mut bench = bench(json!({"direct": true}));
    bench.add_freight("a1", "w1");
    let mut plan = bench.plan();
    plan.passing_failed(&bench.world(), 1, "no");
    assert_eq!(plan.error.as_deref(), Some("failed to verify 1 Freight: no"));
    assert_eq!(row(&plan.status.conditions, "Ready"), "False/FreightVerificationFailed");
    let reconciling = "True/RetryAfterVerificationFailed";
    assert_eq!(row(&plan.status.conditions, "Reconciling"), reconciling);
}

#[test]
fn a_missing_warehouse_is_told_and_passes_nothing_on() {
    let mut bench = bench(json!({"direct": true}));
    bench.add_freight("a1", "w1");
    bench.warehouses.clear();
    bench.pass();
    assert!(bench.freight("a1").status.verified_in.is_empty());
    assert_eq!(row(&bench.stage.status.conditions, "Stalled"), "True/WarehouseNotFound");
}

#[test]
fn a_stage_that_loses_its_steps_keeps_nothing_and_comes_back_to_what_it_had() {
    let mut bench = Bench::new(&["w1"]).promoting_by_itself();
    bench.add_freight("a1", "w1");
    let hold = json!({"kargo.akuity.io/auto-promotion-hold": "Warehouse/w1"});
    let name = bench.promote("a1", hold);
    bench.update(&name, |promotion| {
        let checks = json!([{"uses": "argocd-update", "config": {"apps": [{"name": "app"}]}}]);
        promotion.status.health_checks = serde_json::from_value(checks).unwrap();
    });
    bench.finish(&name, Succeeded);
    bench.settle();
    assert!(bench.freight("a1").status.currently_in.contains_key("prod"));
    let template = bench.stage.spec.promotion_template.take();
    bench.settle();
    let status = &bench.stage.status;
    assert!(status.freight_history.is_empty() && status.last_promotion.is_none());
    assert!(status.auto_promotion_holds.is_empty());
    assert!(status.effective_auto_promotion_holds.is_empty());
    assert_eq!((&status.health, status.auto_promotion_enabled), (&None, false));
    let kinds: Vec<&str> = status.conditions.iter().map(|row| row.r#type.as_str()).collect();
    assert_eq!(kinds, ["Ready"]);
    assert!(bench.freight("a1").status.currently_in.is_empty());
    assert_eq!(bench.stage.metadata.annotations, Some(std::collections::BTreeMap::new()));
    // The Promotions are still there and say what it holds.
    bench.stage.spec.promotion_template = template;
    bench.settle();
    assert_eq!(bench.history(), ["a1"]);
}
