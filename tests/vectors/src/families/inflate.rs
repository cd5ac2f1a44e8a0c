//! `inflate-steps`: the steps of a Promotion in namespace `demo`, with the tasks of the file.

use std::collections::BTreeMap;

use api_kinds::promotion_task::PromotionTaskSpec;
use api_kinds::step::{ExpressionVariable, PromotionStep};
use core_rules::promotion::{Task, inflate};
use serde_json::Value;

use crate::{Answer, Case, Exception};

const NAMESPACE: &str = "demo";

/// Two steps of one task must have variables of their own before they can get in each other's way.
pub(super) const OWN_VARIABLES: Exception = Exception {
    name: "own-task-variables",
    reason: "Each step of a task keeps its own variables; upstream lets a later step overwrite those \
             of an earlier one.",
    applies: |case| {
        let tasks = tasks(case);
        let steps: Vec<PromotionStep> = list(case.member_or_null("steps"));
        let references = steps.iter().filter_map(|step| step.task.as_ref());
        let mut specs = references.filter_map(|task| tasks.get(&Task::referred_to(task).ok()?));
        let with_own_vars = |step: &&PromotionStep| !step.vars.is_empty();
        specs.any(|spec| spec.steps.iter().filter(with_own_vars).count() > 1)
    },
};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let steps: Vec<PromotionStep> = list(case.member_or_null("steps"));
    let vars: Vec<ExpressionVariable> = list(case.member_or_null("vars"));
    let inflated = inflate(&steps, &vars, &tasks(case));
    inflated.map(|steps| serde_json::to_value(steps).unwrap_or_default()).into()
}

/// A list that may be null.
fn list<T: serde::de::DeserializeOwned>(value: Value) -> Vec<T> {
    serde_json::from_value::<Option<Vec<T>>>(value).ok().flatten().unwrap_or_default()
}

fn tasks(case: &Case<'_>) -> BTreeMap<Task, PromotionTaskSpec> {
    let tasks = case.fixture("tasks").and_then(Value::as_array);
    tasks.into_iter().flatten().filter_map(task).collect()
}

fn task(object: &Value) -> Option<(Task, PromotionTaskSpec)> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let name = text("/metadata/name").to_owned();
    let task = match (text("/kind"), text("/metadata/namespace")) {
        ("ClusterPromotionTask", _) => Task::Cluster(name),
        (_, NAMESPACE) => Task::Project(name),
        _ => return None,
    };
    let part = |pointer: &str| object.pointer(pointer).cloned().unwrap_or_default();
    let spec =
        PromotionTaskSpec { steps: list(part("/spec/steps")), vars: list(part("/spec/vars")) };
    Some((task, spec))
}
