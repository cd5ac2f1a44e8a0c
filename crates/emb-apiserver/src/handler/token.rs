//! `POST …/serviceaccounts/NAME/token`: tokens on request, where admission has its say.

use std::{sync::Arc, time::Duration};

use emb_auth::{BoundObject, TokenKeys, TokenRequest};
use emb_meta::{FieldError, GroupKind, GroupResource, ObjectExt, Reason, Status};
use emb_store::{Entry, Key};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    admission::Operation,
    call::{Call, Reply},
    lifecycle,
    object::settle_namespace,
    request::{body, query::WriteOptions},
};

const GROUP: &str = "authentication.k8s.io";
const KIND: &str = "TokenRequest";
const DEFAULT_SECONDS: u64 = 3600;
const MIN_SECONDS: i64 = 600;
const MAX_SECONDS: i64 = 1 << 32;

/// Issues a token for the ServiceAccount on the URL.
pub(crate) async fn create(call: &mut Call) -> Result<Reply, Status> {
    let options = WriteOptions::read(&call.info.query, "CreateOptions")?;
    let given = if call.body.is_empty() {
        json!({})
    } else {
        body::decode(&call.body, call.info.header("content-type"))?.value
    };
    let mut request = complete(&given);
    settle_namespace(call, &mut request)?;
    lifecycle::admit_create(call, call.name())?;
    let asked = (!call.state.admission.is_empty())
        .then(|| call.admission_request(Operation::Create, call.name(), None, options.dry_run));
    if let Some(asked) = &asked {
        call.warnings.extend(call.state.admission.mutate(asked, &mut request).await?);
        request = complete(&request);
        settle_namespace(call, &mut request)?;
    }
    let now = call.state.clock.now();
    let account = account(call, &request)?;
    let metadata = request.metadata_mut();
    metadata.insert("name".into(), json!(call.name()));
    metadata.insert("uid".into(), json!(&*account.uid));
    metadata.insert("creationTimestamp".into(), json!(now.to_rfc3339_seconds()));
    let audiences = audiences(spec(&request));
    if let Some(spec) = request.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("audiences".into(), json!(audiences));
    }
    let lifetime = Duration::from_secs(expiration(spec(&request))?);
    if let Some(asked) = &asked {
        call.warnings.extend(call.state.admission.validate(asked, Some(&request)).await?);
    }
    let token = call.state.tokens.issue(&TokenRequest {
        namespace: call.namespace(),
        name: call.name(),
        uid: &account.uid,
        audiences,
        secret: bound_secret(call, spec(&request))?,
        id: call.state.entropy.uuid(),
        issued_at: now,
        expires_at: now + lifetime,
    });
    if let Some(members) = request.as_object_mut() {
        let end = (now + lifetime).to_rfc3339_seconds();
        members.insert("status".into(), json!({ "token": token, "expirationTimestamp": end }));
    }
    Ok(Reply::Plain(StatusCode::CREATED, request))
}

/// A request with everything that one has, and without anything that is for the server to say.
fn complete(given: &Value) -> Value {
    let member = |key: &str| given.get(key).filter(|value| value.is_object()).cloned();
    let asked = |key: &str| spec(given).get(key).cloned().unwrap_or_default();
    let seconds = asked("expirationSeconds");
    json!({
        "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1",
        "metadata": member("metadata").unwrap_or_else(|| json!({})),
        "spec": {
            "audiences": asked("audiences"),
            "expirationSeconds": if seconds.is_null() { json!(DEFAULT_SECONDS) } else { seconds },
            "boundObjectRef": asked("boundObjectRef"),
        },
        "status": { "token": "", "expirationTimestamp": null },
    })
}

fn spec(request: &Value) -> &Value {
    request.get("spec").unwrap_or(&Value::Null)
}

/// The ServiceAccount on the URL. A request may name it, but no other.
fn account(call: &Call, request: &Value) -> Result<Arc<Entry>, Status> {
    let (name, uid) = (request.name(), request.uid());
    if !name.is_empty() && name != call.name() {
        let detail = "must match the service account name if specified";
        let error = FieldError::invalid("metadata.name", &json!(name), detail);
        return Err(Status::invalid(&GroupKind::new(GROUP, KIND), call.name(), &[error]));
    }
    let account = call.state.store.get(&call.key()).ok_or_else(|| call.not_found())?;
    if !uid.is_empty() && uid != &*account.uid {
        let why = format!(
            "the UID in the token request ({uid}) does not match the UID of the service account ({})",
            account.uid
        );
        return Err(Status::conflict(&GroupResource::new(GROUP, KIND), call.name(), &why));
    }
    Ok(account)
}

fn audiences(spec: &Value) -> Vec<String> {
    let listed = spec.get("audiences").and_then(Value::as_array);
    let asked: Vec<String> =
        listed.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect();
    if asked.is_empty() { vec![TokenKeys::issuer().to_owned()] } else { asked }
}

fn expiration(spec: &Value) -> Result<u64, Status> {
    let value = spec.get("expirationSeconds").unwrap_or(&Value::Null);
    let detail = match value.as_i64() {
        Some(seconds) if seconds < MIN_SECONDS => "may not specify a duration less than 10 minutes",
        Some(seconds) if seconds > MAX_SECONDS => {
            "may not specify a duration larger than 2^32 seconds"
        }
        Some(seconds) => return Ok(seconds.unsigned_abs()),
        None => "must be a whole number of seconds",
    };
    let error = FieldError::invalid("spec.expirationSeconds", value, detail);
    Err(Status::invalid(&GroupKind::new(GROUP, KIND), "", &[error]))
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
