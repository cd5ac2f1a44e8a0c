//! What each built-in kind adds to the generic handling of objects: defaults, validation, what clients may not set.

mod config_map;
mod data;
mod event;
pub(crate) mod event_view;
mod label_selector;
mod lease;
mod namespace;
mod rbac;
mod secret;
mod webhook;
mod webhook_rule;
#[cfg(test)]
mod webhook_tests;
mod webhook_url;

#[cfg(test)]
mod tests;

use emb_meta::{FieldError, Scope};
use serde_json::{Value, json};

use super::BuiltInKind;
use crate::crd;

/// Fills in what the client left open.
pub(crate) fn default(kind: BuiltInKind, object: &mut Value) {
    match kind {
        BuiltInKind::Secret => secret::default(object),
        BuiltInKind::Namespace => namespace::default(object),
        BuiltInKind::Lease => lease::default(object),
        BuiltInKind::RoleBinding | BuiltInKind::ClusterRoleBinding => {
            rbac::default_binding(object);
        }
        BuiltInKind::MutatingWebhookConfiguration => {
            webhook::default(object, webhook::Stage::Mutating);
        }
        BuiltInKind::ValidatingWebhookConfiguration => {
            webhook::default(object, webhook::Stage::Validating);
        }
        BuiltInKind::CustomResourceDefinition => crd::default(object),
        _ => {}
    }
}

/// What is wrong with `new`, which is created or replaces `old`.
pub(crate) fn validate(kind: BuiltInKind, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    match kind {
        BuiltInKind::Secret => secret::validate(new, old),
        BuiltInKind::ConfigMap => config_map::validate(new, old),
        BuiltInKind::Namespace => namespace::validate(new, old),
        BuiltInKind::Lease => lease::validate(new),
        BuiltInKind::Event => event::validate(new, old, event::Api::Core),
        BuiltInKind::EventsEvent => {
            let (new, old) = (new.clone(), old.cloned());
            let old = old.map(event_view::to_core);
            event::validate(&event_view::to_core(new), old.as_ref(), event::Api::Events)
        }
        BuiltInKind::Role => rbac::validate_role(new, Scope::Namespaced),
        BuiltInKind::ClusterRole => rbac::validate_role(new, Scope::Cluster),
        BuiltInKind::RoleBinding => rbac::validate_binding(new, old, Scope::Namespaced),
        BuiltInKind::ClusterRoleBinding => rbac::validate_binding(new, old, Scope::Cluster),
        BuiltInKind::MutatingWebhookConfiguration => {
            webhook::validate(new, webhook::Stage::Mutating)
        }
        BuiltInKind::ValidatingWebhookConfiguration => {
            webhook::validate(new, webhook::Stage::Validating)
        }
        BuiltInKind::CustomResourceDefinition => crd::validate(new, old).0,
        _ => Vec::new(),
    }
}

/// Sets what clients may not choose on a new object.
pub(crate) fn prepare_create(kind: BuiltInKind, object: &mut Value) {
    match kind {
        BuiltInKind::Namespace => namespace::prepare_create(object),
        BuiltInKind::CustomResourceDefinition => crd::prepare_create(object),
        _ => {}
    }
}

/// Puts back what an update through the object's own path may not change.
pub(crate) fn prepare_update(kind: BuiltInKind, new: &mut Value, old: &Value) {
    let kept: &[&str] = match kind {
        BuiltInKind::Namespace => &["spec", "status"],
        BuiltInKind::CustomResourceDefinition => &["status"],
        _ => &[],
    };
    let Some(members) = new.as_object_mut() else { return };
    for member in kept {
        let value = old.get(member).cloned().unwrap_or_else(|| json!({}));
        members.insert((*member).to_owned(), value);
    }
    if kind == BuiltInKind::CustomResourceDefinition {
        crd::prepare_update(new);
    }
}

/// The items of the list `member`; none when it is absent.
fn items<'a>(object: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    object.get(member).and_then(Value::as_array).into_iter().flatten()
}
