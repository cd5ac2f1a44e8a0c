//! Replacing objects.

use emb_meta::{ObjectExt, Status};

use super::{create, modify};
use crate::{
    access,
    call::{Call, Reply},
    object::{
        create::settle_put,
        decode,
        update::{Source, other_uid},
    },
    request::query::WriteOptions,
};

/// Answers a PUT.
pub(super) async fn update(call: &mut Call) -> Result<Reply, Status> {
    let options = WriteOptions::read(&call.info.query, "UpdateOptions")?;
    let mut object = decode::object(call, options.field_validation)?;
    settle_put(call, &mut object)?;
    let creates = call.served.resource.put_creates && call.path.subresource.is_empty();
    if creates && call.state.store.head(&call.key()).is_none() {
        access::require(call, "create")?;
        if !object.uid().is_empty() {
            return Err(other_uid(call, object.uid(), ""));
        }
        return create::insert(call, object, options, Source::Put).await;
    }
    modify::modify(call, Source::Put, options, |_, _| Ok(object.clone())).await
}
