//! The fields that field selectors may name.

use std::borrow::Cow;

use emb_meta::{ObjectExt, Scope};
use serde_json::Value;

use super::BuiltInKind;
use crate::resource::Resource;

/// The value of `field`; `None` when selectors may not name it.
pub(crate) fn field<'a>(
    resource: &Resource,
    object: &'a Value,
    field: &str,
) -> Option<Cow<'a, str>> {
    match field {
        "metadata.name" => return Some(object.name().into()),
        "metadata.namespace" if resource.scope == Scope::Namespaced => {
            return Some(object.namespace().into());
        }
        "metadata.namespace" if resource.built_in().is_some() => return Some(Cow::Borrowed("")),
        _ => {}
    }
    if !resource.selectable_fields.iter().any(|known| &**known == field) {
        return None;
    }
    Some(match resource.built_in() {
        Some(BuiltInKind::Event | BuiltInKind::EventsEvent) => event_field(object, field).into(),
        _ => at_path(object, field).map_or(Cow::Borrowed(""), shown),
    })
}

/// Both views of an event may be asked by either's names, because selection happens on the stored form.
fn event_field<'a>(event: &'a Value, field: &str) -> &'a str {
    match field {
        "source" => given([&["source", "component"], &["reportingComponent"]], event),
        "reportingComponent" | "reportingController" => {
            given([&["reportingComponent"], &["reportingController"]], event)
        }
        _ => match field.split_once('.') {
            Some((_, member)) => {
                given([&["involvedObject", member], &["regarding", member]], event)
            }
            None => event.text(&[field]),
        },
    }
}

fn given<'a>(paths: [&[&str]; 2], object: &'a Value) -> &'a str {
    let texts = paths.map(|path| object.text(path));
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

fn at_path<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(object, |at, name| at.get(name))
}

fn shown(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    }
}
