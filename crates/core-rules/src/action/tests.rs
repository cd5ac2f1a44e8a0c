use api_kinds::{Freight, Promotion, Stage, Target};
use api_rest::body::{DownstreamPromotions, PromoteDownstream, PromoteToStage};
use core_clock::Time;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;
use crate::fault::{Fault, message};
use crate::gate::{Arrival, PassingStages};
use crate::ulid::Ulid;

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn now() -> Time {
    "2026-01-10T12:00:00Z".parse().unwrap()
}

fn id() -> Ulid {
    Ulid::from_parts(1, 1)
}

fn freight(status: Value) -> Freight {
    read(json!({
        "metadata": {"name": "abcdef1234", "namespace": "demo"},
        "origin": {"kind": "Warehouse", "name": "w"},
        "status": status,
    }))
}

/// A Stage behind others, or directly behind the Warehouse.
fn stage(name: &str, behind: &[&str], mut spec: Value) -> Stage {
    let sources =
        if behind.is_empty() { json!({"direct": true}) } else { json!({"stages": behind}) };
    spec["requestedFreight"] =
        json!([{"origin": {"kind": "Warehouse", "name": "w"}, "sources": sources}]);
    if spec.get("promotionTemplate").is_none() {
        spec["promotionTemplate"] = json!({"spec": {"steps": [{"uses": "copy"}]}});
    }
    read(json!({"metadata": {"name": name, "namespace": "demo", "uid": "u"}, "spec": spec}))
}

fn refused<T: std::fmt::Debug>(result: Result<T, ActionError>) -> (u16, String) {
    let error = result.unwrap_err();
    (error.class().code(), error.to_string())
}

fn promote(freight: &Freight, stage: &Stage, targets: &[Target]) -> Result<Created, ActionError> {
    let passing_stages = &PassingStages::new();
    let arrival = Arrival { freight, stage, passing_stages, now: now() };
    promote_freight(&arrival, targets, id(), "email:a")
}

#[test]
fn one_thing_is_promoted() {
    let choice = |request: Value| -> Result<String, ActionError> {
        let request: PromoteToStage = read(request);
        FreightChoice::of(&request).map(|choice| format!("{choice:?}"))
    };
    assert_eq!(choice(json!({"freight": "f"})).unwrap(), r#"Name("f")"#);
    assert_eq!(choice(json!({"freightAlias": "a"})).unwrap(), r#"Alias("a")"#);
    assert_eq!(choice(json!({"origin": "o"})).unwrap(), r#"Origin("o")"#);
    for request in [json!({}), json!({"freight": "f", "origin": "o"})] {
        assert_eq!(
            refused(choice(request)),
            (400, "exactly one of freight, freightAlias, or origin must be provided".to_owned())
        );
    }
    let request: PromoteDownstream = read(json!({"freight": "f", "freightAlias": "a"}));
    assert_eq!(
        refused(FreightChoice::of_downstream(&request)),
        (400, "exactly one of freight or freightAlias must be provided".to_owned())
    );
}

#[test]
fn what_is_not_found_is_told() {
    let told = |error: ActionError| refused(Err::<(), _>(error));
    assert_eq!(
        told(FreightChoice::Name("f").not_found("demo")),
        (404, r#"Freight "f" not found in project "demo""#.to_owned())
    );
    assert_eq!(
        told(FreightChoice::Alias("a").not_found("demo")),
        (404, r#"Freight with alias "a" not found in project "demo""#.to_owned())
    );
    let stage = ActionError::StageNotFound { stage: "s".into(), project: "demo".into() };
    assert_eq!(told(stage), (404, r#"Stage "s" not found in project "demo""#.to_owned()));
}

#[test]
fn a_promotion_names_stage_freight_and_creator() {
    let created = promote(&freight(json!({})), &stage("test", &[], json!({})), &[]).unwrap();
    let Created::Promotion(promotion) = created else { panic!("{created:?}") };
    assert_eq!(promotion.metadata.generate_name.as_deref(), Some("promo-"));
    assert_eq!(promotion.metadata.name, None);
    assert_eq!((&*promotion.spec.stage, &*promotion.spec.freight), ("test", "abcdef1234"));
    let annotations = promotion.metadata.annotations.clone().unwrap();
    assert_eq!(annotations["kargo.akuity.io/create-actor"], "email:a");
    let event = promotion_event(&promotion, None, "email:a", "argocd", now());
    assert_eq!(event.message, r#"Promotion created for Stage "test" by "email:a""#);
    assert_eq!((event.reason, &*event.component), ("PromotionCreated", "api"));
}

#[test]
fn only_available_freight_is_promoted() {
    let behind = stage("prod", &["test"], json!({}));
    let unavailable = (400, r#"Freight "abcdef1234" is not available to Stage "prod""#.to_owned());
    assert_eq!(refused(promote(&freight(json!({})), &behind, &[])), unavailable);
    for status in [json!({"verifiedIn": {"test": {}}}), json!({"approvedFor": {"prod": {}}})] {
        assert!(promote(&freight(status), &behind, &[]).is_ok());
    }
}

#[test]
fn a_stage_with_targets_gets_a_request_for_them() {
    let stage = stage("prod", &[], json!({"targets": {"selectors": [{}]}, "shard": "eu"}));
    let target =
        |name: &str| -> Target { read(json!({"metadata": {"name": name, "namespace": "demo"}})) };
    let targets = [target("b"), target("a")];
    let created = promote(&freight(json!({})), &stage, &targets).unwrap();
    let Created::Request(request) = created else { panic!("{created:?}") };
    let name = request.metadata.name.clone().unwrap();
    assert!(name.starts_with("prod.") && name.ends_with(".abcdef1"), "{name}");
    let labels = request.metadata.labels.clone().unwrap();
    assert_eq!(labels["kargo.akuity.io/stage"], "prod");
    assert_eq!(labels["kargo.akuity.io/shard"], "eu");
    let owner = &request.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!((owner.kind.as_str(), owner.controller), ("Stage", Some(true)));
    let annotations = request.metadata.annotations.clone().unwrap();
    assert_eq!(annotations["kargo.akuity.io/create-actor"], "email:a");
    let wire = serde_json::to_value(&request).unwrap();
    assert_eq!(wire["spec"]["targets"], json!([{"name": "a"}, {"name": "b"}]));
    let none = promote(&freight(json!({})), &stage, &[]).unwrap();
    let Created::Request(request) = none else { panic!("{none:?}") };
    assert_eq!(serde_json::to_value(&request).unwrap()["spec"]["targets"], json!([]));
}

#[test]
fn promotion_by_origin_leaves_the_choice_to_admission() {
    let plain = stage("test", &[], json!({}));
    let promotion = promote_origin(&plain, "Warehouse/w", "admin").unwrap();
    assert_eq!(promotion.spec.freight, "");
    assert_eq!(promotion.spec.origin.unwrap().name, "w");
    for origin in ["w", "Warehouse/", "Warehouse/a/b", "Stage/w"] {
        let error = promote_origin(&plain, origin, "admin").unwrap_err();
        assert_eq!(error.class().code(), 400);
        let text = message(&error);
        assert!(text.starts_with(&format!("invalid origin {origin:?}: ")), "{text}");
    }
    let selecting = stage("test", &[], json!({"targets": {"selectors": []}}));
    assert_eq!(
        refused(promote_origin(&selecting, "Warehouse/w", "admin")),
        (
            400,
            r#"promotion by origin is not supported for Stage "test", which selects Targets"#
                .to_owned()
        )
    );
}

#[test]
fn everything_behind_a_stage_is_promoted_to_or_nothing() {
    let passing = json!({"promotionTemplate": {"spec": {}}});
    let stages = [
        stage("z", &["test"], json!({})),
        stage("a", &["other", "test"], json!({})),
        stage("pass", &["test"], passing),
        stage("far", &["a"], json!({})),
    ];
    let verified = freight(json!({"verifiedIn": {"test": {}}}));
    let behind = downstreams("test", &verified, &stages).unwrap();
    let names: Vec<&str> = behind.iter().filter_map(|s| s.metadata.name.as_deref()).collect();
    assert_eq!(names, ["a", "pass", "z"]);
    assert_eq!(
        refused(downstreams("far", &verified, &stages)),
        (404, r#"Stage "far" has no downstream stages"#.to_owned())
    );
    let plan = |freight: &Freight| {
        let passing = PassingStages::new();
        let plan = promote_downstream(freight, &behind, &[], &passing, ("admin", now()), id)?;
        let names = plan.iter().filter_map(|(stage, _)| stage.metadata.name.clone());
        Ok(names.collect::<Vec<_>>())
    };
    assert_eq!(plan(&verified).unwrap(), ["a", "z"]);
    assert_eq!(
        refused(plan(&freight(json!({})))),
        (400, r#"Freight "abcdef1234" is not available to downstream Stage "a""#.to_owned())
    );
}

#[test]
fn a_downstream_answer_tells_what_failed() {
    let mut answer = DownstreamPromotions::default();
    assert_eq!(downstream_code(&answer), 201);
    add_downstream_error(&mut answer, "one");
    add_downstream_error(&mut answer, "two");
    assert_eq!((downstream_code(&answer), answer.errors.as_str()), (207, "one\ntwo"));
}

#[test]
fn freight_is_approved_once_for_a_stage_that_asks_for_it() {
    let prod = stage("prod", &["test"], json!({}));
    let approval = approve(&freight(json!({})), &prod, "admin", now()).unwrap().unwrap();
    let approved = json!({"approvedAt": "2026-01-10T12:00:00Z"});
    assert_eq!(approval.patch, json!({"status": {"approvedFor": {"prod": approved}}}));
    assert_eq!(approval.event.message, r#"Freight approved for Stage "prod" by "admin""#);
    assert_eq!(approval.event.component, "api");
    let approved = freight(json!({"approvedFor": {"prod": {}}}));
    assert_eq!(approve(&approved, &prod, "admin", now()), Ok(None));
    let mut other = freight(json!({}));
    other.origin.name = "v".into();
    assert_eq!(
        refused(approve(&other, &prod, "admin", now())),
        (400, r#"Stage "prod" does not request Freight from origin "Warehouse/v""#.to_owned())
    );
}

#[test]
fn a_stage_is_refreshed_with_what_it_is_doing() {
    let mut stage = stage("test", &[], json!({}));
    let plan = refresh_stage(&stage, now());
    let annotations = json!({"kargo.akuity.io/refresh": "2026-01-10T12:00:00Z"});
    assert_eq!(plan.patch, json!({"metadata": {"annotations": annotations}}));
    assert_eq!(plan.promotion, None);
    stage.status.current_promotion = Some(read(json!({"name": "p"})));
    assert_eq!(refresh_stage(&stage, now()).promotion.as_deref(), Some("p"));
}

#[test]
fn only_what_has_not_ended_is_aborted() {
    let promotion = |phase: &str| -> Promotion { read(json!({"status": {"phase": phase}})) };
    let abort = abort_promotion(&promotion("Running"), "email:a").unwrap();
    assert_eq!(
        abort["metadata"]["annotations"]["kargo.akuity.io/abort"],
        r#"{"action":"terminate","actor":"email:a"}"#
    );
    assert!(abort_promotion(&promotion(""), "a").is_some());
    for phase in ["Succeeded", "Failed", "Errored", "Aborted"] {
        assert_eq!(abort_promotion(&promotion(phase), "a"), None, "{phase}");
    }
}

#[test]
fn a_verification_is_asked_about_by_its_id() {
    let stage = |history: Value| -> Stage { read(json!({"status": {"freightHistory": history}})) };
    let verified = |verifications: Value| {
        stage(
            json!([{"id": "c", "items": {"Warehouse/w": {"name": "f"}}, "verificationHistory": verifications}]),
        )
    };
    for (stage, message) in [
        (stage(json!([])), "stage has no current freight"),
        (stage(json!([{"id": "c"}])), "stage has no current freight"),
        (verified(json!([])), "stage has no current verification info"),
        (verified(json!([{"phase": "Running"}])), "current stage verification info has no ID"),
    ] {
        assert_eq!(refused(reverify(&stage, "a")), (409, message.to_owned()));
        assert_eq!(refused(abort_verification(&stage, "a")).1, message);
    }
    let running = verified(json!([{"id": "v", "phase": "Running"}, {"id": "u"}]));
    let request = r#"{"id":"v","actor":"admin"}"#;
    let patch = reverify(&running, "admin").unwrap();
    assert_eq!(patch["metadata"]["annotations"]["kargo.akuity.io/reverify"], request);
    let patch = abort_verification(&running, "admin").unwrap().unwrap();
    assert_eq!(patch["metadata"]["annotations"]["kargo.akuity.io/abort"], request);
    let ended = verified(json!([{"id": "v", "phase": "Failed"}]));
    assert_eq!(abort_verification(&ended, "admin"), Ok(None));
}
