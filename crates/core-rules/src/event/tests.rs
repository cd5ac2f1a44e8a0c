use api_kinds::{Freight, Promotion, Stage, origin::FreightOrigin, verification::VerificationInfo};
use core_clock::Time;
use serde_json::json;

use super::*;
use crate::admission::fixture::object;

fn teller() -> Teller<'static> {
    Teller {
        component: "promotion-controller",
        argocd_namespace: "argocd",
        now: Time::from_seconds(1_767_323_045),
    }
}

fn payload<'a>(event: &'a Event, suffix: &str) -> Option<&'a str> {
    event.annotations.get(&format!("event.kargo.akuity.io/{suffix}")).map(String::as_str)
}

fn lines(event: &Event) -> Vec<String> {
    let lines = event.annotations.iter().map(|(key, value)| {
        format!("{}={value}", key.trim_start_matches("event.kargo.akuity.io/"))
    });
    lines.collect()
}

fn freight() -> Freight {
    object(
        "f1",
        json!({"alias": "quiet-otter", "origin": {"kind": "Warehouse", "name": "w"}, "discoveredAt": "2026-01-02T03:04:05Z",
            "images": [{"repoURL": "x", "tag": "1"}]}),
    )
}

fn promotion(status: serde_json::Value) -> Promotion {
    object(
        "p",
        json!({"metadata": {"annotations": {"kargo.akuity.io/create-actor": "email:x"}},
            "spec": {"stage": "prod", "freight": "f1"}, "status": status}),
    )
}

#[test]
fn an_approval_names_freight_stage_and_actor() {
    let event = freight_approved(&freight(), "prod", "kubernetes:alice");
    assert_eq!(event.message, r#"Freight approved for Stage "prod" by "kubernetes:alice""#);
    assert_eq!(
        lines(&event),
        [
            "actor=kubernetes:alice",
            "freight-alias=quiet-otter",
            "freight-create-time=2026-01-02T03:04:05Z",
            r#"freight-images=[{"repoURL":"x","tag":"1"}]"#,
            "freight-name=f1",
            "freight-warehouse-name=w",
            "project=demo",
            "stage-name=prod",
        ]
    );
}

#[test]
fn a_promotion_names_the_applications_it_will_update() {
    let promotion: Promotion = object(
        "p",
        json!({"metadata": {"annotations": {"kargo.akuity.io/create-actor": "email:x", "kargo.akuity.io/rollback": "true"}},
            "spec": {"stage": "prod", "steps": [
                {"uses": "argocd-update", "config": {"apps": [{"name": "b"}, {"name": "a", "namespace": "n"}, {"name": "b"}, 7]}},
                {"uses": "argocd-wait", "config": {"apps": [{"name": "c"}]}}]}}),
    );
    let event = promotion_created(&promotion, None, "kubernetes:u", &teller());
    assert_eq!(
        payload(&event, "applications"),
        Some(r#"[{"Namespace":"argocd","Name":"b"},{"Namespace":"n","Name":"a"}]"#)
    );
    assert_eq!(payload(&event, "actor"), Some("email:x"));
    assert_eq!(payload(&event, "rollback"), Some("true"));
    assert_eq!(payload(&event, "freight-name"), None);
    assert_eq!(event.message, r#"Promotion created for Stage "prod" by "kubernetes:u""#);
}

#[test]
fn names_of_applications_are_evaluated_as_far_as_that_goes() {
    let promotion: Promotion = object(
        "p",
        json!({"spec": {"stage": "prod", "freight": "f1",
            "vars": [{"name": "team", "value": "blue"}, {"name": "app", "value": "${{ vars.team }}-app"},
                {"name": "secretive", "value": "${{ secret('x').y }}"}, {"name": "count", "value": "${{ 3 }}"}],
            "steps": [{"uses": "argocd-update", "vars": [{"name": "team", "value": "red"}],
                "config": {"apps": [
                    {"name": "${{ vars.app }}-${{ ctx.stage }}"},
                    {"name": "${{ vars.team }}", "namespace": "${{ ctx.targetFreight.origin.name }}"},
                    {"name": "x-${{ vars.secretive }}"},
                    {"name": "${{ vars.count }}"},
                    {"name": "${{ nonsense"},
                    {"name": "${{ outputs.a.b }}"}]}}]}}),
    );
    let event = promotion_created(&promotion, Some(&freight()), "a", &teller());
    assert_eq!(
        payload(&event, "applications"),
        Some(r#"[{"Namespace":"argocd","Name":"blue-app-prod"},{"Namespace":"w","Name":"red"}]"#)
    );
}

#[test]
fn how_a_promotion_ended_is_told_with_its_creator_as_actor() {
    let succeeded = promotion_ended(
        &promotion(json!({"phase": "Succeeded"})),
        Some(&freight()),
        true,
        &teller(),
    );
    assert_eq!(
        (succeeded.reason, succeeded.message.as_str()),
        ("PromotionSucceeded", "Promotion Succeeded")
    );
    assert_eq!(payload(&succeeded, "verification-pending"), Some("true"));
    assert_eq!(payload(&succeeded, "actor"), Some("email:x"));
    assert_eq!(payload(&succeeded, "promotion-create-time"), Some("2026-01-02T03:04:05Z"));
    let failed = promotion_ended(
        &promotion(json!({"phase": "Failed", "message": "no"})),
        None,
        false,
        &teller(),
    );
    assert_eq!(
        (failed.reason, failed.message.as_str()),
        ("PromotionFailed", "Promotion Failed: no")
    );
    assert_eq!(payload(&failed, "verification-pending"), None);
    let errored = promotion_ended(&promotion(json!({"phase": "Errored"})), None, false, &teller());
    assert_eq!(errored.reason, "PromotionErrored");
}

#[test]
fn who_aborts_is_the_actor_and_not_who_created() {
    let promotion =
        promotion(json!({"phase": "Aborted", "message": "Promotion terminated by admin"}));
    let event = promotion_aborted(&promotion, None, "admin", &teller());
    assert_eq!(
        (event.reason, event.message.as_str()),
        ("PromotionAborted", "Promotion terminated by admin")
    );
    assert_eq!(payload(&event, "actor"), Some("admin"));
    let event = promotion_discarded(&promotion, None, "superseded", &teller());
    assert_eq!((event.reason, event.message.as_str()), ("PromotionDiscarded", "superseded"));
}

#[test]
fn a_stage_that_promotes_by_itself_says_from_where() {
    let promotion: Promotion = object("p", json!({"spec": {"stage": "prod", "freight": "f1"}}));
    let teller = Teller { component: "stage-controller", ..teller() };
    let event =
        promotion_automatic(&promotion, Some(&freight()), &FreightOrigin::warehouse("w"), &teller);
    assert_eq!(
        event.message,
        r#"Automatically promoted Freight from origin "Warehouse/w" for Stage "prod""#
    );
    assert_eq!(payload(&event, "actor"), Some("controller:stage-controller"));
}

#[test]
fn the_end_of_a_verification_is_told_by_its_phase() {
    let stage: Stage = object("prod", json!({"spec": {}}));
    let told = |verification: serde_json::Value| {
        let info: VerificationInfo = serde_json::from_value(verification).unwrap();
        freight_verification(&freight(), &stage, &info, Some("p"), "stage-controller")
    };
    let event = told(
        json!({"phase": "Successful", "message": "ignored", "startTime": "2026-01-02T03:04:05Z",
        "finishTime": "2026-01-02T03:05:05Z", "analysisRun": {"name": "r", "namespace": "demo", "phase": ""}}),
    );
    assert_eq!(
        (event.reason, event.message.as_str()),
        ("FreightVerificationSucceeded", "Freight verification succeeded")
    );
    let facts = ["actor", "analysis-run-name", "promotion-name", "verification-finish-time"];
    assert_eq!(
        facts.map(|fact| payload(&event, fact).unwrap()),
        ["controller:stage-controller", "r", "p", "2026-01-02T03:05:05Z"]
    );
    let reasons = ["Failed", "Error", "Aborted", "Inconclusive", "Odd"].map(|phase| {
        let event = told(json!({"phase": phase, "message": "why", "actor": "admin"}));
        assert_eq!((event.message.as_str(), payload(&event, "actor")), ("why", Some("admin")));
        event.reason.trim_start_matches("FreightVerification")
    });
    assert_eq!(reasons, ["Failed", "Errored", "Aborted", "Inconclusive", "Unknown"]);
}
