//! Metadata: its shape on the way in, and the fields that belong to the server.

use emb_meta::{FieldError, GroupKind, ObjectExt, Reason, Scope, Status};
use serde_json::{Map, Value, json};

use super::managed;
use crate::call::Call;

/// Fields that only the server writes.
const SERVER_FIELDS: [&str; 6] = [
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "selfLink",
];

/// Those of them that say when the object goes.
const DELETION_MARKS: [&str; 2] = ["deletionTimestamp", "deletionGracePeriodSeconds"];

/// Checks that metadata has the types every object's has, and drops nulls and empty values from it, as decoding into the
/// typed form does. Says in the words of the API what does not fit.
pub(super) fn check_shape(object: &mut Value) -> Result<(), String> {
    match object.get("metadata") {
        None | Some(Value::Null) => {
            object.metadata_mut();
            return Ok(());
        }
        Some(Value::Object(_)) => {}
        Some(other) => return Err(mismatch(other, "metadata", "v1.ObjectMeta")),
    }
    let metadata = object.metadata_mut();
    metadata.retain(|_, value| !value.is_null());
    for map in ["labels", "annotations"] {
        let entries = metadata.get_mut(map).and_then(Value::as_object_mut);
        let nulls = entries.into_iter().flat_map(|map| map.values_mut()).filter(|v| v.is_null());
        nulls.for_each(|value| *value = json!(""));
    }
    for (key, value) in metadata.iter() {
        check_member(key, value)?;
    }
    metadata.retain(|key, value| match key.as_str() {
        "labels" | "annotations" => value.as_object().is_none_or(|map| !map.is_empty()),
        "finalizers" | "ownerReferences" | "managedFields" => {
            value.as_array().is_none_or(|list| !list.is_empty())
        }
        "name" | "generateName" | "namespace" | "resourceVersion" => value != "",
        _ => true,
    });
    Ok(())
}

fn check_member(key: &str, value: &Value) -> Result<(), String> {
    match key {
        "name" | "generateName" | "namespace" | "resourceVersion" | "uid" | "creationTimestamp"
        | "deletionTimestamp" | "selfLink" => expect_text(value, key),
        "labels" | "annotations" => match value {
            Value::Object(map) => map.values().try_for_each(|value| expect_text(value, key)),
            other => Err(mismatch(other, key, "map[string]string")),
        },
        "finalizers" => match value {
            Value::Array(list) => list.iter().try_for_each(|value| expect_text(value, key)),
            other => Err(mismatch(other, key, "[]string")),
        },
        "ownerReferences" => match value {
            Value::Array(list) => list.iter().try_for_each(check_owner),
            other => Err(mismatch(other, key, "[]v1.OwnerReference")),
        },
        "generation" | "deletionGracePeriodSeconds" if !value.is_i64() => {
            Err(mismatch(value, key, "int64"))
        }
        _ => Ok(()),
    }
}

fn check_owner(owner: &Value) -> Result<(), String> {
    let Value::Object(members) = owner else {
        return Err(mismatch(owner, "ownerReferences", "v1.OwnerReference"));
    };
    for (key, value) in members {
        match key.as_str() {
            "apiVersion" | "kind" | "name" | "uid" => expect_text(value, key)?,
            "controller" | "blockOwnerDeletion" if !value.is_boolean() && !value.is_null() => {
                return Err(mismatch(value, key, "bool"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn expect_text(value: &Value, key: &str) -> Result<(), String> {
    if value.is_string() { Ok(()) } else { Err(mismatch(value, key, "string")) }
}

fn mismatch(value: &Value, key: &str, expected: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!(
        "json: cannot unmarshal {found} into Go struct field ObjectMeta.metadata.{key} of type {expected}"
    )
}

/// Removes what only the server may say. Kinds whose generation it does not count keep what a client made of it.
pub(super) fn clear_server_fields(object: &mut Value, counts_generation: bool) {
    let metadata = object.metadata_mut();
    for field in SERVER_FIELDS {
        if counts_generation || field != "generation" {
            metadata.remove(field);
        }
    }
}

/// Refuses to mark an object as deleted, or to change when it goes, by an update. Leaving the marks out is fine.
pub(super) fn check_deletion_fields(new: &Value, old: &Value) -> Vec<FieldError> {
    let at = |object: &Value, field: &str| object.metadata().and_then(|m| m.get(field)).cloned();
    let changes = |field: &str| {
        let given = at(new, field)?;
        let kept = field == "deletionTimestamp" && old.is_terminating();
        let changed = !kept && at(old, field).as_ref() != Some(&given);
        let path = format!("metadata.{field}");
        changed.then(|| FieldError::invalid(path, &given, "field is immutable"))
    };
    DELETION_MARKS.into_iter().filter_map(changes).collect()
}

/// The marks of a deletion that an update does not mention.
pub(super) fn marks_left_out(new: &Value) -> Vec<&'static str> {
    let given = |mark: &&str| new.metadata().is_some_and(|metadata| metadata.contains_key(*mark));
    DELETION_MARKS.into_iter().filter(|mark| !given(mark)).collect()
}

/// Keeps the server's own fields as they are stored, whatever the client sent.
pub(super) fn keep_server_fields(new: &mut Value, old: &Value) {
    let empty = Map::new();
    let old = old.metadata().unwrap_or(&empty);
    let metadata = new.metadata_mut();
    for field in SERVER_FIELDS.into_iter().chain(["resourceVersion"]) {
        match old.get(field) {
            Some(value) => metadata.insert(field.to_owned(), value.clone()),
            None => metadata.remove(field),
        };
    }
}

/// Undoes every change but that of managedFields, of which each endpoint has a part.
pub(super) fn reset(new: &mut Value, old: &Value) {
    let managed = new.metadata_mut().remove("managedFields");
    *new = managed::unmanaged(old);
    if let Some(managed) = managed {
        new.metadata_mut().insert("managedFields".into(), managed);
    }
}

/// Fills the namespace in from the URL, or refuses another one. Cluster-scoped objects lose theirs: manifests of whole
/// applications often give one to every object.
pub(crate) fn settle_namespace(call: &Call, object: &mut Value) -> Result<(), Status> {
    let expected = call.namespace();
    if call.served.resource.scope == Scope::Cluster {
        object.metadata_mut().remove("namespace");
        return Ok(());
    }
    let given = object.namespace();
    if !given.is_empty() && given != expected {
        return Err(Status::new(
            Reason::BadRequest,
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let expected = json!(expected);
    object.metadata_mut().insert("namespace".into(), expected);
    Ok(())
}

/// Refuses a body whose name is not the one on the URL, or that has none.
pub(super) fn settle_name(call: &Call, object: &Value) -> Result<(), Status> {
    let name = object.name();
    if name.is_empty() {
        let message = format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name()
        );
        return Err(Status::new(Reason::BadRequest, message));
    }
    if name == call.name() {
        return Ok(());
    }
    let message = format!(
        "the name of the object ({name}) does not match the name on the URL ({})",
        call.name()
    );
    Err(Status::new(Reason::BadRequest, message))
}

/// 422 for a resourceVersion on an object that is to be created.
pub(super) fn refuse_resource_version(kind: &GroupKind, object: &Value) -> Result<(), Status> {
    let given = object.resource_version();
    if given.is_empty() {
        return Ok(());
    }
    let error = FieldError::invalid(
        "metadata.resourceVersion",
        &json!(given),
        "resourceVersion should not be set on objects to be created",
    );
    Err(Status::invalid(kind, object.name(), &[error]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_types_are_named_and_empty_values_vanish() {
        let mut object = json!({"metadata": {"name": "a", "labels": {}, "annotations": null}});
        check_shape(&mut object).unwrap();
        assert_eq!(object, json!({"metadata": {"name": "a"}}));
        for bad in [
            json!({"metadata": {"labels": {"a": 1}}}),
            json!({"metadata": {"finalizers": "x"}}),
            json!({"metadata": {"name": 1}}),
            json!({"metadata": {"ownerReferences": [{"controller": "yes"}]}}),
            json!({"metadata": []}),
        ] {
            let problem = check_shape(&mut bad.clone()).unwrap_err();
            assert!(problem.starts_with("json: cannot unmarshal"), "{bad}");
        }
    }

    #[test]
    fn the_servers_fields_stay_what_they_were() {
        let old = json!({"metadata": {"uid": "u", "generation": 2, "resourceVersion": "5"}});
        let mut new =
            json!({"metadata": {"uid": "x", "deletionTimestamp": "t", "labels": {"a": "b"}}});
        keep_server_fields(&mut new, &old);
        assert_eq!(
            new,
            json!({"metadata": {
                "uid": "u", "generation": 2, "resourceVersion": "5", "labels": {"a": "b"}
            }})
        );
    }

    #[test]
    fn a_reset_leaves_nothing_but_managed_fields() {
        let old =
            json!({"metadata": {"name": "a", "managedFields": [{"manager": "x"}]}, "spec": 1});
        let mut new =
            json!({"metadata": {"name": "b", "managedFields": [{"manager": "y"}]}, "spec": 2});
        reset(&mut new, &old);
        assert_eq!(
            new,
            json!({"metadata": {"name": "a", "managedFields": [{"manager": "y"}]}, "spec": 1})
        );
        reset(&mut new, &json!({"metadata": {}}));
        assert_eq!(new, json!({"metadata": {"managedFields": [{"manager": "y"}]}}));
    }
}
