//! What is written into objects by us, whatever was sent.
//!
//! Admission believes the API server, so that nothing may pass through it that only the server may
//! say: who created an object, who asks for an abort or for another verification, what people answered,
//! and what is a rollback.

use api_kinds::annotations;
use serde_json::{Map, Value};

use super::check::ResourceError;
use super::object::{Resource, annotation};
use crate::request::{AbortRequest, VerificationRequest};

/// Makes an object ready to be created by this actor; `None` when nobody is known to act.
pub fn prepare_create(resource: &mut Resource, actor: Option<&str>) {
    keep_our_words(resource, None);
    let Some(actor) = actor else { return };
    if has_creator(resource) {
        resource.set_annotation(annotations::CREATE_ACTOR, Some(actor));
    }
    sign(resource, None, actor);
}

/// Makes an object ready to replace the stored one. Who created it stays; a version that the sender
/// names must be the stored one, and without one the last write wins.
pub fn prepare_update(
    resource: &mut Resource,
    stored: &Map<String, Value>,
    actor: Option<&str>,
) -> Result<(), ResourceError> {
    let version = stored.get("metadata").and_then(|metadata| metadata.get("resourceVersion"));
    let version = version.and_then(Value::as_str).unwrap_or_default();
    let sent = resource.resource_version();
    if !sent.is_empty() && sent != version {
        return Err(ResourceError::Changed {
            kind: resource.kind().to_owned(),
            group: resource.group().to_owned(),
            name: resource.name().to_owned(),
            sent: sent.to_owned(),
            stored: version.to_owned(),
        });
    }
    resource.set_resource_version(version);
    keep_our_words(resource, Some(stored));
    if has_creator(resource) {
        resource.set_annotation(
            annotations::CREATE_ACTOR,
            annotation(stored, annotations::CREATE_ACTOR),
        );
    }
    if let Some(actor) = actor {
        sign(resource, Some(stored), actor);
    }
    Ok(())
}

/// Keeps what others must do before the object is gone, and what it belongs to, where the sender says nothing of either.
pub fn keep_custody(resource: &mut Resource, stored: &Map<String, Value>) {
    for field in ["finalizers", "ownerReferences"] {
        if let Some(kept) = stored.get("metadata").and_then(|metadata| metadata.get(field)) {
            resource.add_metadata(field, kept);
        }
    }
}

/// Answers come by a route of their own, which looks at who answers; what is a rollback, the controllers say.
fn keep_our_words(resource: &mut Resource, stored: Option<&Map<String, Value>>) {
    if !resource.is_ours("Promotion") {
        return;
    }
    for key in [annotations::RESPONSES, annotations::ROLLBACK] {
        resource.set_annotation(key, stored.and_then(|stored| annotation(stored, key)));
    }
}

fn has_creator(resource: &Resource) -> bool {
    ["Project", "Promotion", "PromotionRequest"].iter().any(|kind| resource.is_ours(kind))
}

/// Writes into new requests who asks. What does not read as a request is left alone, and ignored.
fn sign(resource: &mut Resource, stored: Option<&Map<String, Value>>, actor: &str) {
    let is_new = |resource: &Resource, key: &str| {
        resource.annotation(key).is_some()
            && resource.annotation(key) != stored.and_then(|stored| annotation(stored, key))
    };
    let verifications: &[&str] = match resource.kind() {
        "Stage" if resource.is_ours("Stage") => &[annotations::ABORT, annotations::REVERIFY],
        _ => &[],
    };
    for key in verifications {
        if is_new(resource, key) {
            let request = resource.annotation(key).and_then(VerificationRequest::parse);
            let signed = request.map(|request| {
                let actor = actor.to_owned();
                VerificationRequest { actor, control_plane: true, ..request }.to_annotation()
            });
            resource.set_annotation_if_any(key, signed);
        }
    }
    if resource.is_ours("Promotion") && is_new(resource, annotations::ABORT) {
        let request = resource.annotation(annotations::ABORT).and_then(AbortRequest::parse);
        let signed = request.map(|request| {
            let actor = actor.to_owned();
            AbortRequest { actor, control_plane: true, ..request }.to_annotation()
        });
        resource.set_annotation_if_any(annotations::ABORT, signed);
    }
}

impl Resource {
    fn set_annotation_if_any(&mut self, key: &str, value: Option<String>) {
        if let Some(value) = value {
            self.set_annotation(key, Some(&value));
        }
    }
}
