//! Secrets.

use emb_meta::{FieldError, FieldPath, ObjectExt};
use serde_json::{Map, Value, json};

use super::data::{SIZE_LIMIT, check_immutable, check_key, entries};
use crate::builtin::bytes;

/// Names the ServiceAccount that a token Secret belongs to.
const ACCOUNT_ANNOTATION: &str = "kubernetes.io/service-account.name";

/// Moves `stringData` into `data` and names the type.
pub(super) fn default(secret: &mut Value) {
    let Some(members) = secret.as_object_mut() else { return };
    if let Some(Value::Object(texts)) = members.remove("stringData") {
        let data = members.entry("data").or_insert_with(|| Value::Object(Map::new()));
        if let Some(data) = data.as_object_mut() {
            for (key, text) in texts {
                let encoded = bytes::encode(text.as_str().unwrap_or_default().as_bytes());
                data.insert(key, json!(encoded));
            }
        }
    }
    members.entry("type").or_insert_with(|| json!("Opaque"));
}

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(old) = old {
        if new.text(&["type"]) != old.text(&["type"]) {
            errors.push(FieldError::invalid(
                "type",
                &json!(new.text(&["type"])),
                "field is immutable",
            ));
        }
        check_immutable(new, old, &["data"], &mut errors);
    }
    let mut size = 0;
    for (key, value) in entries(new, "data") {
        errors.extend(check_key("data", key));
        size += bytes::decoded_length(value);
    }
    if size > SIZE_LIMIT {
        errors.push(FieldError::too_long("data", SIZE_LIMIT));
    }
    check_type(new, &mut errors);
    errors
}

/// Some types need certain keys.
fn check_type(secret: &Value, errors: &mut Vec<FieldError>) {
    let mut require = |key: &str| {
        let present = secret.pointer("/data").and_then(|data| data.get(key)).is_some();
        if !present {
            errors.push(FieldError::required(FieldPath::new("data").key(key), ""));
        }
        present
    };
    match secret.text(&["type"]) {
        "kubernetes.io/tls" => {
            require("tls.crt");
            require("tls.key");
        }
        "kubernetes.io/ssh-auth" => {
            require("ssh-privatekey");
        }
        "kubernetes.io/basic-auth" => {
            let given = |key| secret.pointer("/data").and_then(|data| data.get(key)).is_some();
            if !given("username") && !given("password") {
                require("username");
                require("password");
            }
        }
        "kubernetes.io/dockerconfigjson" if require(".dockerconfigjson") => {
            errors.extend(check_json(secret, ".dockerconfigjson"));
        }
        "kubernetes.io/dockercfg" if require(".dockercfg") => {
            errors.extend(check_json(secret, ".dockercfg"));
        }
        "kubernetes.io/service-account-token"
            if secret.annotation(ACCOUNT_ANNOTATION).is_none_or(str::is_empty) =>
        {
            let path = FieldPath::new("metadata").child("annotations").key(ACCOUNT_ANNOTATION);
            errors.push(FieldError::required(path, ""));
        }
        _ => {}
    }
}

fn check_json(secret: &Value, key: &str) -> Option<FieldError> {
    let text = secret.get("data")?.get(key)?.as_str()?;
    let decoded = bytes::decode(text).ok()?;
    let problem = serde_json::from_slice::<Map<String, Value>>(&decoded).err()?;
    // Only the place of the problem is told: the text around it is secret.
    let detail = format!("not a JSON object: line {}, column {}", problem.line(), problem.column());
    let path = FieldPath::new("data").key(key);
    Some(FieldError::invalid(path, &json!("<secret contents redacted>"), &detail))
}
