//! Events. The older core API takes almost anything; `events.k8s.io` is strict. Both are checked in the stored form,
//! which is the core one, and texts name its fields.

use emb_meta::{FieldError, ObjectExt, validate};
use serde_json::{Value, json};

/// Which API an event came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    Core,
    Events,
}

pub(super) fn validate(new: &Value, old: Option<&Value>, api: Api) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check_namespace(new, &mut errors);
    if !new.text(&["eventTime"]).is_empty() {
        check_reporter(new, api, &mut errors);
    }
    match (api, old) {
        (Api::Core, _) => {}
        (Api::Events, None) => {
            check_series(new, &mut errors);
            check_new(new, &mut errors);
        }
        (Api::Events, Some(old)) => {
            if new.get("series") != old.get("series") {
                check_series(new, &mut errors);
            }
            check_unchanged(new, old, &mut errors);
        }
    }
    errors
}

fn check_namespace(event: &Value, errors: &mut Vec<FieldError>) {
    let involved = event.text(&["involvedObject", "namespace"]);
    let own = event.namespace();
    let has_time = !event.text(&["eventTime"]).is_empty();
    let sound = match involved {
        "" => own.is_empty() || own == "default" || (has_time && own == "kube-system"),
        _ => has_time || involved == own,
    };
    if !sound {
        errors.push(FieldError::invalid(
            "involvedObject.namespace",
            &json!(involved),
            "does not match event.namespace",
        ));
    }
}

fn check_reporter(event: &Value, api: Api, errors: &mut Vec<FieldError>) {
    let field = match api {
        Api::Core => "reportingComponent",
        Api::Events => "reportingController",
    };
    let controller = event.text(&["reportingComponent"]);
    if controller.is_empty() {
        errors.push(FieldError::required(field, ""));
    }
    errors.extend(validate::check_qualified_name(field, controller));
    for member in ["reportingInstance", "action", "reason"] {
        let text = event.text(&[member]);
        if text.is_empty() {
            errors.push(FieldError::required(member, ""));
        }
        check_length(member, text, 128, errors);
    }
    check_length("message", event.text(&["message"]), 1024, errors);
}

fn check_length(member: &str, text: &str, limit: usize, errors: &mut Vec<FieldError>) {
    if text.len() > limit {
        let detail = format!("can have at most {limit} characters");
        errors.push(FieldError::invalid(member, &json!(""), &detail));
    }
}

fn check_series(event: &Value, errors: &mut Vec<FieldError>) {
    let Some(series) = event.get("series") else { return };
    if series.get("count").and_then(Value::as_i64).unwrap_or_default() < 2 {
        errors.push(FieldError::invalid("series.count", &json!(""), "should be at least 2"));
    }
    if series.text(&["lastObservedTime"]).is_empty() {
        errors.push(FieldError::required("series.lastObservedTime", ""));
    }
}

fn check_new(event: &Value, errors: &mut Vec<FieldError>) {
    if event.text(&["eventTime"]).is_empty() {
        errors.push(FieldError::required("eventTime", ""));
    }
    let kind = event.text(&["type"]);
    if !matches!(kind, "Normal" | "Warning") {
        let detail = format!("has invalid value: {kind}");
        errors.push(FieldError::invalid("type", &json!(""), &detail));
    }
    let source_given = event.get("source").is_some_and(|source| *source != json!({}));
    let given = [
        ("firstTimestamp", !event.text(&["firstTimestamp"]).is_empty()),
        ("lastTimestamp", !event.text(&["lastTimestamp"]).is_empty()),
        ("count", event.get("count").is_some()),
        ("source", source_given),
    ];
    for (member, _) in given.into_iter().filter(|(_, given)| *given) {
        errors.push(FieldError::invalid(member, &json!(""), "needs to be unset"));
    }
}

/// Only the series of an event may change.
fn check_unchanged(new: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    const FIELDS: [(&str, &str); 13] = [
        ("involvedObject", "involvedObject"),
        ("reason", "reason"),
        ("message", "message"),
        ("source", "source"),
        ("firstTimestamp", "firstTimestamp"),
        ("lastTimestamp", "lastTimestamp"),
        ("count", "count"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("related", "related"),
        ("action", "action"),
        ("reportingComponent", "reportingController"),
        ("reportingInstance", "reportingInstance"),
    ];
    for (member, field) in FIELDS {
        if new.get(member) != old.get(member) {
            let value = new.get(member).unwrap_or(&Value::Null);
            errors.push(FieldError::invalid(field, value, "field is immutable"));
        }
    }
}
