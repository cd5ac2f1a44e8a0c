//! Who manages which fields: what a write leaves in `metadata.managedFields`.
//!
//! Fields belong to whoever changed them in the request. What admission and the rules of the kind add afterwards belongs
//! to nobody, so that a later writer may have it without a fight.

use emb_apply::Writer;
use emb_kinds::BuiltInKind;
use emb_meta::{ObjectExt, Status};
use serde_json::{Value, json};

use crate::call::Call;

/// The fields of a new object belong to its creator.
pub(super) fn of_new(call: &Call, object: &mut Value) {
    call.served.resource.fields.create(object, &writer(call, &manager(call)));
}

/// The fields that a write changes belong to the writer.
pub(super) fn of_change(call: &Call, new: &mut Value, old: &Value) {
    if call.served.custom.is_none() {
        spell_out_reset(new);
    }
    call.served.resource.fields.update(old, new, &writer(call, &manager(call)));
}

/// Forgets who manages an object: what a client sent has not the types of its kind, so that nobody can tell what it changes.
pub(super) fn forget(object: &mut Value) {
    object.metadata_mut().remove("managedFields");
}

/// Whether the kind and the parts that the endpoint leaves alone are what they should be. All others are validated, these
/// are not.
pub(super) fn is_typed(call: &Call, object: &Value) -> bool {
    let resource = &call.served.resource;
    object.text(&["kind"]) == &*resource.gvk.kind && resource.fields.accepts(object, ignored(call))
}

/// The result of applying `applied`, with the managers of its fields; `old` is `None` where nothing is there yet.
pub(crate) fn apply(
    call: &Call,
    old: Option<&Value>,
    applied: &Value,
    force: bool,
) -> Result<Value, Status> {
    let manager = manager(call);
    Ok(call.served.resource.fields.apply(old, applied, &writer(call, &manager), force)?)
}

/// A copy of an object without its managers, which are a third of it: most changes neither read nor write them.
pub(crate) fn unmanaged(object: &Value) -> Value {
    let Value::Object(members) = object else { return object.clone() };
    let copy = members.iter().map(|(name, value)| match value {
        Value::Object(metadata) if name == "metadata" => {
            let kept = metadata.iter().filter(|(field, _)| *field != "managedFields");
            (name.clone(), kept.map(|(field, value)| (field.clone(), value.clone())).collect())
        }
        other => (name.clone(), other.clone()),
    });
    copy.collect()
}

/// What a controller of the server does to an object on its way, under the controller's name.
pub(super) fn by_controller(
    call: &mut Call,
    manager: &str,
    subresource: &str,
    object: &mut Value,
    change: impl FnOnce(&mut Call, &mut Value),
) {
    let before = object.clone();
    change(call, object);
    let writer = Writer { subresource, ignored: &[], ..writer(call, manager) };
    call.served.resource.fields.update(&before, object, &writer);
}

/// Built-in kinds take an empty list of managers for the wish to forget them, which is otherwise one empty entry.
fn spell_out_reset(object: &mut Value) {
    if let Some(Value::Array(entries)) = object.metadata_mut().get_mut("managedFields")
        && entries.is_empty()
    {
        entries.push(json!({}));
    }
}

fn manager(call: &Call) -> String {
    emb_apply::manager_name(call.info.query.get("fieldManager"), call.info.header("user-agent"))
}

fn writer<'a>(call: &'a Call, manager: &'a str) -> Writer<'a> {
    Writer {
        manager,
        api_version: &call.served.api_version,
        subresource: &call.path.subresource,
        time: call.state.clock.now(),
        ignored: ignored(call),
    }
}

/// The members that the endpoint leaves alone, whatever a client sends.
fn ignored(call: &Call) -> &'static [&'static str] {
    let resource = &call.served.resource;
    match (call.path.subresource.as_str(), resource.built_in()) {
        ("", _) if resource.has_status => &["status"],
        ("status", Some(BuiltInKind::Namespace)) => &["spec"],
        ("status", _) => &["metadata", "spec"],
        _ => &[],
    }
}
