use std::collections::{BTreeMap, BTreeSet};

use api_kinds::{ProjectConfig, Stage};
use serde_json::{Value, json};

use super::*;
use crate::admission::fixture::{self, identities, message, object, user};
use crate::promotion::Task;

fn stage(spec: Value) -> Stage {
    object("prod", json!({"spec": spec}))
}

fn direct(warehouse: &str) -> Value {
    json!({"origin": {"kind": "Warehouse", "name": warehouse}, "sources": {"direct": true}})
}

fn through(stages: &[&str]) -> Value {
    json!({"requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"stages": stages}}]})
}

fn create(spec: Value) -> Result<Admitted, Refusal> {
    validate(Operation::Create, &stage(spec), None, &World::default())
}

fn with_steps(steps: Value) -> Value {
    json!({"requestedFreight": [direct("w")], "promotionTemplate": {"spec": {"steps": steps}}})
}

#[test]
fn the_shard_label_follows_the_field() {
    let user = user("alice");
    let mut sharded = stage(json!({"shard": "eu"}));
    default(&mut sharded, None, &identities().caller(&user));
    assert_eq!(sharded.metadata.labels.clone().unwrap()["kargo.akuity.io/shard"], "eu");
    sharded.spec.shard.clear();
    default(&mut sharded, None, &identities().caller(&user));
    assert_eq!(sharded.metadata.labels, Some(BTreeMap::new()));
}

#[test]
fn requests_about_verifications_are_signed() {
    let user = user("alice");
    let mut asking: Stage = object(
        "prod",
        json!({"metadata": {"annotations": {"kargo.akuity.io/reverify": "v1", "kargo.akuity.io/abort": "v2"}}}),
    );
    default(&mut asking, None, &identities().caller(&user));
    let annotations = asking.metadata.annotations.unwrap();
    assert_eq!(
        annotations["kargo.akuity.io/reverify"],
        r#"{"id":"v1","actor":"kubernetes:alice"}"#
    );
    assert_eq!(annotations["kargo.akuity.io/abort"], r#"{"id":"v2","actor":"kubernetes:alice"}"#);
}

#[test]
fn an_origin_is_requested_once() {
    let spec = json!({"requestedFreight": [direct("x"), direct("y"), direct("x"), direct("x")]});
    assert_eq!(
        message(create(spec)),
        r#"spec.requestedFreight: Invalid value: "Warehouse/x": freight with origin Warehouse/x requested multiple times in spec.requestedFreight"#
    );
}

#[test]
fn matching_upstream_needs_one_upstream() {
    let errors = |direct: bool, stages: &[&str]| {
        let sources = json!({"direct": direct, "stages": stages, "autoPromotionOptions": {"selectionPolicy": "MatchUpstream"}});
        create(
            json!({"requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}, "sources": sources}]}),
        )
    };
    assert!(errors(false, &["test"]).is_ok());
    let both = message(errors(true, &[]));
    assert!(both.contains("cannot be used when accepting Freight directly from its origin"));
    assert!(both.contains("spec.requestedFreight[0].sources.autoPromotionOptions.selectionPolicy: Invalid value: \"MatchUpstream\": selection policy 'MatchUpstream' requires exactly one upstream Stage to be specified"));
    assert!(errors(false, &["a", "b"]).is_err());
}

#[test]
fn task_steps_have_neither_condition_nor_config() {
    let steps = json!([{"task": {"name": "t"}, "if": "true", "config": {}}, {"uses": "copy", "if": "true", "config": {}}]);
    assert_eq!(
        message(create(with_steps(steps))),
        "[spec.promotionTemplate.spec.steps[0].if: Forbidden: PromotionTemplate step referencing a task cannot have an 'if' condition, \
         spec.promotionTemplate.spec.steps[0].config: Forbidden: PromotionTemplate step referencing a task cannot have a config]"
    );
    let reserved = json!([{"uses": "copy", "as": "step-1"}]);
    assert!(message(create(with_steps(reserved))).contains("steps[0].as"));
}

#[test]
fn a_stage_is_created_in_a_project() {
    let new = stage(json!({"requestedFreight": [direct("w")]}));
    let verdict = |home| {
        validate(Operation::Create, &new, None, &World { home: Some(home), ..World::default() })
    };
    assert!(verdict(ProjectNamespace::Marked).is_ok());
    assert_eq!(verdict(ProjectNamespace::Unmarked).unwrap_err().code(), 422);
    assert_eq!(verdict(ProjectNamespace::Missing).unwrap_err().code(), 404);
}

#[test]
fn what_did_not_change_or_goes_away_is_not_checked() {
    let bad = stage(json!({"requestedFreight": [direct("x"), direct("x")]}));
    let update =
        |new: &Stage, old: &Stage| validate(Operation::Update, new, Some(old), &World::default());
    assert!(update(&bad, &bad).is_ok());
    let good = stage(json!({"requestedFreight": [direct("x")]}));
    assert!(update(&bad, &good).is_err());
    let mut ending = bad.clone();
    fixture::delete(&mut ending.metadata);
    assert!(update(&ending, &good).is_ok());
}

#[test]
fn references_to_nothing_and_cycles_are_warnings() {
    let references = References {
        missing_warehouses: BTreeSet::from(["w".into()]),
        missing_tasks: BTreeSet::from([Task::Cluster("t".into())]),
        upstreams: BTreeMap::from([
            ("a".into(), Some(vec!["b".into()])),
            ("b".into(), Some(vec!["prod".into()])),
            ("gone".into(), None),
        ]),
    };
    let mut spec = through(&["a", "gone"]);
    spec["promotionTemplate"] =
        json!({"spec": {"steps": [{"task": {"name": "t", "kind": "ClusterPromotionTask"}}]}});
    let world = World { references: Some(&references), ..World::default() };
    let warnings = validate(Operation::Create, &stage(spec), None, &world).unwrap().warnings;
    assert_eq!(
        warnings,
        [
            r#"spec.requestedFreight[0].origin.name: there is no Warehouse "w""#,
            r#"spec.requestedFreight[0].sources.stages: there is no Stage "gone""#,
            r#"spec.promotionTemplate.spec.steps: there is no ClusterPromotionTask "t""#,
            "spec.requestedFreight: the Stage comes before itself: prod → a → b → prod",
        ]
    );
    let itself = validate(Operation::Create, &stage(through(&["prod"])), None, &world).unwrap();
    assert!(itself.warnings.iter().any(|warning| warning.ends_with("prod → prod")));
}

#[test]
fn what_can_never_work_is_a_warning() {
    let nowhere = create(through(&[])).unwrap().warnings;
    assert!(nowhere[0].starts_with("spec.requestedFreight[0].sources: neither direct nor stages"));
    let mut spec = json!({"requestedFreight": [direct("w")]});
    spec["targets"] =
        json!({"selectors": [{}, {"matchExpressions": [{"key": "a", "operator": "is"}]}]});
    assert!(create(spec).unwrap().warnings[0].starts_with("spec.targets.selectors[1]: "));
    let odd: Stage = object(
        "prod",
        json!({"metadata": {"annotations": {"kargo.akuity.io/reverify": "12", "ee.kargo.akuity.io/promotion-labels": "no"}}, "spec": {"requestedFreight": [direct("w")]}}),
    );
    let warnings = validate(Operation::Create, &odd, None, &World::default()).unwrap().warnings;
    assert_eq!(warnings.len(), 2);
}

#[test]
fn whoever_slips_under_a_policy_is_told() {
    let config: ProjectConfig = object(
        "demo",
        json!({"spec": {"promotionPolicies": [{"stageSelector": {"name": "glob:p*"}, "autoPromotionEnabled": true}]}}),
    );
    let world = World { config: Some(&config), ..World::default() };
    let new = stage(json!({"requestedFreight": [direct("w")]}));
    assert_eq!(validate(Operation::Create, &new, None, &world).unwrap().warnings.len(), 1);
    let again = validate(Operation::Update, &new, Some(&new), &world).unwrap();
    assert!(again.warnings.is_empty());
}
