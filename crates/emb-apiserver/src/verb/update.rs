//! Replacing objects.

use emb_meta::{ObjectExt, Status};
use serde_json::Value;

use super::{create, modify};
use crate::{
    access,
    call::{Call, Reply},
    object::{
        create::settle_put,
        decode,
        owners::{self, Moment},
        update::{Source, other_uid},
    },
    request::query::WriteOptions,
};

/// Answers a PUT.
pub(super) async fn update(call: &mut Call) -> Result<Reply, Status> {
    let options = WriteOptions::read(&call.info.query, "UpdateOptions")?;
    let mut object = decode::object(call, options.field_validation)?;
    settle_put(call, &mut object)?;
    owners::keep_distinct(call, &mut object, Moment::Received);
    let creates = call.served.resource.put_creates && call.path.subresource.is_empty();
    if creates && call.state.store.head(&call.key()).is_none() {
        access::require(call, "create")?;
        if !object.uid().is_empty() {
            return Err(other_uid(call, object.uid(), ""));
        }
        check_version(&object)?;
        return create::insert(call, object, options, Source::Put).await;
    }
    modify::modify(call, Source::Put, options, |_, _| Ok(object.clone())).await
}

/// Refuses what is no version at all, although the version of an object that has gone does not count.
fn check_version(object: &Value) -> Result<(), Status> {
    let given = object.resource_version();
    if given.is_empty() || given.parse::<u64>().is_ok() {
        return Ok(());
    }
    Err(Status::bad_request(format!("strconv.ParseUint: parsing {given:?}: invalid syntax")))
}
