//! `template-functions`: functions of Promotions and Warehouses against a fixed cluster.

use std::collections::BTreeMap;

use api_kinds::Warehouse;
use api_kinds::collection::FreightReference;
use api_kinds::promotion::StepExecutionMetadata;
use api_kinds::stage::FreightRequest;
use api_kinds::warehouse::DiscoveredArtifacts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core_expr::{
    Answer as Found, Answers, Failure, Host, Library, Promotion, Request, Scope, Template, Value,
    Variables,
};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::remove_nulls;
use super::template::{evaluate, now};
use crate::{Answer, Case, Exception};

/// Notes that are null are read.
pub(super) const NULL_NOTES: Exception = Exception {
    name: "null-notes",
    reason: "a note with the value null can be read, and does not make the others unreadable",
    applies: |case| {
        let is_named = |object: &&Json| {
            let name = text(object, "/metadata/name");
            case.text("template").contains(&format!("{name:?}"))
        };
        let has_null = |object: &Json| {
            let notes = object.pointer("/status/metadata").and_then(Json::as_object);
            notes.is_some_and(|notes| notes.values().any(Json::is_null))
        };
        let objects = ["freightResources", "stages"].into_iter().flat_map(|kind| list(case, kind));
        objects.filter(is_named).any(has_null)
    },
};

/// Images and charts are found under any spelling of their address.
pub(super) const OTHER_SPELLINGS: Exception = Exception {
    name: "other-spellings",
    reason: "images and charts are found under every spelling of their address, as commits are",
    applies: |case| {
        let template = case.text("template");
        let is_written = |address: &str| {
            let warehouses = list(case, "warehouses");
            warehouses.flat_map(subscribed).any(|subscribed| subscribed == address)
        };
        case.text("mode") == "promotion"
            && ["imageFrom(\"", "chartFrom(\""].iter().any(|call| {
                let mut calls = template.split(call).skip(1);
                calls.any(|rest| !is_written(rest.split('"').next().unwrap_or_default()))
            })
    },
};

/// Charts that nobody subscribes to are nil.
pub(super) const MISSING_CHARTS: Exception = Exception {
    name: "missing-charts",
    reason: "a chart that nobody subscribes to is nil, as an image or a commit is, and no error",
    applies: |case| {
        case.text("mode") == "promotion"
            && case.member("error").is_some()
            && case.text("template").contains("chartFrom(")
    },
};

/// Criteria may compare versions.
pub(super) const VERSIONS_IN_CRITERIA: Exception = Exception {
    name: "versions-in-criteria",
    reason: "criteria of Warehouses can compare versions",
    applies: |case| case.text("mode") == "discovered" && case.text("template").contains("semver"),
};

fn list<'a>(case: &Case<'a>, kind: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
    let objects = case.fixture("fixture").and_then(|fixture| fixture.get(kind)?.as_array());
    objects.into_iter().flatten()
}

fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

/// Addresses that a Warehouse subscribes to.
fn subscribed(warehouse: &Json) -> Vec<String> {
    let subscriptions = warehouse.pointer("/spec/subscriptions").and_then(Json::as_array);
    let addresses = subscriptions.into_iter().flatten().flat_map(|subscription| {
        let sources = ["/git/repoURL", "/image/repoURL", "/chart/repoURL"];
        sources.map(|source| text(subscription, source).to_owned())
    });
    addresses.collect()
}

pub(super) fn run(case: &Case<'_>) -> Answer {
    match case.text("mode") {
        "discovered" => run_discovered(case),
        _ => run_promotion(case),
    }
}

fn run_discovered(case: &Case<'_>) -> Answer {
    let found: DiscoveredArtifacts = part(case, "discovered");
    let variables = Variables::default();
    let scope = Scope::new(&variables, now()).with_host(Host::Discovered(&found));
    evaluate(case.text("template"), Library::CRITERIA, &scope)
}

fn run_promotion(case: &Case<'_>) -> Answer {
    let (requests, freight, steps): (
        Vec<FreightRequest>,
        Vec<FreightReference>,
        Vec<StepExecutionMetadata>,
    ) = (part(case, "requests"), part(case, "freight"), part(case, "steps"));
    let variables = variables(case);
    let mut answers = Answers::default();
    loop {
        let promotion = Promotion {
            requests: &requests,
            freight: &freight,
            step: case.text("step"),
            steps: &steps,
            answers: &answers,
        };
        let scope = Scope::new(&variables, now()).with_host(Host::Promotion(&promotion));
        let result = Template::parse(case.text("template"))
            .map_err(Failure::Invalid)
            .and_then(|template| template.evaluate(Library::STEP, &scope));
        match result {
            Err(Failure::Needs(request)) => {
                let found = fetch(case, &request);
                answers.insert(request, found);
            }
            Ok(value) => return value.to_json().map_or_else(Answer::refused, Answer::value),
            Err(Failure::Invalid(_)) => return Answer::refused(),
        }
    }
}

/// A member of the fixture as objects of a kind.
fn part<T: DeserializeOwned + Default>(case: &Case<'_>, name: &str) -> T {
    let mut member = case
        .fixture("fixture")
        .map(|fixture| fixture.get(name).cloned().unwrap_or_default())
        .unwrap_or_default();
    remove_nulls(&mut member);
    serde_json::from_value(member).unwrap_or_default()
}

fn variables(case: &Case<'_>) -> Variables {
    let step = case.text("step");
    let mut root = case.fixture("promotionEnv").cloned().unwrap_or_default();
    if let Some(alias) = root.pointer_mut("/ctx/meta/step/alias") {
        *alias = step.into();
    }
    let variables = Variables::from_root(Value::from_json(&root));
    if !step.starts_with("task-1::") {
        return variables;
    }
    let push = root.pointer("/outputs/task-1::push").cloned().unwrap_or_default();
    variables.with("task", Value::from_json(&json!({"outputs": {"push": push}})))
}

/// Looks an object of the fixture up.
fn fetch(case: &Case<'_>, request: &Request) -> Found {
    let fixture = case.fixture("fixture").unwrap_or(&Json::Null);
    let (project, shared) = (text(fixture, "/project"), text(fixture, "/sharedNamespace"));
    let (kind, namespace, name) = match request {
        Request::Secret(name) => ("secrets", project, name),
        Request::SharedSecret(name) => ("secrets", shared, name),
        Request::ConfigMap(name) => ("configMaps", project, name),
        Request::SharedConfigMap(name) => ("configMaps", shared, name),
        Request::Freight(name) => ("freightResources", project, name),
        Request::Stage(name) => ("stages", project, name),
        Request::Warehouse(name) => ("warehouses", project, name),
    };
    let object = list(case, kind).find(|object| {
        text(object, "/metadata/namespace") == namespace && text(object, "/metadata/name") == name
    });
    object.map_or(Found::Missing, |object| found(kind, object))
}

fn found(kind: &str, object: &Json) -> Found {
    let texts = |pointer: &str| -> Option<BTreeMap<String, String>> {
        serde_json::from_value(object.pointer(pointer)?.clone()).ok()
    };
    match kind {
        "secrets" => {
            let decode =
                |(key, value): (String, String)| (key, STANDARD.decode(value).unwrap_or_default());
            let data = texts("/data").unwrap_or_default();
            Found::Secret {
                labels: texts("/metadata/labels").unwrap_or_default(),
                data: data.into_iter().map(decode).collect(),
            }
        }
        "configMaps" => Found::ConfigMap(texts("/data")),
        "warehouses" => {
            let warehouse: Result<Warehouse, _> = serde_json::from_value(object.clone());
            warehouse.map_or(Found::Missing, |it| Found::Warehouse(it.spec.subscriptions))
        }
        _ => Found::Status(object.get("status").cloned().unwrap_or_default()),
    }
}
