//! Patching objects.

use emb_codec::{
    json,
    patch::{self as codec, JsonPatch, PatchError},
};
use emb_meta::{Details, Reason, Status};
use serde_json::Value;

use super::{apply::apply, modify};
use crate::{
    call::{Call, Reply},
    object::{decode, managed, update::Source},
    request::{
        negotiate::{PatchType, patch_type},
        query::WriteOptions,
    },
};

enum Patch {
    Json(JsonPatch),
    Merge(Value),
    Strategic(Value),
}

/// Answers a PATCH.
pub(super) async fn patch(call: &mut Call) -> Result<Reply, Status> {
    let built_in = call.served.custom.is_none();
    let kind = patch_type(call.info.header("content-type"), built_in)?;
    let options = WriteOptions::read_patch(&call.info.query, kind)?;
    if kind == PatchType::Apply {
        return apply(call, options).await;
    }
    let parsed = parse(&call.body, kind);
    // What is not there cannot be patched, whatever the patch says.
    if parsed.is_err() && call.state.store.head(&call.key()).is_none() {
        return Err(Status::not_found(&call.served.group_resource, call.name()));
    }
    let (patch, duplicates) = parsed?;
    modify::modify(call, Source::Patch, options, |call, old| {
        let mut new = match &patch {
            Patch::Json(_) => old.clone(),
            Patch::Merge(_) | Patch::Strategic(_) => managed::unmanaged(old),
        };
        change(call, &patch, &mut new)?;
        let typed = decode::check_type(call, &mut new);
        typed.map_err(
            |other| if built_in { decode::unpatchable(call, &other.message) } else { other },
        )?;
        decode::patched(call, options.field_validation, &mut new, &duplicates)?;
        Ok(new)
    })
    .await
}

fn parse(body: &[u8], kind: PatchType) -> Result<(Patch, Vec<String>), Status> {
    let undecodable = |problem: &dyn std::fmt::Display| {
        Status::new(Reason::BadRequest, format!("error decoding patch: {problem}"))
    };
    let decoded = json::decode(body).map_err(|error| undecodable(&error))?;
    let patch = match kind {
        PatchType::Json => {
            Patch::Json(codec::json_patch_parse(&decoded.value).map_err(|error| failure(&error))?)
        }
        PatchType::Merge if decoded.value.is_object() => Patch::Merge(decoded.value),
        PatchType::Strategic if decoded.value.is_object() => Patch::Strategic(decoded.value),
        PatchType::Merge | PatchType::Strategic | PatchType::Apply => {
            return Err(undecodable(&"the patch is not an object"));
        }
    };
    Ok((patch, decoded.duplicates))
}

fn change(call: &Call, patch: &Patch, target: &mut Value) -> Result<(), Status> {
    match patch {
        Patch::Json(patch) => patch.apply(target),
        Patch::Merge(patch) => {
            codec::merge(target, patch);
            Ok(())
        }
        Patch::Strategic(patch) => {
            codec::strategic(target, patch, &call.served.resource.merge_keys)
        }
    }
    .map_err(|error| failure(&error))
}

/// A patch that does not fit the object is refused without further words, everything else with the reason.
fn failure(error: &PatchError) -> Status {
    let reason = match error {
        PatchError::Rejected(_) => {
            return Status::new(Reason::Invalid, error.to_string())
                .with_details(Details::default());
        }
        PatchError::TooManyOperations { .. } => Reason::RequestEntityTooLarge,
        PatchError::Malformed(_) | PatchError::Strategic(_) => Reason::BadRequest,
    };
    Status::new(reason, error.to_string())
}
