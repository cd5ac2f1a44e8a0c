//! The worked scenarios, as far as Stages decide them.

use api_kinds::promotion::PromotionPhase::{Failed, Succeeded};
use serde_json::json;

use super::bench::{Bench, row};
use crate::health::HealthFinding;
use crate::stage::RunView;

const HOLD: &str = "kargo.akuity.io/auto-promotion-hold";
const RESUME: &str = "kargo.akuity.io/auto-promotion-resume";

fn bench() -> Bench {
    let mut bench = Bench::new(&["w1"]).promoting_by_itself();
    bench.add_freight("a1", "w1");
    bench
}

/// Promotes by hand what the Stage does not, without it minding.
fn by_hand(bench: &mut Bench, freight: &str, annotations: serde_json::Value) -> String {
    let name = bench.promote(freight, annotations);
    bench.settle();
    name
}

#[test]
fn new_freight_is_promoted_by_itself_without_verification() {
    let mut bench = bench();
    bench.pass();
    let name = bench.current().unwrap().to_owned();
    assert_eq!(bench.health().map(ToString::to_string).as_deref(), Some("Unknown"));
    bench.later(5);
    bench.finish(&name, Succeeded);
    let plan = bench.pass();
    // One pass: noted, entered, healthy, verified, ready.
    assert_eq!((bench.last(), bench.current()), (Some(name.as_str()), None));
    let status = &bench.freight("a1").status;
    assert!(status.currently_in.contains_key("prod") && status.verified_in.contains_key("prod"));
    assert_eq!(row(&bench.stage.status.conditions, "Ready"), "True/Verified");
    assert_eq!(plan.effects.len(), 1);
    let reasons: Vec<&str> = plan.events(&bench.world()).iter().map(|event| event.reason).collect();
    assert_eq!(reasons, ["FreightVerificationSucceeded"]);
    let before = bench.stage.status.clone();
    bench.settle();
    assert_eq!(bench.stage.status, before);
}

#[test]
fn the_second_of_two_waits_until_the_first_is_verified() {
    let mut bench = Bench::new(&["w1"]).verifying();
    bench.add_freight("a1", "w1");
    bench.add_freight("a2", "w1");
    let [first, second] = ["a1", "a2"].map(|freight| bench.promote(freight, json!({})));
    bench.pass();
    bench.finish(&first, Succeeded);
    bench.settle();
    assert_eq!(bench.current(), None);
    let attempt = &bench.stage.status.freight_history[0].verification_history[0];
    let run = attempt.analysis_run.as_ref().unwrap().name.clone();
    let failed = RunView { phase: "Failed".to_owned(), ..RunView::default() };
    bench.runs.as_mut().unwrap().runs.insert(run, failed);
    bench.settle();
    assert_eq!(bench.current(), Some(second.as_str()));
}

#[test]
fn what_stays_progressing_is_overtaken_only_after_the_grace() {
    let mut bench = Bench::new(&["w1"]);
    bench.add_freight("a1", "w1");
    bench.add_freight("a2", "w1");
    let [first, second] = ["a1", "a2"].map(|freight| bench.promote(freight, json!({})));
    bench.pass();
    bench.update(&first, |promotion| {
        promotion.status.health_checks =
            serde_json::from_value(json!([{"uses": "probe"}])).unwrap();
    });
    bench.finish(&first, Succeeded);
    let status = api_kinds::health::HealthState::Progressing;
    let finding = HealthFinding { status, ..HealthFinding::default() };
    bench.findings.0.insert("probe".to_owned(), finding);
    bench.settle();
    assert_eq!(bench.current(), None);
    bench.later(300);
    bench.settle();
    assert_eq!(bench.current(), Some(second.as_str()));
    assert!(!bench.freight("a1").status.verified_in.contains_key("prod"));
}

#[test]
fn older_freight_promoted_by_hand_is_held_until_somebody_resumes() {
    let mut bench = bench();
    let resumed = by_hand(&mut bench, "a1", json!({RESUME: "Warehouse/w1"}));
    bench.finish(&resumed, Succeeded);
    bench.settle();
    bench.later(60);
    bench.add_freight("a2", "w1");
    bench.pass();
    let newer = bench.current().unwrap().to_owned();
    bench.finish(&newer, Succeeded);
    bench.settle();
    bench.later(60);
    let held = by_hand(&mut bench, "a1", json!({HOLD: "Warehouse/w1"}));
    assert_eq!(bench.stage.status.effective_auto_promotion_holds.len(), 1);
    bench.finish(&held, Succeeded);
    bench.later(60);
    bench.add_freight("a3", "w1");
    bench.settle();
    assert_eq!(
        (bench.history(), bench.current()),
        (vec!["a1".into(), "a2".into(), "a1".into()], None)
    );
    assert_eq!(bench.stage.status.auto_promotion_holds.len(), 1);
    let resumed = by_hand(&mut bench, "a3", json!({RESUME: "Warehouse/w1"}));
    bench.finish(&resumed, Failed);
    bench.settle();
    assert!(bench.stage.status.auto_promotion_holds.is_empty());
}

#[test]
fn freight_that_is_promoted_again_while_the_stage_holds_it_is_verified_again() {
    let mut bench = Bench::new(&["w1"]).verifying();
    bench.add_freight("a1", "w1");
    for _ in 0..2 {
        bench.later(60);
        let name = bench.promote("a1", json!({}));
        bench.settle();
        bench.finish(&name, Succeeded);
        bench.settle();
        let attempt = &bench.stage.status.freight_history[0].verification_history[0];
        assert_eq!(attempt.phase.as_str(), "Pending");
        let run = attempt.analysis_run.as_ref().unwrap().name.clone();
        let good = RunView { phase: "Successful".to_owned(), ..RunView::default() };
        bench.runs.as_mut().unwrap().runs.insert(run, good);
        bench.settle();
    }
    assert_eq!(bench.runs.as_ref().unwrap().runs.len(), 2);
}

#[test]
fn a_refresh_and_a_changed_spec_are_noted_by_every_pass() {
    let mut bench = bench();
    bench.pass();
    bench.annotate("kargo.akuity.io/refresh", "now");
    bench.stage.metadata.generation = Some(2);
    bench.pass();
    let status = &bench.stage.status;
    assert_eq!((status.last_handled_refresh.as_str(), status.observed_generation), ("now", 2));
    assert_eq!(row(&status.conditions, "Ready"), "False/ActivePromotion");
}
