//! Leases.

use emb_meta::FieldError;
use serde_json::{Value, json};

/// Drops what belongs to coordinated leader election, which is not served.
pub(super) fn default(lease: &mut Value) {
    if let Some(spec) = lease.get_mut("spec").and_then(Value::as_object_mut) {
        spec.remove("strategy");
        spec.remove("preferredHolder");
    }
}

pub(super) fn validate(new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let number = |member: &str| new.pointer("/spec").and_then(|spec| spec.get(member)?.as_i64());
    if let Some(seconds) = number("leaseDurationSeconds").filter(|seconds| *seconds <= 0) {
        let detail = "must be greater than 0";
        errors.push(FieldError::invalid("spec.leaseDurationSeconds", &json!(seconds), detail));
    }
    if let Some(count) = number("leaseTransitions").filter(|count| *count < 0) {
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid("spec.leaseTransitions", &json!(count), detail));
    }
    errors
}
