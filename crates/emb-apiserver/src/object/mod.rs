//! The way of an object from a request body to the store: decoding, the rules for metadata, defaults, validation.
//! Everything here is computed on values; the verbs read, ask admission and commit.

pub(crate) mod create;
pub(crate) mod decode;
pub(crate) mod delete;
pub(crate) mod kind;
pub(crate) mod managed;
mod metadata;
pub(crate) mod owners;
pub(crate) mod update;

use emb_kinds::BuiltInKind;
use emb_meta::{FieldError, GroupKind, ObjectExt, Status, validate};
use emb_schema::{Budget, Schema};
use serde_json::{Value, json};

pub(crate) use metadata::settle_namespace;

use crate::{call::Call, registry::Served};

/// Takes unknown fields and nulls out and puts defaults in. What does not even have the types of its kind is 400.
pub(crate) fn conform(served: &Served, object: &mut Value) -> Result<(), Status> {
    conform_with(served, object, Schema::drop_nulls_and_default)
}

/// The same for an object that was decoded before: a null that is still in it was applied, and is for validation to find.
pub(crate) fn conform_decoded(served: &Served, object: &mut Value) -> Result<(), Status> {
    conform_with(served, object, Schema::default)
}

fn conform_with(
    served: &Served,
    object: &mut Value,
    default: impl Fn(&Schema, &mut Value),
) -> Result<(), Status> {
    if served.custom.is_some() {
        metadata::check_shape(object)
            .map_err(|problem| decode::cannot_handle(served, object, &problem))?;
        if is_other_kind(served, object) {
            // What it holds is not for this kind to take away.
            served.resource.schema.default(object);
        } else {
            served.resource.schema.prune(object);
            default(&served.resource.schema, object);
        }
    } else {
        served
            .resource
            .decode_builtin(object)
            .map_err(|problem| decode::cannot_handle(served, object, &problem.to_string()))?;
        served.resource.default_builtin(object);
    }
    Ok(())
}

/// The same where something may have changed the object since.
fn conform_again(call: &Call, object: &mut Value) -> Result<(), Status> {
    if call.served.custom.is_some() && call.state.admission.is_empty() {
        return Ok(());
    }
    conform_decoded(&call.served, object)
}

/// Drops the nulls that an apply has left where nothing says what a value may be.
fn drop_nulls(served: &Served, object: &mut Value) {
    if served.custom.is_some() {
        served.resource.schema.drop_nulls_and_default(object);
    }
}

/// Adds what is wrong with the content of an object to what is wrong with its metadata.
fn check_content(
    served: &Served,
    new: &Value,
    old: Option<&Value>,
    mut errors: Vec<FieldError>,
) -> Vec<FieldError> {
    let resource = &served.resource;
    if served.custom.is_some() {
        if let Some(error) = other_kind(served, new) {
            // Of another kind the structure is not looked at, and metadata only where it would replace an object.
            if old.is_none() {
                errors.clear();
            }
            errors.push(error);
            let more =
                resource.schema.validate_beyond_structure(new, old, Budget::default(), &errors);
            errors.extend(more);
            return errors;
        }
        let more = resource.schema.validate_after(new, old, Budget::default(), &errors);
        errors.extend(more);
        return errors;
    }
    let content = resource.validate_builtin(new, old);
    if old.is_none() && !content.is_empty() && resource.built_in() == Some(BuiltInKind::Event) {
        // The older API of Events looks at metadata last.
        return content;
    }
    if finalizers_have_domains(served) {
        errors.extend(validate::check_finalizers(new));
    }
    errors.extend(content);
    errors
}

/// Whether a custom object says that it is of another kind than those of its endpoint.
fn is_other_kind(served: &Served, object: &Value) -> bool {
    let gvk = &served.resource.gvk;
    let group = object.text(&["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    served.custom.is_some() && (object.text(&["kind"]) != &*gvk.kind || group != &*gvk.group)
}

/// The error of such an object.
fn other_kind(served: &Served, object: &Value) -> Option<FieldError> {
    let (given, wanted) = (object.text(&["kind"]), &served.resource.gvk.kind);
    is_other_kind(served, object)
        .then(|| FieldError::invalid("kind", &json!(given), &format!("must be {wanted}")))
}

/// Whether finalizers of a built-in kind must be domain-qualified: those of Events, Leases and definitions need not be.
fn finalizers_have_domains(served: &Served) -> bool {
    let resource = &served.group_resource;
    match &*resource.group {
        "" => &*resource.resource != "events",
        group => group == "rbac.authorization.k8s.io",
    }
}

/// 422 when there is anything to complain about.
fn refuse(served: &Served, name: &str, errors: &[FieldError]) -> Result<(), Status> {
    refuse_as(&served.resource.group_kind(), name, errors)
}

/// The kind that an object says it is of: refusals name that.
fn called(served: &Served, object: &Value) -> GroupKind {
    GroupKind::new(served.resource.gvk.group.clone(), object.text(&["kind"]))
}

/// The same under the name of another kind.
fn refuse_as(kind: &GroupKind, name: &str, errors: &[FieldError]) -> Result<(), Status> {
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid(kind, name, errors)) }
}
