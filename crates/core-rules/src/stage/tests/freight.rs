//! What Freight says about the Stage.

use api_kinds::Duration;
use api_kinds::promotion::PromotionPhase::Succeeded;
use serde_json::json;

use super::bench::{Bench, row};
use crate::condition;

fn promoted(bench: &mut Bench, freight: &str) {
    let name = bench.promote(freight, json!({}));
    bench.settle();
    bench.finish(&name, Succeeded);
    bench.settle();
}

#[test]
fn freight_enters_is_verified_and_leaves_with_its_longest_stay() {
    let mut bench = Bench::new(&["w1"]);
    bench.add_freight("a1", "w1");
    bench.add_freight("a2", "w1");
    promoted(&mut bench, "a1");
    assert!(bench.freight("a1").status.currently_in.contains_key("prod"));
    assert!(bench.freight("a1").status.verified_in.contains_key("prod"));
    bench.later(3600);
    promoted(&mut bench, "a2");
    let status = &bench.freight("a1").status;
    assert!(!status.currently_in.contains_key("prod"));
    let soak = status.verified_in["prod"].longest_completed_soak;
    assert_eq!(soak, Some(Duration::from_secs(3600)));
    assert!(bench.freight("a2").status.currently_in.contains_key("prod"));
}

#[test]
fn what_left_unverified_or_without_a_beginning_records_nothing() {
    let mut bench = Bench::new(&["w1"]);
    bench.add_freight_with(
        "a1",
        "w1",
        json!({"currentlyIn": {"prod": {"since": "2026-01-10T11:00:00Z"}}}),
    );
    bench.add_freight_with(
        "a2",
        "w1",
        json!({"currentlyIn": {"prod": {}}, "verifiedIn": {"prod": {}}}),
    );
    bench.pass();
    assert!(bench.freight("a1").status.verified_in.is_empty());
    assert!(bench.freight("a1").status.currently_in.is_empty());
    assert!(bench.freight("a2").status.currently_in.is_empty());
    assert_eq!(bench.freight("a2").status.verified_in["prod"].longest_completed_soak, None);
}

#[test]
fn freight_that_was_deleted_degrades_its_origin_only() {
    let mut bench = Bench::new(&["w1", "w2"]);
    bench.add_freight("a1", "w1");
    bench.add_freight("b1", "w2");
    promoted(&mut bench, "a1");
    bench.later(1);
    let name = bench.promote("b1", json!({}));
    bench.settle();
    bench.finish(&name, Succeeded);
    bench.freight.remove(0);
    bench.settle();
    assert!(bench.freight("b1").status.verified_in.contains_key("prod"));
    let conditions = &bench.stage.status.conditions;
    assert_eq!(row(conditions, "Stalled"), "True/FreightNotFound");
    let message = &condition::find(conditions, "Stalled").unwrap().message;
    assert!(message.contains("\"a1\"") && message.contains("Warehouse/w1"), "{message}");
    assert_eq!(row(conditions, "Ready"), "True/Verified");
}

#[test]
fn the_annotation_for_applications_follows_the_last_success() {
    let mut bench = Bench::new(&["w1"]);
    bench.add_freight("a1", "w1");
    bench.add_freight("a2", "w1");
    let name = bench.promote("a1", json!({}));
    bench.update(&name, |promotion| {
        let checks = json!([{"uses": "argocd-update", "config": {"apps": [{"name": "app"}]}}]);
        promotion.status.health_checks = serde_json::from_value(checks).unwrap();
    });
    bench.finish(&name, Succeeded);
    bench.settle();
    let context = |bench: &Bench| {
        let annotations = bench.stage.metadata.annotations.clone().unwrap_or_default();
        annotations.get("kargo.akuity.io/argocd-context").cloned()
    };
    assert_eq!(context(&bench).as_deref(), Some(r#"[{"name":"app","namespace":""}]"#));
    bench.later(600);
    promoted(&mut bench, "a2");
    assert_eq!(context(&bench), None);
}
