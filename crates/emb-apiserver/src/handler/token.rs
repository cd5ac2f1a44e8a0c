//! `POST …/serviceaccounts/NAME/token`: tokens on request.

use std::time::Duration;

use emb_auth::{BoundObject, TokenKeys, TokenRequest};
use emb_meta::{FieldError, GroupKind, GroupResource, ObjectExt, Reason, Status};
use emb_store::Key;
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    call::{Call, Reply},
    request::{body, query::WriteOptions},
};

const DEFAULT_SECONDS: u64 = 3600;
const MIN_SECONDS: i64 = 600;
const MAX_SECONDS: i64 = 1 << 32;

/// Issues a token for the ServiceAccount on the URL.
pub(crate) fn create(call: &Call) -> Result<Reply, Status> {
    WriteOptions::read(&call.info.query, "CreateOptions")?;
    let account = call.state.store.get(&call.key()).ok_or_else(|| call.not_found())?;
    let request = if call.body.is_empty() {
        json!({})
    } else {
        body::decode(&call.body, call.info.header("content-type"))?.value
    };
    let spec = request.get("spec").cloned().unwrap_or_default();
    let seconds = expiration(&spec)?;
    let audiences = audiences(&spec);
    let secret = bound_secret(call, &spec)?;
    let now = call.state.clock.now();
    let expires_at = now + Duration::from_secs(seconds);
    let token = call.state.tokens.issue(&TokenRequest {
        namespace: call.namespace(),
        name: call.name(),
        uid: &account.uid,
        audiences: audiences.clone(),
        secret,
        id: call.state.entropy.uuid(),
        issued_at: now,
        expires_at,
    });
    let reply = json!({
        "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": call.name(), "namespace": call.namespace(), "uid": &*account.uid,
            "creationTimestamp": now.to_rfc3339_seconds(),
        },
        "spec": {
            "audiences": audiences, "expirationSeconds": seconds,
            "boundObjectRef": spec.get("boundObjectRef").cloned().unwrap_or_default(),
        },
        "status": { "token": token, "expirationTimestamp": expires_at.to_rfc3339_seconds() },
    });
    Ok(Reply::Plain(StatusCode::CREATED, reply))
}

fn audiences(spec: &Value) -> Vec<String> {
    let listed = spec.get("audiences").and_then(Value::as_array);
    let asked: Vec<String> =
        listed.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect();
    if asked.is_empty() { vec![TokenKeys::issuer().to_owned()] } else { asked }
}

fn expiration(spec: &Value) -> Result<u64, Status> {
    let Some(value) = spec.get("expirationSeconds").filter(|value| !value.is_null()) else {
        return Ok(DEFAULT_SECONDS);
    };
    let detail = match value.as_i64() {
        Some(seconds) if seconds < MIN_SECONDS => "may not specify a duration less than 10 minutes",
        Some(seconds) if seconds > MAX_SECONDS => {
            "may not specify a duration larger than 2^32 seconds"
        }
        Some(seconds) => return Ok(seconds.unsigned_abs()),
        None => "must be a whole number of seconds",
    };
    let error = FieldError::invalid("spec.expirationSeconds", value, detail);
    Err(Status::invalid(&GroupKind::new("authentication.k8s.io", "TokenRequest"), "", &[error]))
}

fn bound_secret(call: &Call, spec: &Value) -> Result<Option<BoundObject>, Status> {
    let Some(reference) = spec.get("boundObjectRef").filter(|value| value.is_object()) else {
        return Ok(None);
    };
    let (version, kind) = (reference.text(&["apiVersion"]), reference.text(&["kind"]));
    let name = reference.text(&["name"]);
    match (version, kind) {
        ("v1", "Secret") => {}
        ("v1", "Pod" | "Node") => {
            let plural = if kind == "Pod" { "pods" } else { "nodes" };
            return Err(Status::not_found(&GroupResource::new("", plural), name));
        }
        _ => {
            return Err(Status::new(
                Reason::BadRequest,
                format!("cannot bind token to object of type /{version}, Kind={kind}"),
            ));
        }
    }
    let secrets = GroupResource::new("", "secrets");
    let Some(secret) = call.state.store.get(&Key::new(&secrets, call.namespace(), name)) else {
        return Err(Status::not_found(&secrets, name));
    };
    let wanted = reference.text(&["uid"]);
    if !wanted.is_empty() && wanted != &*secret.uid {
        let why = format!(
            "the UID in the bound object reference ({wanted}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        return Err(Status::conflict(&secrets, name, &why));
    }
    Ok(Some(BoundObject { name: name.to_owned(), uid: secret.uid.to_string() }))
}
