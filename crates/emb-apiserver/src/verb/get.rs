//! Reading one object.

use emb_meta::Status;
use http::StatusCode;

use crate::{
    call::{Call, Reply},
    request::query::resource_version,
};

/// Answers a GET of an object or of its status.
pub(super) async fn get(call: &mut Call) -> Result<Reply, Status> {
    if let Some(revision) = resource_version(call.info.query.get("resourceVersion"))? {
        call.state.reach(revision).await?;
    }
    let entry = call.state.store.get(&call.key()).ok_or_else(|| call.not_found())?;
    Ok(Reply::Stored(StatusCode::OK, entry))
}
