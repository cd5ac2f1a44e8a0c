//! Webhook configurations.

use std::collections::BTreeSet;

use emb_meta::{FieldError, FieldPath, NameRule, ObjectExt, dns_1035_label_problems, validate};
use emb_schema::Condition;
use serde_json::{Map, Value, json};

use super::{items, label_selector, webhook_rule, webhook_url::check_url};

/// Which of the two configurations a webhook stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Mutating,
    Validating,
}

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const CONDITIONS_LIMIT: usize = 64;

pub(super) fn default(configuration: &mut Value, stage: Stage) {
    let webhooks = configuration.get_mut("webhooks").and_then(Value::as_array_mut);
    for webhook in webhooks.into_iter().flatten().filter_map(Value::as_object_mut) {
        default_webhook(webhook, stage);
    }
}

fn default_webhook(webhook: &mut Map<String, Value>, stage: Stage) {
    let defaults = [
        ("failurePolicy", json!("Fail")),
        ("matchPolicy", json!("Equivalent")),
        ("namespaceSelector", json!({})),
        ("objectSelector", json!({})),
        ("timeoutSeconds", json!(10)),
    ];
    for (member, value) in defaults {
        webhook.entry(member).or_insert(value);
    }
    if stage == Stage::Mutating {
        webhook.entry("reinvocationPolicy").or_insert_with(|| json!("Never"));
    }
    if let Some(Value::Object(service)) =
        webhook.get_mut("clientConfig").and_then(|c| c.get_mut("service"))
    {
        service.entry("port").or_insert_with(|| json!(443));
    }
    let rules = webhook.get_mut("rules").and_then(Value::as_array_mut);
    for rule in rules.into_iter().flatten().filter_map(Value::as_object_mut) {
        rule.entry("scope").or_insert_with(|| json!("*"));
    }
}

pub(super) fn validate(configuration: &Value, stage: Stage) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names = BTreeSet::new();
    for (index, webhook) in items(configuration, "webhooks").enumerate() {
        let path = FieldPath::new("webhooks").index(index);
        check_name(webhook, &path, &mut errors);
        for (at, rule) in items(webhook, "rules").enumerate() {
            webhook_rule::check(rule, &path.child("rules").index(at), &mut errors);
        }
        check_policies(webhook, stage, &path, &mut errors);
        for selector in ["namespaceSelector", "objectSelector"] {
            if let Some(value) = webhook.get(selector) {
                label_selector::check(value, &path.child(selector), &mut errors);
            }
        }
        check_client(webhook, &path.child("clientConfig"), &mut errors);
        check_conditions(webhook, &path.child("matchConditions"), &mut errors);
        check_versions(webhook, &path.child("admissionReviewVersions"), &mut errors);
        let name = webhook.text(&["name"]);
        if !names.insert(name) && !name.is_empty() {
            errors.push(FieldError::duplicate(path.child("name"), &json!(name)));
        }
    }
    errors
}

fn check_name(webhook: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let name = webhook.text(&["name"]);
    let at = path.child("name");
    if name.is_empty() {
        errors.push(FieldError::required(at, ""));
    } else if let Some(problem) = NameRule::DnsSubdomain.check(name) {
        errors.push(FieldError::invalid(at, &json!(name), &problem));
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.push(FieldError::invalid(at, &json!(name), detail));
    }
}

fn check_policies(webhook: &Value, stage: Stage, path: &FieldPath, errors: &mut Vec<FieldError>) {
    check_choice(webhook, "failurePolicy", &["Fail", "Ignore"], path, errors);
    check_choice(webhook, "matchPolicy", &["Equivalent", "Exact"], path, errors);
    if webhook.get("sideEffects").is_none() {
        let detail = "must specify one of None, NoneOnDryRun";
        errors.push(FieldError::required(path.child("sideEffects"), detail));
    }
    check_choice(webhook, "sideEffects", &["None", "NoneOnDryRun"], path, errors);
    if let Some(seconds) = webhook.get("timeoutSeconds").and_then(Value::as_i64)
        && !(1..=30).contains(&seconds)
    {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.push(FieldError::invalid(path.child("timeoutSeconds"), &json!(seconds), detail));
    }
    if stage == Stage::Mutating {
        check_choice(webhook, "reinvocationPolicy", &["IfNeeded", "Never"], path, errors);
    }
}

/// Checks that `member`, if given, is one of `choices`.
pub(super) fn check_choice(
    object: &Value,
    member: &str,
    choices: &[&str],
    path: &FieldPath,
    errors: &mut Vec<FieldError>,
) {
    if let Some(value) = object.get(member)
        && !value.as_str().is_some_and(|text| choices.contains(&text))
    {
        let at = path.child(member);
        errors.push(FieldError::not_supported(at, value, choices.iter().copied()));
    }
}

fn check_client(webhook: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let config = webhook.get("clientConfig").unwrap_or(&Value::Null);
    match (config.get("url"), config.get("service")) {
        (Some(url), None) => {
            check_url(url.as_str().unwrap_or_default(), &path.child("url"), errors);
        }
        (None, Some(service)) => check_service(service, &path.child("service"), errors),
        _ => errors.push(FieldError::required(path, "exactly one of url or service is required")),
    }
}

/// Whether the service can be reached is known to the server alone.
fn check_service(service: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    for member in ["name", "namespace"] {
        if service.text(&[member]).is_empty() {
            errors.push(FieldError::required(path.child(member), ""));
        }
    }
    check_path(service.text(&["path"]), &path.child("path"), errors);
    if let Some(port) = service.get("port").and_then(Value::as_i64)
        && !(1..=65535).contains(&port)
    {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(path.child("port"), &json!(port), detail));
    }
}

fn check_path(given: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if matches!(given, "" | "/") {
        return;
    }
    let mut refuse = |detail: &str| errors.push(FieldError::invalid(path, &json!(given), detail));
    if !given.starts_with('/') {
        refuse("must start with a '/'");
    }
    let segments = given.get(1..).unwrap_or_default();
    let segments = segments.strip_suffix('/').unwrap_or(segments);
    for (index, segment) in segments.split('/').enumerate() {
        if segment.is_empty() {
            refuse(&format!("segment[{index}] may not be empty"));
            continue;
        }
        for problem in NameRule::DnsSubdomain.problems(segment) {
            refuse(&format!("segment[{index}]: {problem}"));
        }
    }
}

fn check_conditions(webhook: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let mut names = BTreeSet::new();
    let count = items(webhook, "matchConditions").count();
    if count > CONDITIONS_LIMIT {
        errors.push(FieldError::too_many(path, count, CONDITIONS_LIMIT));
        return;
    }
    for (index, condition) in items(webhook, "matchConditions").enumerate() {
        let at = path.index(index);
        let name = condition.text(&["name"]);
        check_expression(condition.text(&["expression"]), at.child("expression"), errors);
        if name.is_empty() {
            errors.push(FieldError::required(at.child("name"), ""));
            continue;
        }
        errors.extend(validate::check_qualified_name(at.child("name"), name));
        if !names.insert(name) {
            errors.push(FieldError::duplicate(at.child("name"), &json!(name)));
        }
    }
}

fn check_expression(source: &str, path: FieldPath, errors: &mut Vec<FieldError>) {
    if source.trim().is_empty() {
        errors.push(FieldError::required(path, ""));
    } else if let Err(problem) = Condition::compile(source) {
        errors.push(FieldError::invalid(path, &json!(source), &problem));
    }
}

fn check_versions(webhook: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let versions: Vec<&str> =
        items(webhook, "admissionReviewVersions").filter_map(Value::as_str).collect();
    if versions.is_empty() {
        errors.push(FieldError::required(path, "must specify one of v1, v1beta1"));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let at = path.index(index);
        if !seen.insert(version) {
            errors.push(FieldError::invalid(&at, &json!(version), "duplicate version"));
        }
        for problem in dns_1035_label_problems(version) {
            errors.push(FieldError::invalid(&at, &json!(version), &problem));
        }
    }
    if !versions.iter().any(|version| REVIEW_VERSIONS.contains(version)) {
        let detail = "must include at least one of v1, v1beta1";
        errors.push(FieldError::invalid(path, &json!(versions), detail));
    }
}
