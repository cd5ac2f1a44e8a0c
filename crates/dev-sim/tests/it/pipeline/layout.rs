//! The pipelines that are built: of a seed one.

use dev_sim::Dice;
use serde_json::{Value, json};

use super::{PROJECT, steps};

const API: &str = "kargo.akuity.io/v1alpha1";
/// Where the Freight of a Warehouse comes from.
pub(super) const REPOSITORY: &str = "https://git.example.com/";
/// How many Warehouses there are.
pub(super) const WAREHOUSES: u64 = 2;
/// How long Freight must stay in a Stage, at most.
const SOAK_SECONDS: u64 = 90;

/// A pipeline: everything in the Project, in the order in which it is made.
pub(super) fn draw(dice: &Dice) -> Vec<Value> {
    let stages = match dice.below(3) {
        0 => chain(dice),
        1 => fan(dice),
        _ => two_origins(dice),
    };
    let policies: Vec<Value> = stages.iter().map(|stage| policy(dice, stage)).collect();
    around(stages, &policies)
}

/// Stages with all that they need.
pub(super) fn around(stages: Vec<Value>, policies: &[Value]) -> Vec<Value> {
    let mut objects = ["app", "infra"].map(warehouse).to_vec();
    objects.push(template());
    objects.push(config(policies));
    objects.extend(stages);
    objects
}

/// One after the other.
fn chain(dice: &Dice) -> Vec<Value> {
    vec![
        stage(dice, "dev", vec![direct("app")]),
        stage(dice, "staging", vec![after(dice, "app", &["dev"])]),
        stage(dice, "prod", vec![matching(dice, "app", "staging")]),
    ]
}

/// Several behind one that only passes Freight on.
fn fan(dice: &Dice) -> Vec<Value> {
    vec![
        stage(dice, "dev", vec![direct("app")]),
        passing("gate", vec![after(dice, "app", &["dev"])]),
        stage(dice, "eu", vec![after(dice, "app", &["gate"])]),
        stage(dice, "us", vec![after(dice, "app", &["gate", "eu"])]),
    ]
}

/// Freight of two origins in one Stage.
fn two_origins(dice: &Dice) -> Vec<Value> {
    vec![
        stage(dice, "dev", vec![direct("app")]),
        stage(dice, "both", vec![after(dice, "app", &["dev"]), direct("infra")]),
        stage(dice, "prod", vec![after(dice, "app", &["both"]), after(dice, "infra", &["both"])]),
    ]
}

/// A Stage with steps; half of them verify what they hold.
fn stage(dice: &Dice, name: &str, requests: Vec<Value>) -> Value {
    let stage = with_steps(name, requests, promotion_steps(dice));
    if dice.chance(500) { verified(stage) } else { stage }
}

/// A Stage with these steps.
pub(super) fn with_steps(name: &str, requests: Vec<Value>, steps: Value) -> Value {
    let mut stage = passing(name, requests);
    stage["spec"]["promotionTemplate"] = json!({"spec": {"steps": steps}});
    stage
}

/// The same Stage, which verifies what it holds.
pub(super) fn verified(mut stage: Value) -> Value {
    stage["spec"]["verification"] = json!({"analysisTemplates": [{"name": "check"}]});
    stage
}

/// A Stage without steps.
fn passing(name: &str, requests: Vec<Value>) -> Value {
    let mut stage = object(API, "Stage", name);
    stage["spec"] = json!({"requestedFreight": requests});
    stage
}

/// What promotions of a Stage do.
pub(super) fn promotion_steps(dice: &Dice) -> Value {
    let between = [
        &[][..],
        &[steps::PUSH],
        &[steps::AWAIT, steps::PUSH],
        &[steps::PONDER, steps::POST],
        &[steps::STUMBLE, steps::PUSH, steps::POST],
        &[steps::PANIC],
    ];
    let between = dice.pick(&between).copied().unwrap_or_default();
    these_steps(&[&[steps::KEEP], between, &[steps::RECALL]].concat())
}

/// One step of each of these kinds.
pub(super) fn these_steps(kinds: &[&str]) -> Value {
    kinds.iter().map(|kind| json!({"uses": kind})).collect()
}

pub(super) fn direct(warehouse: &str) -> Value {
    request(warehouse, json!({"direct": true}))
}

fn after(dice: &Dice, warehouse: &str, stages: &[&str]) -> Value {
    let mut sources = json!({"stages": stages});
    if dice.chance(300) {
        sources["requiredSoakTime"] = json!(format!("{}s", 1 + dice.below(SOAK_SECONDS)));
    }
    if dice.chance(300) {
        sources["availabilityStrategy"] = json!("All");
    }
    request(warehouse, sources)
}

fn matching(dice: &Dice, warehouse: &str, stage: &str) -> Value {
    let mut request = after(dice, warehouse, &[stage]);
    if dice.chance(500) {
        request["sources"]["autoPromotionOptions"] = json!({"selectionPolicy": "MatchUpstream"});
    }
    request
}

fn request(warehouse: &str, sources: Value) -> Value {
    json!({"origin": {"kind": "Warehouse", "name": warehouse}, "sources": sources})
}

/// Three of four Stages promote by themselves.
fn policy(dice: &Dice, stage: &Value) -> Value {
    let name = &stage["metadata"]["name"];
    json!({"stageSelector": {"name": name}, "autoPromotionEnabled": dice.chance(750)})
}

fn config(policies: &[Value]) -> Value {
    let mut config = object(API, "ProjectConfig", PROJECT);
    config["spec"] = json!({"promotionPolicies": policies});
    config
}

/// Freight is made by people, not by searches.
fn warehouse(name: &str) -> Value {
    let mut warehouse = object(API, "Warehouse", name);
    warehouse["spec"] = json!({
        "interval": "24h",
        "freightCreationPolicy": "Manual",
        "subscriptions": [{"git": {"repoURL": format!("{REPOSITORY}{name}.git")}}],
    });
    warehouse
}

fn template() -> Value {
    let mut template = object(api_analysis::API_VERSION, "AnalysisTemplate", "check");
    template["spec"] = json!({
        "metrics": [{"name": "m", "provider": {"web": {"url": "https://check.example.com/"}}}],
    });
    template
}

fn object(api_version: &str, kind: &str, name: &str) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": {"name": name, "namespace": PROJECT},
    })
}
