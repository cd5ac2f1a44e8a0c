//! ConfigMaps.

use emb_meta::{FieldError, FieldPath};
use serde_json::{Value, json};

use super::data::{SIZE_LIMIT, check_immutable, check_key, entries};
use crate::builtin::bytes;

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(old) = old {
        check_immutable(new, old, &["data", "binaryData"], &mut errors);
    }
    let mut size = 0;
    for (key, value) in entries(new, "data") {
        errors.extend(check_key("data", key));
        if new.get("binaryData").and_then(|binary| binary.get(key)).is_some() {
            let path = FieldPath::new("data").key(key);
            let detail = "duplicate of key present in binaryData";
            errors.push(FieldError::invalid(path, &json!(key), detail));
        }
        size += value.len();
    }
    for (key, value) in entries(new, "binaryData") {
        errors.extend(check_key("binaryData", key));
        size += bytes::decoded_length(value);
    }
    if size > SIZE_LIMIT {
        errors.push(FieldError::too_long("[]", SIZE_LIMIT));
    }
    errors
}
