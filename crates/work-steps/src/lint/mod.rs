//! What is wrong with a promotion process, found without running anything: kinds of steps that do not
//! exist, configurations that will be refused, expressions that cannot be read, names that lead nowhere.
//!
//! `kargo lint` prints the findings, admission gives them as warnings.

mod expression;
mod nearest;
mod process;
mod stage;

#[cfg(test)]
mod tests;

pub use self::{
    process::{Known, Process, Scope},
    stage::lint_stage,
};

use api_kinds::step::{PromotionStep, PromotionTaskKind};
use core_rules::step::step_alias;
use serde_json::Value;

use self::{expression::Expressions, nearest::nearest};
use crate::catalogue;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Where: the path of a field.
    pub field: String,
    /// What, in one sentence.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// Everything that is wrong with a process, in the order of its steps.
pub fn lint(process: &Process<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, variable) in process.vars.iter().enumerate() {
        let field = format!("{}.vars[{index}].value", process.path);
        let before = process.vars.get(..index).unwrap_or_default();
        Expressions::of_variable(process, before).check(&field, &variable.value, &mut findings);
    }
    for (index, step) in process.steps.iter().enumerate() {
        lint_step(process, index, step, &mut findings);
    }
    findings
}

fn lint_step(
    process: &Process<'_>,
    index: usize,
    step: &PromotionStep,
    findings: &mut Vec<Finding>,
) {
    let path = format!("{}.steps[{index}]", process.path);
    if let Some(task) = &step.task
        && process.known.tasks.is_some()
        && process.known.task(task).is_none()
    {
        let kind = if task.kind == PromotionTaskKind::ClusterPromotionTask {
            "ClusterPromotionTask"
        } else {
            "PromotionTask"
        };
        let message = format!("there is no {kind} {:?} here", task.name);
        findings.push(Finding { field: format!("{path}.task.name"), message });
    }
    let expressions = Expressions::of_step(process, index);
    for (position, variable) in step.vars.iter().enumerate() {
        let field = format!("{path}.vars[{position}].value");
        expressions.check(&field, &variable.value, findings);
    }
    expressions.check_condition(&format!("{path}.if"), &step.r#if, findings);
    let empty = Value::Object(serde_json::Map::new());
    let config = step.config.as_ref().unwrap_or(&empty);
    check_texts(&expressions, &format!("{path}.config"), config, findings);
    if step.task.is_none() {
        lint_config(&path, step, index, config, findings);
    }
}

fn lint_config(
    path: &str,
    step: &PromotionStep,
    index: usize,
    config: &Value,
    findings: &mut Vec<Finding>,
) {
    let kind = step.uses.as_str();
    match catalogue::schema(kind) {
        None => {
            let kinds = catalogue::STEPS.iter().map(|step| step.kind());
            let hint = nearest(kind, kinds).map(|near| format!("; did you mean {near:?}?"));
            let message = format!("there is no step {kind:?}{}", hint.unwrap_or_default());
            findings.push(Finding { field: format!("{path}.uses"), message });
        }
        Some(Ok(schema)) => {
            let alias = step_alias(step, index);
            let lines = schema.check_unrendered(config).into_iter();
            findings.extend(lines.map(|line| Finding {
                field: format!("{path}.config"),
                message: format!("step {alias:?} will be refused by {kind}: {line}"),
            }));
        }
        // A mistake of ours, which the tests of the catalogue find.
        Some(Err(_)) => {}
    }
}

/// Every text of a configuration may hold expressions.
fn check_texts(
    expressions: &Expressions<'_>,
    path: &str,
    value: &Value,
    findings: &mut Vec<Finding>,
) {
    match value {
        Value::String(text) => expressions.check(path, text, findings),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check_texts(expressions, &format!("{path}[{index}]"), item, findings);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                check_texts(expressions, &format!("{path}.{name}"), member, findings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
