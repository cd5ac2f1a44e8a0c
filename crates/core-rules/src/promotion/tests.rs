use std::time::Duration;

use api_kinds::{Freight, Promotion, Stage, promotion::PromotionPhase};
use core_clock::Time;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{admission::fixture::object, gate::PassingStages};

const CREATED: &str = "2026-01-01T00:00:00Z";

fn now() -> Time {
    "2026-01-01T00:00:10Z".parse().unwrap()
}

fn promotion(annotations: Value, status: Value) -> Promotion {
    object(
        "p1",
        json!({"metadata": {"annotations": annotations, "creationTimestamp": CREATED},
            "spec": {"stage": "dev", "freight": "f1"}, "status": status}),
    )
}

fn stage(current: Option<&str>) -> Stage {
    let current = current.map(|name| json!({"name": name}));
    object(
        "dev",
        json!({"spec": {"requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}]},
            "status": {"currentPromotion": current}}),
    )
}

fn freight(warehouse: &str) -> Freight {
    object("f1", json!({"origin": {"kind": "Warehouse", "name": warehouse}}))
}

/// A Promotion in its turn, with everything it needs.
struct Case {
    promotion: Promotion,
    stage: Option<Stage>,
    freight: Option<Freight>,
    is_running_here: bool,
}

impl Case {
    fn new(annotations: Value, status: Value) -> Self {
        Self {
            promotion: promotion(annotations, status),
            stage: Some(stage(Some("p1"))),
            freight: Some(freight("w")),
            is_running_here: false,
        }
    }

    fn with_stage(self, stage: Option<Stage>) -> Self {
        Self { stage, ..self }
    }

    fn with_freight(self, freight: Option<Freight>) -> Self {
        Self { freight, ..self }
    }

    fn here(self) -> Self {
        Self { is_running_here: true, ..self }
    }

    fn decision_at(&self, now: Time) -> Decision {
        decide(&Observation {
            promotion: &self.promotion,
            stage: self.stage.as_ref(),
            freight: self.freight.as_ref(),
            target: None,
            passing_stages: &PassingStages::default(),
            is_running_here: self.is_running_here,
            component: "promotion-controller",
            now,
        })
    }

    fn decision(&self) -> Decision {
        self.decision_at(now())
    }
}

fn running() -> Value {
    json!({"phase": "Running"})
}

#[test]
fn the_stage_says_whose_turn_it_is() {
    assert_eq!(Case::new(json!({}), json!({})).decision(), Decision::Start);
    assert_eq!(Case::new(json!({}), json!({"phase": "Pending"})).decision(), Decision::Start);
    assert_eq!(Case::new(json!({}), running()).decision(), Decision::Resume);
    assert_eq!(Case::new(json!({}), running()).here().decision(), Decision::Leave);
    let other = || Some(stage(Some("p0")));
    assert_eq!(Case::new(json!({}), running()).with_stage(other()).decision(), Decision::Leave);
    assert_eq!(Case::new(json!({}), json!({})).with_stage(None).decision(), Decision::Leave);
    let waits = Case::new(json!({}), json!({"phase": "Pending"})).with_stage(other());
    assert_eq!(waits.decision(), Decision::Leave);
}

#[test]
fn that_a_promotion_waits_is_written_once_it_is_certain() {
    let behind = Case::new(json!({}), json!({})).with_stage(Some(stage(Some("p0"))));
    let created: Time = CREATED.parse().unwrap();
    assert_eq!(behind.decision_at(created), Decision::Queue);
    let first = Case::new(json!({}), json!({})).with_stage(Some(stage(None)));
    assert_eq!(first.decision_at(created), Decision::LookAgain(Duration::from_secs(3)));
    let later = created + Duration::from_millis(2_500);
    assert_eq!(first.decision_at(later), Decision::LookAgain(Duration::from_millis(500)));
    assert_eq!(first.decision(), Decision::Queue);
}

#[test]
fn what_ended_or_goes_away_is_forgotten() {
    for phase in ["Succeeded", "Failed", "Errored", "Aborted"] {
        let case =
            Case::new(json!({"kargo.akuity.io/abort": "terminate"}), json!({"phase": phase}));
        assert_eq!(case.decision(), Decision::Forget, "{phase}");
    }
    let mut deleted = Case::new(json!({}), running()).here();
    crate::admission::fixture::delete(&mut deleted.promotion.metadata);
    assert_eq!(deleted.decision(), Decision::Forget);
}

#[test]
fn an_abort_ends_what_waits_and_what_runs_and_names_who_asked() {
    let request = json!({"kargo.akuity.io/abort": r#"{"action":"terminate","actor":"admin"}"#});
    let abort = |actor: &str| {
        let message = format!("Promotion terminated by {actor}");
        Decision::Abort(Abort { actor: actor.to_owned(), message })
    };
    let waits = Case::new(request.clone(), json!({})).with_stage(Some(stage(None)));
    assert_eq!(waits.decision(), abort("admin"));
    assert_eq!(Case::new(request, running()).here().decision(), abort("admin"));
    let plain = json!({"kargo.akuity.io/abort": "terminate"});
    let plain = Case::new(plain, running()).with_freight(None);
    assert_eq!(plain.decision(), abort("controller:promotion-controller"));
    let other = Case::new(json!({"kargo.akuity.io/abort": "pause"}), running());
    assert_eq!(other.decision(), Decision::Resume);
}

#[test]
fn a_refresh_wakes_what_runs_until_it_is_told_as_handled() {
    let token = json!({"kargo.akuity.io/refresh": "t1"});
    let case = Case::new(token.clone(), running()).here();
    assert_eq!(case.decision(), Decision::Wake("t1".into()));
    let told = json!({"phase": "Running", "lastHandledRefresh": "t1"});
    assert_eq!(Case::new(token, told).here().decision(), Decision::Leave);
}

#[test]
fn freight_that_is_gone_or_not_for_the_stage_is_refused_with_the_reason() {
    let gone = Case::new(json!({}), running()).with_freight(None);
    let text = r#"Freight "f1" not found in namespace "demo""#;
    assert_eq!(gone.decision(), Decision::Refuse(text.into()));
    let foreign = Case::new(json!({}), json!({})).with_freight(Some(freight("other")));
    let text = r#"Freight "f1" is not available to Stage "dev" in namespace "demo""#;
    assert_eq!(foreign.decision(), Decision::Refuse(text.into()));
    let mut lost = Case::new(json!({}), json!({}));
    lost.promotion.spec.target = "t1".into();
    let text = r#"Target "t1" not found in namespace "demo""#;
    assert_eq!(lost.decision(), Decision::Refuse(text.into()));
    let waits = Case::new(json!({}), json!({"phase": "Pending"})).with_freight(None);
    assert_eq!(waits.with_stage(Some(stage(Some("p0")))).decision(), Decision::Leave);
}

#[test]
fn ending_without_a_step_marks_the_step_that_was_under_way() {
    let status = promotion(
        json!({}),
        json!({"phase": "Running", "currentStep": 1, "stepExecutionMetadata": [
            {"alias": "a", "status": "Succeeded"}, {"alias": "b", "status": "Running"}]}),
    )
    .status;
    let aborted = ended(&status, PromotionPhase::Aborted, "why".into(), now());
    assert_eq!((aborted.phase.as_str(), aborted.message.as_str()), ("Aborted", "why"));
    let record = &aborted.step_execution_metadata[1];
    assert_eq!(record.status.as_str(), "Aborted");
    assert_eq!(record.finished_at, aborted.finished_at);
    let errored = ended(&status, PromotionPhase::Errored, "why".into(), now());
    assert_eq!(errored.step_execution_metadata[1].status.as_str(), "Running");
}

fn two_origins(held: Value) -> Stage {
    let request = |name: &str| json!({"origin": {"kind": "Warehouse", "name": name}, "sources": {"direct": true}});
    object(
        "dev",
        json!({"spec": {"requestedFreight": [request("w"), request("other")]},
            "status": {"freightHistory": [held]}}),
    )
}

fn held() -> Value {
    json!({"id": "x", "verificationHistory": [{"id": "v1", "phase": "Successful"}], "items": {
        "Warehouse/w": {"name": "old", "origin": {"kind": "Warehouse", "name": "w"}},
        "Warehouse/other": {"name": "o1", "origin": {"kind": "Warehouse", "name": "other"}},
        "Warehouse/unasked": {"name": "u1", "origin": {"kind": "Warehouse", "name": "unasked"}},
    }})
}

#[test]
fn other_origins_come_from_what_the_stage_holds_now() {
    let status =
        outset(&promotion(json!({}), json!({})), &two_origins(held()), &freight("w"), now());
    let collection = status.freight_collection.clone().unwrap();
    let names: Vec<_> = collection.freight.values().map(|piece| piece.name.as_str()).collect();
    assert_eq!(names, ["o1", "f1"]);
    assert!(collection.verification_history.is_empty());
    assert_eq!(status.phase, PromotionPhase::Running);
    assert!(status.started_at.is_some());

    let single = outset(&promotion(json!({}), json!({})), &stage(None), &freight("w"), now());
    assert_eq!(single.freight_collection.unwrap().freight.len(), 1);

    let written = promotion(json!({}), serde_json::to_value(&status).unwrap());
    let later = now() + Duration::from_mins(5);
    let resumed = outset(&written, &two_origins(json!({"id": "y"})), &freight("w"), later);
    assert_eq!(resumed, status, "what was written down stays");
}

#[test]
fn freight_that_the_stage_holds_already_is_verified_again() {
    let status = |phase: &str, name: &str| {
        promotion(json!({}), json!({"phase": phase, "freight": {"name": name}})).status
    };
    let stage = two_origins(held());
    let request = reverification(&status("Succeeded", "old"), &stage).unwrap();
    assert_eq!(request.to_annotation(), r#"{"id":"v1"}"#);
    assert_eq!(reverification(&status("Succeeded", "new"), &stage), None);
    assert_eq!(reverification(&status("Failed", "old"), &stage), None);
    let unverified = two_origins(json!({"id": "x", "items": {"Warehouse/w": {"name": "old"}}}));
    assert_eq!(reverification(&status("Succeeded", "old"), &unverified), None);
}

proptest! {
    /// Steps run only for a Promotion whose turn it is, that nobody wants aborted, and that does not run already.
    #[test]
    fn steps_run_only_when_nothing_speaks_against_it(
        phase in prop::sample::select(vec!["", "Pending", "Running", "Succeeded", "Failed", "Errored", "Aborted", "Odd"]),
        current in prop::sample::select(vec![None, Some("p0"), Some("p1")]),
        is_here in any::<bool>(),
        is_aborted in any::<bool>(),
        is_deleted in any::<bool>(),
        has_freight in any::<bool>(),
        age in 0_u64..10,
    ) {
        let annotations = if is_aborted { json!({"kargo.akuity.io/abort": "terminate"}) } else { json!({}) };
        let mut case = Case::new(annotations, json!({"phase": phase})).with_stage(Some(stage(current)));
        case.is_running_here = is_here;
        if !has_freight {
            case.freight = None;
        }
        if is_deleted {
            crate::admission::fixture::delete(&mut case.promotion.metadata);
        }
        let created: Time = CREATED.parse().unwrap();
        let decision = case.decision_at(created + Duration::from_secs(age));
        let is_over = is_deleted || PromotionPhase::from(phase).is_terminal();
        prop_assert_eq!(decision == Decision::Forget, is_over);
        prop_assert_eq!(matches!(decision, Decision::Abort(_)), is_aborted && !is_over);
        let may_run = !is_over && !is_aborted && !is_here && current == Some("p1");
        let runs = matches!(decision, Decision::Start | Decision::Resume);
        prop_assert_eq!(runs, may_run && has_freight);
        prop_assert_eq!(matches!(decision, Decision::Refuse(_)), may_run && !has_freight);
        prop_assert_eq!(decision == Decision::Resume, runs && phase == "Running");
        prop_assert!(decision != Decision::Queue || phase.is_empty());
    }
}
