//! The rules for `metadata` that hold for every kind.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    FieldError, FieldErrorKind, FieldPath, NameRule, ObjectExt,
    name::{label_value_problems, qualified_name_problems},
};

/// Annotations of one object may take this many bytes, keys and values together.
const ANNOTATIONS_LIMIT: usize = 262_144;

/// Checks the metadata of an object that is about to be created.
pub fn check_create(object: &Value, rule: NameRule) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (name, prefix) = (object.name(), object.text(&["metadata", "generateName"]));
    if !prefix.is_empty() {
        for problem in rule.prefix_problems(prefix) {
            errors.push(FieldError::invalid("metadata.generateName", &json!(prefix), &problem));
        }
    }
    if name.is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else {
        for problem in rule.problems(name) {
            errors.push(FieldError::invalid("metadata.name", &json!(name), &problem));
        }
    }
    check_common(object, &mut errors);
    errors
}

/// Checks the metadata of an object that is about to replace `old`.
pub fn check_update(object: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check_common(object, &mut errors);
    if old.is_terminating() {
        let kept: Vec<&str> = old.finalizers().collect();
        let added: BTreeSet<&str> = object.finalizers().filter(|new| !kept.contains(new)).collect();
        if !added.is_empty() {
            let added: Vec<String> = added.iter().map(|new| format!("{new:?}")).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", &detail));
        }
    }
    errors
}

/// Everything that is wrong with `text` as a qualified name, the form of label keys and finalizers.
pub fn check_qualified_name(field: impl Into<String>, text: &str) -> Vec<FieldError> {
    all_invalid(field, text, qualified_name_problems(text))
}

/// Everything that is wrong with `text` as the value of a label.
pub fn check_label_value(field: impl Into<String>, text: &str) -> Vec<FieldError> {
    all_invalid(field, text, label_value_problems(text))
}

fn all_invalid(field: impl Into<String>, text: &str, problems: Vec<String>) -> Vec<FieldError> {
    let field = field.into();
    problems
        .iter()
        .map(|problem| FieldError::invalid(field.clone(), &json!(text), problem))
        .collect()
}

/// The finalizers of built-in kinds have a domain, unless they are the API's own.
pub fn check_finalizers(object: &Value) -> Vec<FieldError> {
    let finalizers = object.finalizers().enumerate();
    finalizers
        .filter(|(_, finalizer)| lacks_domain(finalizer))
        .map(|(index, finalizer)| {
            let path = FieldPath::new("metadata").child("finalizers").index(index);
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            FieldError::invalid(path, &json!(finalizer), detail)
        })
        .collect()
}

fn lacks_domain(finalizer: &str) -> bool {
    !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer)
}

/// Warnings that a write of a custom object gets although it is accepted, about what `old` did not have.
pub fn warnings(object: &Value, old: Option<&Value>) -> Vec<String> {
    let known: Vec<&str> = old.into_iter().flat_map(ObjectExt::finalizers).collect();
    object
        .finalizers()
        .filter(|finalizer| lacks_domain(finalizer) && !known.contains(finalizer))
        .map(|finalizer| {
            format!(
                "metadata.finalizers: {finalizer:?}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
            )
        })
        .collect()
}

/// Finalizers of the API itself, which have no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

fn check_common(object: &Value, errors: &mut Vec<FieldError>) {
    check_labels(object, errors);
    check_annotations(object, errors);
    check_owners(object, errors);
    for finalizer in object.finalizers() {
        errors.extend(check_qualified_name("metadata.finalizers", finalizer));
    }
}

fn check_labels(object: &Value, errors: &mut Vec<FieldError>) {
    for (key, value) in object.labels() {
        errors.extend(check_qualified_name("metadata.labels", key));
        errors.extend(check_label_value("metadata.labels", value));
    }
}

fn check_annotations(object: &Value, errors: &mut Vec<FieldError>) {
    let annotations =
        object.metadata().and_then(|m| m.get("annotations")).and_then(Value::as_object);
    let mut total = 0;
    for (key, value) in annotations.into_iter().flatten() {
        // The prefix of an annotation key may have upper-case letters.
        for problem in qualified_name_problems(&key.to_lowercase()) {
            errors.push(FieldError::invalid("metadata.annotations", &json!(key), &problem));
        }
        total += key.len() + value.as_str().map_or(0, str::len);
    }
    if total > ANNOTATIONS_LIMIT {
        errors.push(FieldError::too_long("metadata.annotations", ANNOTATIONS_LIMIT));
    }
}

fn check_owners(object: &Value, errors: &mut Vec<FieldError>) {
    let owners = object.metadata().and_then(|m| m.get("ownerReferences")).and_then(Value::as_array);
    let path = FieldPath::new("metadata").child("ownerReferences");
    let mut controller: Option<&Value> = None;
    for owner in owners.into_iter().flatten() {
        for (member, child) in
            [("apiVersion", "apiVersion"), ("kind", "kind"), ("name", "name"), ("uid", "uid")]
        {
            if owner.text(&[member]).is_empty() {
                errors.push(FieldError::invalid(
                    path.child(child),
                    &json!(""),
                    "must not be empty",
                ));
            }
        }
        if owner.text(&["apiVersion"]) == "v1" && owner.text(&["kind"]) == "Event" {
            let detail = "/v1, Kind=Event is disallowed from being an owner";
            errors.push(invalid_owner(&path, &written_out(owner), detail));
        }
        if owner.get("controller").and_then(Value::as_bool) == Some(true) {
            if let Some(first) = controller {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}",
                    named(first),
                    named(owner)
                );
                let all: Vec<String> = owners.into_iter().flatten().map(written_out).collect();
                errors.push(invalid_owner(&path, &format!("[{}]", all.join(",")), &detail));
                break;
            }
            controller = Some(owner);
        }
    }
}

fn invalid_owner(path: &FieldPath, shown: &str, detail: &str) -> FieldError {
    let message = format!("Invalid value: {shown}: {detail}");
    FieldError::of(FieldErrorKind::Invalid, path, message)
}

/// A reference as messages show it: its members in the order of their declaration.
fn written_out(owner: &Value) -> String {
    let texts = ["apiVersion", "kind", "name", "uid"]
        .map(|member| format!("{member:?}:{}", json!(owner.text(&[member]))));
    let flags = ["controller", "blockOwnerDeletion"].into_iter().filter_map(|member| {
        let flag = owner.get(member)?.as_bool()?;
        Some(format!("{member:?}:{flag}"))
    });
    let members: Vec<String> = texts.into_iter().chain(flags).collect();
    format!("{{{}}}", members.join(","))
}

fn named(owner: &Value) -> String {
    format!("{}/{}", owner.text(&["kind"]), owner.text(&["name"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(metadata: Value) -> Value {
        json!({ "metadata": metadata })
    }

    #[test]
    fn a_name_is_required_and_checked() {
        let fields = |object: &Value| -> Vec<String> {
            check_create(object, NameRule::DnsSubdomain).into_iter().map(|e| e.field).collect()
        };
        assert_eq!(fields(&object(json!({}))), ["metadata.name"]);
        assert_eq!(fields(&object(json!({"name": "Upper"}))), ["metadata.name"]);
        assert!(fields(&object(json!({"name": "fine"}))).is_empty());
        let generated = |prefix: &str| object(json!({"name": "a", "generateName": prefix}));
        assert_eq!(fields(&generated("prod.")), ["metadata.generateName"]);
        assert!(fields(&generated("prod-")).is_empty());
    }

    #[test]
    fn bad_labels_annotations_and_owners_are_each_named() {
        let bad = object(json!({
            "name": "a", "labels": {"a b": "c d"}, "annotations": {"x": "y".repeat(262_144)},
            "ownerReferences": [{"kind": "X", "name": "a", "apiVersion": "v1"}],
            "finalizers": ["-bad-"],
        }));
        let errors = check_create(&bad, NameRule::DnsSubdomain);
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "metadata.labels",
                "metadata.labels",
                "metadata.annotations",
                "metadata.ownerReferences.uid",
                "metadata.finalizers"
            ]
        );
    }

    #[test]
    fn only_one_owner_may_be_the_controller() {
        let owner = |name: &str| json!({"apiVersion": "v1", "kind": "X", "name": name, "uid": name, "controller": true});
        let errors = check_create(
            &object(json!({"name": "a", "ownerReferences": [owner("a"), owner("b")]})),
            NameRule::DnsSubdomain,
        );
        assert!(errors[0].message.ends_with("in references for X/a and X/b"), "{}", errors[0]);
    }

    #[test]
    fn events_own_nothing() {
        let event = json!({"apiVersion": "v1", "kind": "Event", "name": "a", "uid": "u", "blockOwnerDeletion": true});
        let owned = object(json!({"name": "a", "ownerReferences": [event]}));
        let errors = check_create(&owned, NameRule::DnsSubdomain);
        assert_eq!(
            errors[0].message,
            r#"Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"u","blockOwnerDeletion":true}: /v1, Kind=Event is disallowed from being an owner"#
        );
    }

    #[test]
    fn a_terminating_object_gets_no_new_finalizer() {
        let old = object(json!({"name": "a", "deletionTimestamp": "t", "finalizers": ["a.b/c"]}));
        let finalizers = ["a.b/c", "g.h/i", "d.e/f", "g.h/i"];
        let new = object(json!({"name": "a", "deletionTimestamp": "t", "finalizers": finalizers}));
        let told = &check_update(&new, &old)[0].message;
        let each_once = "found new finalizers []string{\"d.e/f\", \"g.h/i\"}";
        assert!(told.ends_with(each_once), "{told}");
        assert!(check_update(&old, &old).is_empty());
    }

    #[test]
    fn a_finalizer_without_domain_draws_a_warning() {
        let warned = object(json!({"name": "a", "finalizers": ["plain", "a.b/c"]}));
        assert_eq!(warnings(&warned, None).len(), 1);
        assert!(warnings(&warned, Some(&warned)).is_empty(), "it was warned about before");
    }

    #[test]
    fn a_built_in_kind_refuses_a_finalizer_without_domain() {
        let finalizers = json!({"finalizers": ["orphan", "a.b/c", "plain"]});
        let errors = check_finalizers(&object(finalizers));
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["metadata.finalizers[2]"]);
    }
}
