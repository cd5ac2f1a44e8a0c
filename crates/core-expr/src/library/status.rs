//! How the steps so far ended.

use api_kinds::promotion::{PromotionStepStatus, StepExecutionMetadata};

use crate::error::Trouble;
use crate::library::HostFunction;
use crate::scope::Host;
use crate::text::Text;
use crate::value::{Data, Value};

/// What separates a task's alias from that of its step.
const SEPARATOR: &str = "::";

fn steps(host: Host<'_>) -> &[StepExecutionMetadata] {
    match host {
        Host::Promotion(promotion) => promotion.steps,
        _ => &[],
    }
}

/// `always()`, `success()`, `failure()`.
pub(super) fn call(function: HostFunction, host: Host<'_>) -> Value {
    let has_failed = steps(host).iter().any(|step| {
        let is_bad =
            matches!(step.status, PromotionStepStatus::Errored | PromotionStepStatus::Failed);
        is_bad && !step.continue_on_error
    });
    let truth = match function {
        HostFunction::Failure => has_failed,
        HostFunction::Success => !has_failed,
        _ => true,
    };
    Data::Bool(truth).into()
}

/// `status(alias)`: the status of a step of the same task, or outside of tasks.
pub(super) fn of_step(alias: &Text, host: Host<'_>) -> Result<Value, Trouble> {
    if alias.is_empty() {
        return Err(Trouble::from("argument must not be empty"));
    }
    let Host::Promotion(promotion) = host else { return Ok(Value::text("")) };
    let (task, _) = split(promotion.step);
    let alias = alias.to_str();
    let step = promotion.steps.iter().find(|step| split(&step.alias) == (task, &*alias));
    Ok(Value::text(step.map_or("", |step| step.status.as_str())))
}

/// The task and the alias within it; the task is empty outside of tasks.
fn split(alias: &str) -> (&str, &str) {
    match alias.split_once(SEPARATOR) {
        Some((task, step)) if !step.contains(SEPARATOR) => (task, step),
        _ => ("", alias),
    }
}
