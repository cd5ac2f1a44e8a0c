//! Deleting every object that a selector matches, each in a commit of its own.

use emb_meta::{Reason, Status};
use futures::{StreamExt, stream};

use super::{
    delete::{Deleted, delete_one},
    list::List,
    selection::Selection,
};
use crate::{
    call::{Call, Reply},
    object::delete::DeleteOptions,
};

/// Deletes that share group commits; more would only queue.
const CONCURRENT: usize = 64;

/// Answers a DELETE of a collection with the last states of what was deleted.
pub(super) async fn delete_collection(call: &mut Call) -> Result<Reply, Status> {
    let options = DeleteOptions::read(call)?;
    let selection = Selection::read(call)?;
    let entries = selection.list(call).entries;
    let shared: &Call = call;
    let mut results = stream::iter(entries)
        .map(|entry| {
            let options = &options;
            async move { delete_one(shared, &entry.key, options, "").await }
        })
        .buffered(CONCURRENT);
    let (mut deleted, mut warnings) = (Vec::new(), Vec::new());
    while let Some(result) = results.next().await {
        match result {
            Ok((Deleted::Gone(entry, _) | Deleted::Waiting(entry), warned)) => {
                deleted.push(entry);
                warnings.extend(warned);
            }
            Ok((Deleted::WouldWait(_), warned)) => warnings.extend(warned),
            // Somebody else was faster.
            Err(status) if status.reason == Reason::NotFound => {}
            Err(status) => return Err(status),
        }
    }
    drop(results);
    call.warnings.extend(warnings);
    let revision = call.state.store.revision();
    Ok(Reply::List(List { entries: deleted, revision, continue_token: None, remaining: None }))
}
