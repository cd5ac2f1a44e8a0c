//! Replacing objects.

use emb_meta::Status;

use super::{create, modify};
use crate::{
    access,
    call::{Call, Reply},
    object::{create::settle_put, decode, update::Source},
    request::query::WriteOptions,
};

/// Answers a PUT.
pub(super) async fn update(call: &mut Call) -> Result<Reply, Status> {
    let options = WriteOptions::read(&call.info.query, "UpdateOptions")?;
    let object = decode::object(call, options.field_validation)?;
    let creates = call.served.resource.put_creates && call.path.subresource.is_empty();
    if creates && call.state.store.head(&call.key()).is_none() {
        access::require(call, "create")?;
        let mut object = object;
        settle_put(call, &mut object)?;
        return create::insert(call, object, options).await;
    }
    modify::modify(call, Source::Put, options, |_, _| Ok(object.clone())).await
}
