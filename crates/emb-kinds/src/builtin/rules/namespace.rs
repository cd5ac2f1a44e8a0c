//! Namespaces.

use emb_meta::{FieldError, FieldPath, ObjectExt, validate};
use serde_json::{Value, json};

use super::items;

/// The finalizer that empties a namespace before it goes.
const FINALIZER: &str = "kubernetes";
/// Lets selectors choose namespaces by name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Forces the label that carries the name.
pub(super) fn default(namespace: &mut Value) {
    let name = namespace.name().to_owned();
    if name.is_empty() {
        return;
    }
    let labels = namespace.metadata_mut().entry("labels").or_insert_with(|| json!({}));
    if let Some(labels) = labels.as_object_mut() {
        labels.insert(NAME_LABEL.to_owned(), json!(name));
    }
}

/// What a new namespace starts with, whatever the client says.
pub(super) fn prepare_create(namespace: &mut Value) {
    let Some(members) = namespace.as_object_mut() else { return };
    members.insert("status".to_owned(), json!({"phase": "Active"}));
    let spec = members.entry("spec").or_insert_with(|| json!({}));
    let Some(spec) = spec.as_object_mut() else { return };
    let finalizers = spec.entry("finalizers").or_insert_with(|| json!([]));
    if let Some(list) = finalizers.as_array_mut().filter(|list| !list.contains(&json!(FINALIZER))) {
        list.push(json!(FINALIZER));
    }
}

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let path = FieldPath::new("spec").child("finalizers");
    let finalizers = items(new.get("spec").unwrap_or(&Value::Null), "finalizers");
    for (index, finalizer) in finalizers.enumerate() {
        let at = if old.is_some() { path.index(index) } else { path.clone() };
        check_finalizer(finalizer.as_str().unwrap_or_default(), &at, &mut errors);
    }
    if old.is_some() {
        check_phase(new, &mut errors);
    }
    errors
}

fn check_finalizer(finalizer: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    errors.extend(validate::check_qualified_name(path, finalizer));
    if !finalizer.contains('/') && finalizer != FINALIZER {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        errors.push(FieldError::invalid(path, &json!(finalizer), detail));
    }
}

fn check_phase(namespace: &Value, errors: &mut Vec<FieldError>) {
    let (expected, problem) = if namespace.is_terminating() {
        ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty")
    } else {
        ("Active", "may only be 'Active' if `deletionTimestamp` is empty")
    };
    let phase = namespace.text(&["status", "phase"]);
    if phase != expected {
        errors.push(FieldError::invalid("status.Phase", &json!(phase), problem));
    }
}
