//! Roles and bindings.

use emb_meta::{FieldError, FieldPath, NameRule, ObjectExt, Scope};
use serde_json::{Value, json};

use super::{items, label_selector};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Names the API group that users, groups and roles belong to.
pub(super) fn default_binding(binding: &mut Value) {
    if let Some(role) = binding.get_mut("roleRef") {
        fill_group(role);
    }
    let subjects = binding.get_mut("subjects").and_then(Value::as_array_mut);
    for subject in subjects.into_iter().flatten() {
        if matches!(subject.text(&["kind"]), "User" | "Group") {
            fill_group(subject);
        }
    }
}

fn fill_group(reference: &mut Value) {
    if reference.text(&["apiGroup"]).is_empty()
        && let Some(members) = reference.as_object_mut()
    {
        members.insert("apiGroup".to_owned(), json!(GROUP));
    }
}

pub(super) fn validate_role(role: &Value, scope: Scope) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, rule) in items(role, "rules").enumerate() {
        check_rule(rule, scope, &FieldPath::new("rules").index(index), &mut errors);
    }
    if let Some(aggregation) = role.get("aggregationRule") {
        check_aggregation(aggregation, &mut errors);
    }
    errors
}

fn check_rule(rule: &Value, scope: Scope, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let given = |member: &str| items(rule, member).next().is_some();
    if !given("verbs") {
        let detail = "verbs must contain at least one value";
        errors.push(FieldError::required(path.child("verbs"), detail));
    }
    if given("nonResourceURLs") {
        let mut refuse = |detail: &str| {
            let urls = rule.get("nonResourceURLs").unwrap_or(&Value::Null);
            errors.push(FieldError::invalid(path.child("nonResourceURLs"), urls, detail));
        };
        if scope == Scope::Namespaced {
            refuse("namespaced rules cannot apply to non-resource URLs");
        }
        if given("apiGroups") || given("resources") || given("resourceNames") {
            refuse("rules cannot apply to both regular resources and non-resource URLs");
        }
        return;
    }
    if !given("apiGroups") {
        let detail = "resource rules must supply at least one api group";
        errors.push(FieldError::required(path.child("apiGroups"), detail));
    }
    if !given("resources") {
        let detail = "resource rules must supply at least one resource";
        errors.push(FieldError::required(path.child("resources"), detail));
    }
}

fn check_aggregation(aggregation: &Value, errors: &mut Vec<FieldError>) {
    let path = FieldPath::new("aggregationRule").child("clusterRoleSelectors");
    if items(aggregation, "clusterRoleSelectors").next().is_none() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(FieldError::required(&path, detail));
    }
    for (index, selector) in items(aggregation, "clusterRoleSelectors").enumerate() {
        let before = errors.len();
        label_selector::check(selector, &path.index(index), errors);
        if errors.len() > before {
            let detail = "invalid label selector.";
            errors.push(FieldError::invalid(path.index(index), &Value::Null, detail));
        }
    }
}

pub(super) fn validate_binding(new: &Value, old: Option<&Value>, scope: Scope) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check_role_ref(new, scope, &mut errors);
    for (index, subject) in items(new, "subjects").enumerate() {
        check_subject(subject, scope, &FieldPath::new("subjects").index(index), &mut errors);
    }
    if old.is_some_and(|old| old.get("roleRef") != new.get("roleRef")) {
        let shown = json!({
            "APIGroup": new.text(&["roleRef", "apiGroup"]),
            "Kind": new.text(&["roleRef", "kind"]),
            "Name": new.text(&["roleRef", "name"]),
        });
        errors.push(FieldError::invalid("roleRef", &shown, "cannot change roleRef"));
    }
    errors
}

fn check_role_ref(binding: &Value, scope: Scope, errors: &mut Vec<FieldError>) {
    let group = binding.text(&["roleRef", "apiGroup"]);
    if group != GROUP {
        errors.push(FieldError::not_supported("roleRef.apiGroup", &json!(group), [GROUP]));
    }
    let kind = binding.text(&["roleRef", "kind"]);
    let kinds: &[&str] = match scope {
        Scope::Namespaced => &["Role", "ClusterRole"],
        Scope::Cluster => &["ClusterRole"],
    };
    if !kinds.contains(&kind) {
        errors.push(FieldError::not_supported("roleRef.kind", &json!(kind), kinds.iter().copied()));
    }
    let name = binding.text(&["roleRef", "name"]);
    if name.is_empty() {
        errors.push(FieldError::required("roleRef.name", ""));
    }
    for problem in NameRule::PathSegment.problems(name) {
        errors.push(FieldError::invalid("roleRef.name", &json!(name), &problem));
    }
}

fn check_subject(subject: &Value, scope: Scope, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let (kind, name) = (subject.text(&["kind"]), subject.text(&["name"]));
    let group = subject.text(&["apiGroup"]);
    if name.is_empty() {
        errors.push(FieldError::required(path.child("name"), ""));
    }
    let mut expect_group = |expected: &str| {
        if group != expected {
            let at = path.child("apiGroup");
            errors.push(FieldError::not_supported(at, &json!(group), [expected]));
        }
    };
    match kind {
        "User" | "Group" => expect_group(GROUP),
        "ServiceAccount" => {
            expect_group("");
            check_account(subject, scope, path, errors);
        }
        _ => errors.push(FieldError::not_supported(
            path.child("kind"),
            &json!(kind),
            ["ServiceAccount", "User", "Group"],
        )),
    }
}

fn check_account(subject: &Value, scope: Scope, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let name = subject.text(&["name"]);
    if !name.is_empty() {
        for problem in NameRule::DnsSubdomain.problems(name) {
            errors.push(FieldError::invalid(path.child("name"), &json!(name), &problem));
        }
    }
    if scope == Scope::Cluster && subject.text(&["namespace"]).is_empty() {
        errors.push(FieldError::required(path.child("namespace"), ""));
    }
}
