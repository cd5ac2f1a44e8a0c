//! Objects that `kubectl` managed on the client before it applied them on the server.
//!
//! Client-side apply keeps what it last applied in an annotation and owns it by updates. When the same tool turns to
//! server-side apply it must not conflict with its own past, and while the annotation is there it must stay true, so
//! that going back is possible, too.

use emb_codec::json;
use emb_meta::ObjectExt;
use serde_json::{Value, json};

use crate::{changes::Changes, fields_of::fields_of, set::FieldSet, types::Type, validate::check};

/// The manager that these rules are for.
const KUBECTL: &str = "kubectl";
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// How much all annotations of an object may hold.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// The fields that `manager` may take from others without force: those that it applied on the client and that nobody
/// has changed since.
pub(crate) fn own_past(kind: &Type, manager: &str, api_version: &str, live: &Value) -> FieldSet {
    let applied = annotation(manager, live)
        .and_then(|text| json::decode(text.as_bytes()).ok())
        .map(|decoded| decoded.value)
        .filter(|applied| applied.text(&["apiVersion"]) == api_version)
        .filter(|applied| check(kind, applied).is_ok());
    let Some(applied) = applied else { return FieldSet::default() };
    let mut fields = fields_of(kind, &applied);
    let changes = Changes::between(kind, &applied, live);
    for changed in [&changes.modified, &changes.added, &changes.removed] {
        fields.subtract(changed);
    }
    fields
}

/// Makes the annotation say what was applied, where there is one.
pub(crate) fn keep_in_step(manager: &str, object: &mut Value, applied: &Value) {
    if annotation(manager, object).is_none() {
        return;
    }
    let mut applied = applied.clone();
    if let Some(annotations) = annotations_mut(&mut applied) {
        annotations.remove(ANNOTATION);
    }
    let text = format!("{applied}\n");
    if let Some(annotations) = annotations_mut(object) {
        annotations.insert(ANNOTATION.to_owned(), json!(text));
        let size: usize = annotations
            .iter()
            .map(|(key, value)| key.len() + value.as_str().map_or(0, str::len))
            .sum();
        if size > MAX_ANNOTATIONS {
            annotations.remove(ANNOTATION);
        }
    }
}

fn annotation<'a>(manager: &str, object: &'a Value) -> Option<&'a str> {
    object.annotation(ANNOTATION).filter(|text| manager == KUBECTL && !text.is_empty())
}

fn annotations_mut(object: &mut Value) -> Option<&mut serde_json::Map<String, Value>> {
    object.get_mut("metadata")?.get_mut("annotations")?.as_object_mut()
}
