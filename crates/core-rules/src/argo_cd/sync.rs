//! The one patch that asks Argo CD for a sync.

use api_kinds::annotations;
use serde_json::{Value, json};

use super::{Application, application::REFRESH};

const HARD: &str = "hard";
/// Who asks when no person does.
const CONTROLLER: &str = "kargo-controller";

/// Who asks for a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initiator<'a> {
    /// A person: Argo CD treats the sync as one made by hand.
    Person(&'a str),
    /// Automatic promotion.
    Controller,
}

impl<'a> Initiator<'a> {
    /// The one who acts: `actor` is empty when no person does.
    pub fn of(actor: &'a str) -> Self {
        if actor.is_empty() { Self::Controller } else { Self::Person(actor) }
    }
}

/// The merge patch that writes the sources (a patch of `spec`, if any) and asks for a sync, if the
/// Application is still as it was read.
pub fn sync_patch(
    application: &Application,
    spec: Option<Value>,
    promotion: &str,
    initiator: Initiator<'_>,
) -> Value {
    let (username, automated) = match initiator {
        Initiator::Person(name) => (name, false),
        Initiator::Controller => (CONTROLLER, true),
    };
    let policy = application.spec.sync_policy.clone().unwrap_or_default();
    let mut sync = json!({});
    insert(&mut sync, "syncOptions", policy.sync_options);
    let mut operation = json!({
        "initiatedBy": {"username": username, "automated": automated},
        "info": [
            {"name": "Reason", "value": "Promotion triggered a sync of this Application resource."},
            {"name": annotations::PROMOTION, "value": promotion},
        ],
        "sync": sync,
    });
    insert(&mut operation, "retry", policy.retry);
    let version = &application.metadata.resource_version;
    let mut patch = json!({
        "metadata": {"annotations": {REFRESH: HARD}, "resourceVersion": version},
        "operation": operation,
    });
    insert(&mut patch, "spec", spec);
    let has_status = application.object.get("status").is_some();
    insert(&mut patch, "status", has_status.then(|| json!({"operationState": null})));
    patch
}

/// The merge patch that asks Argo CD to compare again from scratch.
pub fn refresh_patch() -> Value {
    json!({"metadata": {"annotations": {REFRESH: HARD}}})
}

fn insert(object: &mut Value, name: &str, value: Option<Value>) {
    if let (Some(object), Some(value)) = (object.as_object_mut(), value) {
        object.insert(name.to_owned(), value);
    }
}

/// What the Event about a sync says. `application` is as the patch left it.
pub fn sync_message(application: &Application) -> String {
    let target = match application.sources() {
        [source] if !source.target_revision.is_empty() => format!(" to {}", source.target_revision),
        [] | [_] => String::new(),
        several => format!(" to {} sources", several.len()),
    };
    format!("{CONTROLLER} initiated sync{target}")
}
