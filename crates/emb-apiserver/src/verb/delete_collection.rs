//! Deleting every object that a selector matches, each in a commit of its own.

use std::sync::Arc;

use emb_meta::{Reason, Status};
use emb_store::Entry;
use futures::{StreamExt, stream};

use super::{
    delete::delete_one,
    list::{self, List},
};
use crate::{
    call::{Call, Reply},
    object::delete::DeleteOptions,
};

/// Deletes that share group commits; more would only queue.
const CONCURRENT: usize = 64;

/// Answers a DELETE of a collection, or of a page of it, with what was deleted, as it was before.
pub(super) async fn delete_collection(call: &mut Call) -> Result<Reply, Status> {
    let options = DeleteOptions::read(call)?;
    let listed = list::select(call).await?;
    let shared: &Call = call;
    let delete = |entry: Arc<Entry>| {
        let options = &options;
        async move {
            match delete_one(shared, &entry.key, options, "").await {
                Ok((_, warnings)) => Ok(Some((entry, warnings))),
                // Somebody else was faster.
                Err(status) if status.reason == Reason::NotFound => Ok(None),
                Err(status) => Err(status),
            }
        }
    };
    let mut results = stream::iter(listed.entries).map(delete).buffered(CONCURRENT);
    let (mut deleted, mut warned) = (Vec::new(), Vec::new());
    while let Some(result) = results.next().await {
        if let Some((entry, warnings)) = result? {
            deleted.push(entry);
            warned.extend(warnings);
        }
    }
    drop(results);
    call.warnings.extend(warned);
    Ok(Reply::List(List { entries: deleted, ..listed }))
}
