//! Read, change, admit, commit: the loop behind update and patch.
//!
//! The change is computed on the last sequenced state and committed on the condition that it still is the last. When
//! another write came first the change is computed again, so a patch never fails on a race; a client that named a
//! resourceVersion gets its 409 from the check of that version in the next round.

use std::{iter, sync::Arc};

use emb_meta::{ObjectExt, Status};
use emb_store::{CommitError, Entry, Expect, Op};
use http::StatusCode;
use serde_json::Value;

use super::{check_patience, commit_failure};
use crate::{
    admission::Operation,
    call::{Call, Reply},
    object::{
        kind,
        owners::{self, Moment},
        update::{self, Source},
    },
    request::query::{Managers, WriteOptions},
};

/// Changes the object on the URL by `change`, which gets its present state.
pub(super) async fn modify(
    call: &mut Call,
    source: Source,
    options: WriteOptions,
    change: impl Fn(&mut Call, &Value) -> Result<Value, Status>,
) -> Result<Reply, Status> {
    let (warnings, mut attempts) = (call.warnings.len(), 0);
    loop {
        call.warnings.truncate(warnings);
        let Some(current) = call.state.store.head(&call.key()) else {
            return Err(call.not_found());
        };
        let old = Arc::new(call.served.shown(&current, Managers::Shown));
        let mut new = change(call, &old)?;
        owners::warn_of_repeated(call, &new, Moment::Admitted);
        update::begin(call, &mut new, &old, source)?;
        admit(call, &mut new, &old, options).await?;
        if let Some(reply) = write(call, &current, &old, new, options).await? {
            return Ok(reply);
        }
        attempts += 1;
        check_patience(call, attempts, call.name())?;
        call.refresh().await?;
    }
}

async fn admit(
    call: &mut Call,
    new: &mut Value,
    old: &Arc<Value>,
    options: WriteOptions,
) -> Result<(), Status> {
    if call.state.admission.is_empty() {
        return update::complete(call, new, old);
    }
    let name = call.name().to_owned();
    let request =
        call.admission_request(Operation::Update, &name, Some(old.clone()), options.dry_run);
    call.warnings.extend(call.state.admission.mutate(&request, new).await?);
    // Nobody but the client and the server has a say in what identifies the object, or in what this endpoint leaves alone.
    update::begin(call, new, old, Source::Apply)?;
    update::complete(call, new, old)?;
    call.warnings.extend(call.state.admission.validate(&request, Some(new)).await?);
    Ok(())
}

/// Commits the new state; `None` when another write came first.
async fn write(
    call: &Call,
    current: &Arc<Entry>,
    old: &Value,
    new: Value,
    options: WriteOptions,
) -> Result<Option<Reply>, Status> {
    if new == *old {
        call.state.metrics.unchanged_write();
        call.state.store.wait_for(current.revision).await;
        return Ok(Some(Reply::Stored(StatusCode::OK, current.clone())));
    }
    if options.dry_run {
        return Ok(Some(Reply::Object(StatusCode::OK, new)));
    }
    let (key, expect) = (call.key(), Expect::Revision(current.revision));
    // The last finalizer of a terminating object takes the object with it.
    let goes = new.is_terminating()
        && new.finalizers().next().is_none()
        && !kind::has_own_finalizers(call, &new);
    let (op, last_state) = if goes {
        (Op::Delete { key, expect }, Some(new))
    } else {
        (Op::Put { key, object: call.served.to_stored(new), expect }, None)
    };
    let ops = iter::once(op).chain(call.definition_check()).collect();
    match call.state.commit(ops).await {
        Ok(events) => match (last_state, events.into_iter().next()) {
            (Some(object), _) => Ok(Some(Reply::Object(StatusCode::OK, object))),
            (None, Some(event)) => Ok(Some(Reply::Stored(StatusCode::OK, event.entry.clone()))),
            (None, None) => Err(Status::internal("the commit brought no event")),
        },
        Err(CommitError::Conflict { .. }) => Ok(None),
        Err(error) => Err(commit_failure(&error)),
    }
}
