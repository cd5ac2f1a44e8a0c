//! What AnalysisRuns are made of, and what they say.

use std::sync::Arc;

use api_analysis::{AnalysisRun, AnalysisTemplateSpec};
use api_kinds::collection::{FreightCollection, FreightReference};
use api_kinds::{Freight, Kind, Stage};
use core_clock::Time;
use serde_json::{Value, json};

use super::*;
use crate::stage::{RunView, VerificationStart};

fn stage(verification: &Value) -> Stage {
    serde_json::from_value(json!({
        "metadata": { "name": "dev", "namespace": "demo" },
        "spec": { "requestedFreight": [], "verification": verification },
    }))
    .unwrap()
}

fn start(freight: &[&str], promotion: Option<&str>) -> VerificationStart {
    let items = freight.iter().map(|name| {
        let item = FreightReference { name: (*name).to_owned(), ..FreightReference::default() };
        (format!("Warehouse/{name}"), item)
    });
    VerificationStart {
        id: "id".to_owned(),
        run_name: "dev.01abc.f00".to_owned(),
        start_time: Time::from_seconds(5),
        actor: String::new(),
        collection: FreightCollection {
            id: "f00".to_owned(),
            freight: items.collect(),
            ..FreightCollection::default()
        },
        promotion: promotion.map(str::to_owned),
    }
}

fn freight(name: &str) -> Arc<Freight> {
    let mut freight = Freight::named(name);
    freight.metadata.uid = Some(format!("uid-{name}"));
    Arc::new(freight)
}

fn template(spec: Value) -> AnalysisTemplateSpec {
    serde_json::from_value(spec).unwrap()
}

fn metric(name: &str) -> Value {
    json!({ "name": name, "provider": { "web": { "url": "http://{{args.host}}" } } })
}

fn argument(name: &str, value: &str) -> EvaluatedArgument {
    EvaluatedArgument { name: name.to_owned(), value: value.to_owned(), is_secret: false }
}

/// Combines templates by name; in a Stage that names them in this order, all in its namespace.
fn combine(templates: &[(&str, Value)]) -> Result<Combined, BuildError> {
    let names: Vec<_> = templates.iter().map(|(name, _)| json!({ "name": name })).collect();
    let verification = json!({ "analysisTemplates": names });
    let mut gathering = Gathering::begin(&serde_json::from_value(verification).unwrap());
    for (name, spec) in templates {
        assert_eq!(gathering.wanted().map(|wanted| wanted.name.as_str()), Some(*name));
        gathering.take(template(spec.clone()));
    }
    gathering.combine()
}

#[test]
fn templates_of_the_namespace_come_before_those_of_the_cluster_and_bring_others() {
    let verification = json!({ "analysisTemplates": [
        { "name": "c", "kind": "ClusterAnalysisTemplate" },
        { "name": "a" },
        { "name": "b", "kind": "AnalysisTemplate" },
    ] });
    let mut gathering = Gathering::begin(&serde_json::from_value(verification).unwrap());
    let mut order = Vec::new();
    while let Some(wanted) = gathering.wanted() {
        let (name, kind) = (wanted.name.clone(), wanted.kind.as_str().to_owned());
        // Everybody refers to the same others, and one of them back.
        gathering.take(template(json!({
            "metrics": [metric(&format!("{kind}-{name}"))],
            "templates": [
                { "templateName": "a" },
                { "templateName": "a", "clusterScope": true },
                { "templateName": "d" },
            ],
        })));
        order.push(format!("{kind} {name}"));
    }
    assert_eq!(
        order,
        [
            " a",
            "AnalysisTemplate b",
            "ClusterAnalysisTemplate c",
            "ClusterAnalysisTemplate a",
            "AnalysisTemplate d",
        ]
    );
    assert_eq!(gathering.combine().unwrap().metrics.len(), 5);
}

#[test]
fn a_missing_template_is_named_by_its_kind() {
    let verification = json!({ "analysisTemplates": [
        { "name": "a" }, { "name": "c", "kind": "ClusterAnalysisTemplate" },
    ] });
    let mut gathering = Gathering::begin(&serde_json::from_value(verification).unwrap());
    assert!(gathering.missing().to_string().starts_with("AnalysisTemplate \"a\" does not exist"));
    gathering.take(template(json!({})));
    assert!(gathering.missing().to_string().starts_with("ClusterAnalysisTemplate \"c\" does not"));
}

#[test]
fn templates_that_refer_to_ever_more_are_refused() {
    let verification = json!({ "analysisTemplates": [{ "name": "0" }] });
    let mut gathering = Gathering::begin(&serde_json::from_value(verification).unwrap());
    let mut count = 0;
    while gathering.wanted().is_some() {
        count += 1;
        gathering.take(template(json!({ "templates": [{ "templateName": count.to_string() }] })));
    }
    assert_eq!(gathering.combine(), Err(BuildError::TooManyTemplates { limit: count }));
}

#[test]
fn what_cannot_be_combined_says_why() {
    let with = |field: &str, value: Value| {
        let mut spec = json!({ "metrics": [] });
        spec[field] = json!([value]);
        spec
    };
    let retention = json!({ "metricName": "m", "limit": 1 });
    for (one, other, want) in [
        (with("metrics", metric("m")), with("metrics", metric("m")), "metric \"m\""),
        (
            with("dryRun", json!({ "metricName": "m" })),
            with("dryRun", json!({ "metricName": "m" })),
            "dry run of metric \"m\"",
        ),
        (
            with("measurementRetention", retention.clone()),
            with("measurementRetention", retention),
            "measurement retention of metric \"m\"",
        ),
        (
            with("args", json!({ "name": "x", "value": "1" })),
            with("args", json!({ "name": "x", "value": "2" })),
            "argument \"x\" has another value in analysis template \"b\"",
        ),
        (json!({}), json!({}), "its analysis templates have no metrics"),
    ] {
        let error = combine(&[("a", one), ("b", other)]).unwrap_err().to_string();
        assert!(error.starts_with(want), "{error}");
    }
}

#[test]
fn arguments_fill_each_other_and_the_stage_has_the_last_word() {
    let secret = |name: &str| json!({ "secretKeyRef": { "name": name, "key": "k" } });
    let combined = combine(&[
        (
            "a",
            json!({ "metrics": [metric("a")], "args": [
                { "name": "host" },
                { "name": "token", "valueFrom": secret("first") },
                { "name": "mine", "valueFrom": secret("s") },
                { "name": "same", "value": "1" },
            ] }),
        ),
        (
            "b",
            json!({ "metrics": [metric("b")], "args": [
                { "name": "host", "value": "example.com" },
                { "name": "token", "valueFrom": secret("second") },
                { "name": "same", "value": "1" },
            ] }),
        ),
    ])
    .unwrap();
    let values = [argument("mine", "old"), argument("mine", "own"), argument("same", "2")];
    let (stage, start, freight) = (stage(&json!({})), start(&["f"], None), [freight("f")]);
    let order = RunOrder { stage: &stage, start: &start, freight: &freight, instance_id: "" };
    let run = analysis_run(&order, combined, &values).unwrap();
    assert_eq!(
        json!(run.spec.args),
        json!([
            { "name": "host", "value": "example.com" },
            { "name": "token", "valueFrom": secret("first") },
            { "name": "mine", "value": "own" },
            { "name": "same", "value": "2" },
        ])
    );
}

#[test]
fn an_argument_without_a_value_is_refused() {
    let spec = json!({ "metrics": [metric("m")], "args": [{ "name": "host" }] });
    let combined = combine(&[("a", spec)]).unwrap();
    let (stage, start, freight) = (stage(&json!({})), start(&["f"], None), [freight("f")]);
    let order = RunOrder { stage: &stage, start: &start, freight: &freight, instance_id: "" };
    let error = analysis_run(&order, combined.clone(), &[]).unwrap_err();
    assert!(error.to_string().starts_with("unresolved argument \"host\""), "{error}");
    assert!(analysis_run(&order, combined, &[argument("host", "")]).is_ok(), "empty is a value");
}

#[test]
fn a_run_carries_its_names_and_belongs_to_its_freight() {
    let long = "s".repeat(70);
    let mut stage = stage(&json!({ "analysisRunMetadata": {
        "labels": { "team": "a", "kargo.akuity.io/stage": "forged" },
        "annotations": { "note": "n", "kargo.akuity.io/promotion": "forged" },
    } }));
    stage.metadata.name = Some(long.clone());
    let start = start(&["f", "gone", "g"], Some("dev.p"));
    let freight = [freight("other"), freight("g"), freight("f")];
    let order = RunOrder { stage: &stage, start: &start, freight: &freight, instance_id: "us" };
    let combined = combine(&[("a", json!({ "metrics": [metric("m")] }))]).unwrap();
    let run = analysis_run(&order, combined.clone(), &[]).unwrap();
    let owner = |name: &str| {
        json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight", "name": name,
            "uid": format!("uid-{name}"), "blockOwnerDeletion": false,
        })
    };
    assert_eq!(
        json!(run),
        json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "AnalysisRun",
            "metadata": {
                "namespace": "demo",
                "name": "dev.01abc.f00",
                "labels": {
                    "team": "a",
                    "kargo.akuity.io/stage": crate::shorten::label_value(&long),
                    "kargo.akuity.io/freight-collection": "f00",
                    "argo-rollouts.argoproj.io/controller-instance-id": "us",
                },
                "annotations": {
                    "note": "n",
                    "kargo.akuity.io/stage": long,
                    "kargo.akuity.io/promotion": "dev.p",
                },
                "ownerReferences": [owner("f"), owner("g")],
            },
            "spec": { "metrics": [metric("m")] },
        })
    );
    let nothing = RunOrder { freight: &[], ..order };
    assert_eq!(analysis_run(&nothing, combined, &[]), Err(BuildError::NoFreight));
}

#[test]
fn odd_arguments_are_told_with_what_the_run_says() {
    let spec = json!({ "metrics": [metric("m")], "args": [{ "name": "host" }] });
    let combined = combine(&[("a", spec)]).unwrap();
    let (stage, start, freight) = (stage(&json!({})), start(&["f"], None), [freight("f")]);
    let order = RunOrder { stage: &stage, start: &start, freight: &freight, instance_id: "" };
    let values = [
        EvaluatedArgument { is_secret: true, ..argument("host", "s3cret") },
        argument("hots", "typo"),
    ];
    let mut run = analysis_run(&order, combined, &values).unwrap();
    let view = run_view(&run);
    assert!(view.message.starts_with("argument \"host\" shows a value of a Secret"), "{view:?}");
    assert!(
        view.message
            .ends_with("argument \"hots\" is declared by no analysis template and not used")
    );
    assert!(!view.message.contains("s3cret"), "{view:?}");
    run.status.message = "m".to_owned();
    assert!(run_view(&run).message.starts_with("m; argument"));
}

#[test]
fn a_run_says_how_the_verification_goes() {
    let run: AnalysisRun = serde_json::from_value(json!({
        "metadata": { "annotations": { "kargo.akuity.io/promotion": "p" } },
        "status": {
            "phase": "Failed", "message": "Metric \"m\" assessed Failed",
            "completedAt": "1970-01-01T00:00:09Z",
        },
    }))
    .unwrap();
    let want = RunView {
        phase: "Failed".to_owned(),
        message: "Metric \"m\" assessed Failed".to_owned(),
        completed_at: Some(Time::from_seconds(9)),
        promotion: Some("p".to_owned()),
    };
    assert_eq!(run_view(&run), want);
    assert_eq!(run_view(&AnalysisRun::default()), RunView::default());
}

#[test]
fn what_cannot_begin_names_the_stage_and_what_it_holds() {
    let message = impossible_message(&stage(&json!({})), &start(&[], None), "why");
    assert_eq!(
        message,
        "error building AnalysisRun for Stage \"dev\" and Freight collection \"f00\" in namespace \"demo\": why"
    );
}
