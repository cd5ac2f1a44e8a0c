//! A changed object: which changes count at which endpoint, and what the result must satisfy.

use emb_kinds::BuiltInKind;
use emb_meta::{Cause, FieldError, GroupKind, ObjectExt, Status, validate};
use serde_json::{Map, Value, json};

use super::{
    called, check_content, drop_nulls, is_other_kind, kind, managed, metadata,
    owners::{self, Moment},
    refuse, refuse_as,
};
use crate::{access::check_escalation, call::Call};

/// How the new object came about; it decides how a changed uid is answered and whose the changes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Post,
    Put,
    Patch,
    /// The managers of its fields are known already.
    Apply,
}

/// What happens before mutating admission: identity, preconditions, and the part of the object this endpoint may change.
pub(crate) fn begin(
    call: &Call,
    new: &mut Value,
    old: &Value,
    source: Source,
) -> Result<(), Status> {
    let typed = managed::is_typed(call, new);
    metadata::settle_name(call, new)?;
    metadata::settle_namespace(call, new)?;
    // A replacement says first which object it means, then which version of it.
    if source == Source::Put {
        check_uid(call, new, old, source)?;
    }
    check_version(call, new, old, source)?;
    check_uid(call, new, old, source)?;
    let marks = metadata::check_deletion_fields(new, old);
    let left_out = metadata::marks_left_out(new);
    metadata::keep_server_fields(new, old);
    separate_status(call, new, old);
    kind::on_update(call, new, old);
    if call.path.subresource.is_empty() && !marks.is_empty() {
        // Nothing that follows mends these, so all that is wrong is told here.
        let errors = [validate::check_update(new, old), marks].concat();
        let errors = check_content(&call.served, new, Some(old), errors);
        return refuse_as(&called(&call.served, new), call.name(), &errors);
    }
    match source {
        Source::Apply => {}
        _ if typed => note_managers(call, new, old, &left_out),
        _ => managed::forget(new),
    }
    Ok(())
}

/// Notes whose the changes are. Marks of deletion that the client left out stay, but are nobody's from then on.
fn note_managers(call: &Call, new: &mut Value, old: &Value, left_out: &[&str]) {
    let metadata = new.metadata_mut();
    let kept: Vec<_> = left_out.iter().filter_map(|mark| metadata.remove_entry(*mark)).collect();
    managed::of_change(call, new, old);
    new.metadata_mut().extend(kept);
}

/// What happens after mutating admission: generation and validation.
pub(crate) fn complete(call: &mut Call, new: &mut Value, old: &Value) -> Result<(), Status> {
    metadata::keep_server_fields(new, old);
    super::conform_again(call, new)?;
    owners::keep_distinct(call, new, Moment::Admitted);
    let called = called(&call.served, new);
    if call.path.subresource == "status" && is_other_kind(&call.served, new) {
        // Whatever the object calls itself, its status is that of its kind.
        call.served.add_type(new);
        call.served.resource.schema.prune(new);
    }
    kind::complete_update(call, new, old);
    check_escalation(call, new, Some(old))?;
    let resource = &call.served.resource;
    if resource.tracks_generation && content_differs(new, old, resource.has_status) {
        new.metadata_mut().insert("generation".into(), json!(old.generation() + 1));
    }
    let mut errors = check_content(&call.served, new, Some(old), validate::check_update(new, old));
    if call.path.subresource == "status" {
        errors.iter_mut().for_each(name_from_status);
    }
    refuse_as(&called, old.name(), &errors)?;
    refuse(&call.served, old.name(), &kind::problems(call, new))?;
    if call.served.custom.is_some() {
        call.warnings.extend(validate::warnings(new, Some(old)));
    }
    drop_nulls(&call.served, new);
    emb_apply::keep_times(old, new);
    Ok(())
}

fn check_version(call: &Call, new: &Value, old: &Value, source: Source) -> Result<(), Status> {
    let given = new.resource_version();
    let absent = given.is_empty() || given == "0";
    if absent && source != Source::Apply && !overwrites(call) {
        let error = FieldError::invalid(
            "metadata.resourceVersion",
            &json!(0),
            "must be specified for an update",
        );
        let shown = &call.served.group_resource;
        let kind = GroupKind::new(shown.group.clone(), shown.resource.clone());
        return Err(Status::invalid(&kind, call.name(), &[error]));
    }
    if absent || given == old.resource_version() {
        return Ok(());
    }
    let refused = call.modified(call.name());
    Err(if source == Source::Put { naming_version(refused, old) } else { refused })
}

/// Tells whoever replaces an older state which one is there now. It is a hint: others may come before the next attempt.
fn naming_version(mut refused: Status, old: &Value) -> Status {
    refused.details.get_or_insert_default().causes.push(Cause {
        reason: "CurrentResourceVersion".into(),
        message: old.resource_version().to_owned(),
        field: "metadata.resourceVersion".into(),
    });
    refused
}

/// Whether an update of this kind may leave out which version it replaces.
fn overwrites(call: &Call) -> bool {
    match call.served.resource.built_in() {
        None => false,
        Some(kind) => !matches!(
            kind,
            BuiltInKind::Lease
                | BuiltInKind::CustomResourceDefinition
                | BuiltInKind::MutatingWebhookConfiguration
                | BuiltInKind::ValidatingWebhookConfiguration
        ),
    }
}

fn check_uid(call: &Call, new: &Value, old: &Value, source: Source) -> Result<(), Status> {
    let given = new.uid();
    // What a patch of a subresource says about metadata does not count.
    let ignored = source != Source::Put && !call.path.subresource.is_empty();
    if ignored || given.is_empty() || given == old.uid() {
        return Ok(());
    }
    match source {
        Source::Put => Err(other_uid(call, given, old.uid())),
        Source::Post | Source::Patch | Source::Apply => {
            let error = FieldError::invalid("metadata.uid", &json!(given), "field is immutable");
            Err(Status::invalid(&call.served.resource.group_kind(), call.name(), &[error]))
        }
    }
}

/// The reference validates a status by itself, so the texts of its errors name fields from there on.
fn name_from_status(error: &mut FieldError) {
    if error.message.contains(" in body ") {
        error.message = error.message.replacen(": status.", ": ", 1);
        error.message = error.message.replacen(": status in body ", ":  in body ", 1);
    }
}

/// 409 for an update of another object than the one that is there, in the words of the reference's storage.
pub(crate) fn other_uid(call: &Call, given: &str, actual: &str) -> Status {
    let resource = &call.served.group_resource;
    // A dry run does not reach the storage that adds the first part.
    let root = if call.info.query.all("dryRun").next().is_some() { "" } else { "registry" };
    let group = if call.served.custom.is_some() { &*resource.group } else { "" };
    let place = [root, group, &*resource.resource, call.namespace(), call.name()];
    let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: /{}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {given}, UID in object meta: {actual}",
        place.join("/")
    );
    Status::conflict(resource, call.name(), &why)
}

/// The main endpoint leaves status alone; the status endpoint changes nothing else.
fn separate_status(call: &Call, new: &mut Value, old: &Value) {
    if call.path.subresource == "status" {
        let [kind, status] = ["kind", "status"].map(|member| new.get(member).cloned());
        metadata::reset(new, old);
        set_member(new, "kind", kind);
        set_member(new, "status", status);
    } else if call.served.resource.has_status {
        set_member(new, "status", old.get("status").cloned());
    }
}

fn set_member(object: &mut Value, key: &str, value: Option<Value>) {
    if let Some(members) = object.as_object_mut() {
        match value {
            Some(value) => members.insert(key.to_owned(), value),
            None => members.remove(key),
        };
    }
}

/// Whether anything that the generation counts has changed.
fn content_differs(new: &Value, old: &Value, has_status: bool) -> bool {
    let ignored = |key: &str| {
        matches!(key, "metadata" | "apiVersion" | "kind") || (has_status && key == "status")
    };
    let empty = Map::new();
    let (new, old) = (new.as_object().unwrap_or(&empty), old.as_object().unwrap_or(&empty));
    new.keys().chain(old.keys()).filter(|key| !ignored(key)).any(|key| new.get(key) != old.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generation_counts_content_and_status_only_without_its_own_endpoint() {
        let old = json!({"metadata": {"labels": {}}, "spec": {"a": 1}, "status": {"b": 1}});
        let mut relabelled = old.clone();
        relabelled["metadata"]["labels"]["x"] = json!("y");
        assert!(!content_differs(&relabelled, &old, true));
        let mut status = old.clone();
        status["status"]["b"] = json!(2);
        assert!(!content_differs(&status, &old, true));
        assert!(content_differs(&status, &old, false));
        let mut dropped = old.clone();
        dropped.as_object_mut().unwrap().remove("spec");
        assert!(content_differs(&dropped, &old, true));
    }
}
