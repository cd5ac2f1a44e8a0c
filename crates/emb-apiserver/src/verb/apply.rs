//! Server-side apply: the client names the fields it wants, and the server merges them and remembers whose they are. What
//! does not exist is created.

use emb_meta::{ObjectExt, Reason, Status};
use serde_json::Value;

use super::{create, modify};
use crate::{
    access,
    call::{Call, Reply},
    object::{create::settle_put, decode, managed, update::Source},
    request::query::WriteOptions,
};

/// Answers a PATCH that applies.
pub(super) async fn apply(call: &mut Call, options: WriteOptions) -> Result<Reply, Status> {
    if !call.path.subresource.is_empty() && !exists(call) {
        return Err(call.not_found());
    }
    let applied = decode::applied(call, options.field_validation)?;
    let warnings = call.warnings.len();
    loop {
        call.warnings.truncate(warnings);
        let existed = exists(call);
        let result = if existed {
            change(call, &applied, options).await
        } else {
            create(call, &applied, options).await
        };
        match result {
            // Somebody created or removed it meanwhile.
            Err(Status { reason: Reason::NotFound | Reason::AlreadyExists, .. })
                if exists(call) != existed => {}
            result => return result,
        }
    }
}

fn exists(call: &Call) -> bool {
    call.state.store.head(&call.key()).is_some()
}

async fn change(call: &mut Call, applied: &Value, options: WriteOptions) -> Result<Reply, Status> {
    modify::modify(call, Source::Apply, options, |call, old| merge(call, Some(old), applied)).await
}

async fn create(call: &mut Call, applied: &Value, options: WriteOptions) -> Result<Reply, Status> {
    if !call.path.subresource.is_empty() {
        return Err(call.not_found());
    }
    access::require(call, "create")?;
    let mut object = merge(call, None, applied)?;
    check_identity(call, &object)?;
    settle_put(call, &mut object)?;
    // The version of an object that is gone binds nobody.
    object.metadata_mut().remove("resourceVersion");
    create::insert(call, object, options, Source::Apply).await
}

/// What is created by applying has a name, and is not what somebody knew before.
fn check_identity(call: &Call, object: &Value) -> Result<(), Status> {
    if object.name().is_empty() {
        let message = format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name()
        );
        return Err(Status::new(Reason::BadRequest, message));
    }
    if object.uid().is_empty() {
        return Ok(());
    }
    let why = format!(
        "uid mismatch: the provided object specified uid {}, and no existing object was found",
        object.uid()
    );
    Err(Status::conflict(&call.served.group_resource, call.name(), &why))
}

fn merge(call: &Call, old: Option<&Value>, applied: &Value) -> Result<Value, Status> {
    let mut merged = managed::apply(call, old, applied, call.info.query.flag("force"))?;
    decode::merged(&call.served, &mut merged)?;
    Ok(merged)
}
