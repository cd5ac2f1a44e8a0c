//! What may not change once a definition exists.

use emb_meta::{FieldError, ObjectExt};
use serde_json::{Value, json};

use super::is_established;

pub(super) fn check(new: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let mut keep = |path: &[&str]| {
        if new.text(path) != old.text(path) {
            let value = json!(new.text(path));
            errors.push(FieldError::invalid(path.join("."), &value, "field is immutable"));
        }
    };
    keep(&["spec", "group"]);
    keep(&["spec", "names", "plural"]);
    if is_established(old) {
        keep(&["spec", "scope"]);
        keep(&["spec", "names", "kind"]);
    }
}
