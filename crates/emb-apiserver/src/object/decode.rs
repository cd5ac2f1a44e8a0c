//! From body bytes to an object of the right kind, with unknown and duplicate fields reported as the client asked.

use std::fmt::Display;

use emb_codec::yaml;
use emb_meta::{FieldError, GroupKind, ObjectExt, Reason, Status};
use serde_json::{Map, Value, json};

use super::{conform, conform_decoded, is_other_kind};
use crate::{
    call::Call,
    registry::Served,
    request::{body, query::FieldValidation},
};

/// Decodes the object in the body of a create or update.
pub(crate) fn object(call: &mut Call, validation: FieldValidation) -> Result<Value, Status> {
    let content_type = call.info.header("content-type").to_owned();
    let decoded = body::decode(&call.body, &content_type)?;
    let mut value = decoded.value;
    check_form(&call.served, &mut value, &call.body)?;
    let custom = call.served.custom.is_some();
    if !custom {
        check_version(&call.served, &value)?;
        check_kind(&call.served, &mut value)?;
    }
    let unknown = unknown_fields(&call.served, &value);
    let problems = duplicates(&decoded.duplicates).chain(unknowns(&unknown)).collect();
    report(call, validation, &value, problems)?;
    conform(&call.served, &mut value)?;
    // Of a custom object everything is read before anybody asks for its version.
    if custom {
        check_version(&call.served, &value)?;
    }
    Ok(value)
}

/// Reports the unknown fields of a patched object.
pub(crate) fn patched(
    call: &mut Call,
    validation: FieldValidation,
    object: &mut Value,
    duplicate: &[String],
) -> Result<(), Status> {
    let unknown = unknown_fields(&call.served, object);
    let problems: Vec<String> = duplicates(duplicate).chain(unknowns(&unknown)).collect();
    if validation == FieldValidation::Strict && !problems.is_empty() {
        let detail = format!("strict decoding error: {}", problems.join(", "));
        return Err(unpatchable(call, &detail));
    }
    report(call, validation, object, problems)?;
    conform(&call.served, object).map_err(|undecodable| unpatchable(call, &undecodable.message))
}

/// 422: what a patch made of an object is no object of its kind.
pub(crate) fn unpatchable(call: &Call, problem: &str) -> Status {
    // The patch, not its result: that may be a Secret.
    let patch = String::from_utf8_lossy(&call.body);
    let error = FieldError::invalid("patch", &json!(patch), problem);
    Status::invalid(&GroupKind::new("", ""), "", &[error])
}

/// Decodes the body of an apply: the fields that the client wants, without defaults.
pub(crate) fn applied(call: &mut Call, validation: FieldValidation) -> Result<Value, Status> {
    let bad = |problem: &dyn Display| Status::new(Reason::BadRequest, problem.to_string());
    let decoded = yaml::decode(&call.body)
        .map_err(|error| bad(&format_args!("error decoding YAML: {error}")))?;
    let object = match decoded.value {
        Value::Null => Value::Object(Map::new()),
        object @ Value::Object(_) => object,
        _ => return Err(bad(&"error decoding YAML: the body is not an object")),
    };
    let problems: Vec<String> = duplicates(&decoded.duplicates).collect();
    if validation == FieldValidation::Strict && !problems.is_empty() {
        return Err(bad(&format_args!("error strict decoding YAML: {}", problems.join(", "))));
    }
    report(call, validation, &object, problems)?;
    let (api_version, kind) = (object.text(&["apiVersion"]), object.text(&["kind"]));
    if api_version == call.served.api_version && kind == &*call.served.resource.gvk.kind {
        return Ok(object);
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Err(bad(&format_args!("invalid object type: {group}/{version}, Kind={kind}")))
}

/// Brings the result of an apply into the form of its kind.
pub(crate) fn merged(served: &Served, object: &mut Value) -> Result<(), Status> {
    served.add_type(object);
    conform_decoded(served, object)
}

/// The fields that the kind does not know. Of an object of another kind, which is refused later, only metadata is known.
fn unknown_fields(served: &Served, object: &Value) -> Vec<String> {
    let mut unknown = served.resource.schema.unknown_fields(object);
    if is_other_kind(served, object) {
        unknown.retain(|path| path.starts_with("metadata."));
    }
    unknown
}

fn duplicates(paths: &[String]) -> impl Iterator<Item = String> {
    paths.iter().map(|path| format!("duplicate field {path:?}"))
}

fn unknowns(paths: &[String]) -> impl Iterator<Item = String> {
    paths.iter().map(|path| format!("unknown field {path:?}"))
}

fn report(
    call: &mut Call,
    validation: FieldValidation,
    object: &Value,
    problems: Vec<String>,
) -> Result<(), Status> {
    match validation {
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Warn => {
            call.warnings.extend(problems);
            Ok(())
        }
        FieldValidation::Strict if problems.is_empty() => Ok(()),
        FieldValidation::Strict => {
            let problem = format!("strict decoding error: {}", problems.join(", "));
            Err(cannot_handle(&call.served, object, &problem))
        }
    }
}

/// 400: the body does not have the types of its kind. A custom object is taken by its word for what it is.
pub(super) fn cannot_handle(served: &Served, object: &Value, problem: &str) -> Status {
    let gvk = &served.resource.gvk;
    let (mut kind, mut version) = (&*gvk.kind, &*gvk.version);
    if served.custom.is_some() {
        kind = object.text(&["kind"]);
        let api_version = object.text(&["apiVersion"]);
        version = api_version.split_once('/').map_or(api_version, |(_, version)| version);
    }
    let message = format!("{kind} in version {version:?} cannot be handled as a {kind}: {problem}");
    Status::new(Reason::BadRequest, message)
}

/// Checks `apiVersion` and `kind` of a patched object.
pub(crate) fn check_type(call: &Call, object: &mut Value) -> Result<(), Status> {
    check_form(&call.served, object, b"")?;
    check_version(&call.served, object)?;
    check_kind(&call.served, object)
}

/// Checks that a custom object has both `apiVersion` and `kind`; built-in kinds may leave both out.
fn check_form(served: &Served, object: &mut Value, body: &[u8]) -> Result<(), Status> {
    if !object.is_object() {
        if served.custom.is_none() && object.is_null() {
            *object = Value::Object(Map::new());
        } else {
            return Err(unrecognized(served, "Kind", body));
        }
    }
    for member in ["apiVersion", "kind"] {
        if object.get(member).is_some_and(|value| !value.is_string() && !value.is_null()) {
            let message = format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal into Go struct field .{member} of type string"
            );
            return Err(Status::new(Reason::BadRequest, message));
        }
    }
    for (member, shown) in [("kind", "Kind"), ("apiVersion", "apiVersion")] {
        if served.custom.is_some() && object.text(&[member]).is_empty() {
            return Err(unrecognized(served, shown, body));
        }
    }
    Ok(())
}

/// Checks `apiVersion`, if it is there.
fn check_version(served: &Served, object: &Value) -> Result<(), Status> {
    let expected = served.resource.gvk.group_version().to_string();
    let api_version = object.text(&["apiVersion"]);
    if !api_version.is_empty() && api_version != expected {
        let message = format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        );
        return Err(Status::new(Reason::BadRequest, message));
    }
    Ok(())
}

/// Checks the `kind` of a built-in, and fills in what was left out. That of a custom object is a matter of validation.
fn check_kind(served: &Served, object: &mut Value) -> Result<(), Status> {
    if served.custom.is_some() {
        return Ok(());
    }
    let kind = object.text(&["kind"]);
    if !kind.is_empty() && kind != &*served.resource.gvk.kind {
        return Err(other_kind(served, kind));
    }
    served.add_type(object);
    Ok(())
}

fn other_kind(served: &Served, kind: &str) -> Status {
    let gvk = &served.resource.gvk;
    let message = format!(
        "{kind} in version {:?} cannot be handled as a {}: no kind {kind:?} is registered",
        &*gvk.version, gvk.kind
    );
    Status::new(Reason::BadRequest, message)
}

fn unrecognized(served: &Served, what: &str, body: &[u8]) -> Status {
    /// As much of the body as an error text shows.
    const SHOWN: usize = 512;
    let text = String::from_utf8_lossy(body.get(..SHOWN).unwrap_or(body));
    Status::new(
        Reason::BadRequest,
        format!(
            "the object provided is unrecognized (must be of type {}): Object '{what}' is missing in '{text}'",
            served.resource.gvk.kind
        ),
    )
}
