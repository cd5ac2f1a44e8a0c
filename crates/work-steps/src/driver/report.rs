//! From what a step says to what the engine hears.

use api_kinds::{health::HealthCheckStep, promotion::PromotionStepStatus as Status};
use core_engine::{Attempt, Fault};
use core_rules::fault;
use io_exec::Redactor;
use serde_json::{Map, Value};

use crate::{failure::Class, outcome::Progress, step::StepResult};

/// Larger outputs are refused: they are kept in the status of the Promotion.
const MAX_OUTPUT_BYTES: usize = 256 << 10;

/// A result in the terms of the engine.
pub(super) fn attempt(result: StepResult) -> Attempt {
    match result {
        Ok(outcome) => {
            let (status, retry_after) = match outcome.progress {
                Progress::Done => (Status::Succeeded, None),
                Progress::Skipped => (Status::Skipped, None),
                Progress::Running { poll_after } => (Status::Running, poll_after),
            };
            let health_check = outcome.health_check.map(|check| HealthCheckStep {
                uses: check.kind.to_owned(),
                config: Some(check.input),
            });
            Attempt {
                status,
                message: outcome.message,
                output: outcome.output,
                fault: None,
                health_check,
                retry_after,
            }
        }
        Err(error) => {
            let (status, is_final) = match error.class() {
                Class::Failed => (Status::Failed, true),
                Class::FailedForNow => (Status::Failed, false),
                Class::Fatal => (Status::Errored, true),
                Class::Retryable => (Status::Errored, false),
            };
            Attempt {
                output: error.output().cloned(),
                retry_after: error.retry_after(),
                ..Attempt::fault(status, fault::message(&error), is_final)
            }
        }
    }
}

/// Refuses an output that nobody could keep.
pub(super) fn bounded(attempt: Attempt) -> Attempt {
    let Some(output) = &attempt.output else { return attempt };
    let size = serde_json::to_vec(output).map_or(usize::MAX, |text| text.len());
    if size <= MAX_OUTPUT_BYTES {
        return attempt;
    }
    let message = format!(
        "its output has {size} bytes, and {MAX_OUTPUT_BYTES} are allowed; let it put less out"
    );
    Attempt::fault(Status::Failed, message, true)
}

/// What may be told of an attempt.
pub(super) fn masked(attempt: &Attempt, redactor: &Redactor) -> Attempt {
    let fault = attempt
        .fault
        .as_ref()
        .map(|fault| Fault { message: redactor.clean(&fault.message), is_final: fault.is_final });
    let health_check = attempt.health_check.clone().map(|mut check| {
        check.config = check.config.map(|config| masked_value(&config, redactor));
        check
    });
    Attempt {
        status: attempt.status.clone(),
        message: redactor.clean(&attempt.message),
        output: attempt.output.as_ref().map(|output| masked_members(output, redactor)),
        fault,
        health_check,
        retry_after: attempt.retry_after,
    }
}

fn masked_members(members: &Map<String, Value>, redactor: &Redactor) -> Map<String, Value> {
    let members = members.iter();
    members.map(|(name, value)| (redactor.clean(name), masked_value(value, redactor))).collect()
}

fn masked_value(value: &Value, redactor: &Redactor) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.clean(text)),
        Value::Array(items) => items.iter().map(|item| masked_value(item, redactor)).collect(),
        Value::Object(members) => Value::Object(masked_members(members, redactor)),
        // A password may be made of digits.
        Value::Number(number) => {
            let text = number.to_string();
            let clean = redactor.clean(&text);
            if clean == text { value.clone() } else { Value::String(clean) }
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}
