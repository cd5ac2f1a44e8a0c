//! The way of an object from a request body to the store: decoding, the rules for metadata, defaults, validation.
//! Everything here is computed on values; the verbs read, ask admission and commit.

pub(crate) mod create;
pub(crate) mod decode;
pub(crate) mod delete;
pub(crate) mod kind;
mod metadata;
pub(crate) mod update;

use emb_meta::{FieldError, Status};
use emb_schema::Budget;
use serde_json::Value;

use crate::{call::Call, registry::Served};

/// Takes unknown fields out and puts defaults in. What does not even have the types of its kind is 400.
pub(crate) fn conform(served: &Served, object: &mut Value) -> Result<(), Status> {
    if served.custom.is_some() {
        metadata::check_shape(object).map_err(|problem| decode::cannot_handle(served, &problem))?;
        served.resource.schema.prune(object);
        served.resource.schema.drop_nulls_and_default(object);
    } else {
        served
            .resource
            .decode_builtin(object)
            .map_err(|problem| decode::cannot_handle(served, &problem.to_string()))?;
        served.resource.default_builtin(object);
    }
    Ok(())
}

/// The same for an object that was decoded before, where something may have changed it since.
fn conform_again(call: &Call, object: &mut Value) -> Result<(), Status> {
    if call.served.custom.is_some() && call.state.admission.is_empty() {
        return Ok(());
    }
    conform(&call.served, object)
}

/// Adds what is wrong with the content of an object to what is wrong with its metadata.
fn check_content(
    served: &Served,
    new: &Value,
    old: Option<&Value>,
    mut errors: Vec<FieldError>,
) -> Vec<FieldError> {
    let resource = &served.resource;
    let more = if served.custom.is_some() {
        resource.schema.validate_after(new, old, Budget::default(), &errors)
    } else {
        resource.validate_builtin(new, old)
    };
    errors.extend(more);
    errors
}

/// 422 when there is anything to complain about.
fn refuse(served: &Served, name: &str, errors: &[FieldError]) -> Result<(), Status> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Status::invalid(&served.resource.group_kind(), name, errors))
    }
}
