//! Deleting one object.

use std::sync::Arc;

use emb_kinds::BuiltInKind;
use emb_meta::{Details, ObjectExt, Status};
use emb_store::{CommitError, Entry, Expect, Key, Op};
use http::StatusCode;
use serde_json::{Value, json};

use super::{check_patience, commit_failure};
use crate::{
    admission::Operation,
    call::{Call, Reply},
    object::delete::{self, DeleteOptions, Plan},
    request::query::Managers,
};

/// What became of the object.
pub(super) enum Deleted {
    /// It is gone; this was its last state.
    Gone(Value),
    /// It waits for its finalizers.
    Waiting(Arc<Entry>),
    /// A dry run: it would wait, and look like this.
    WouldWait(Value),
}

/// Answers a DELETE of an object.
pub(super) async fn delete(call: &mut Call) -> Result<Reply, Status> {
    let options = DeleteOptions::read(call)?;
    let name = call.name().to_owned();
    let (deleted, warnings) = delete_one(call, &call.key(), &options, &name).await?;
    call.warnings.extend(warnings);
    let waits = if options.cascades { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok(match deleted {
        // Clients of this kind expect to see what they deleted.
        Deleted::Gone(object)
            if call.served.resource.built_in() == Some(BuiltInKind::ServiceAccount) =>
        {
            Reply::Object(StatusCode::OK, object)
        }
        Deleted::Gone(object) => Reply::Plain(StatusCode::OK, success(call, &object)),
        Deleted::Waiting(entry) => Reply::Stored(waits, entry),
        Deleted::WouldWait(object) => Reply::Object(waits, object),
    })
}

/// Deletes the object at `key`; `admitted_name` is what admission sees.
pub(super) async fn delete_one(
    call: &Call,
    key: &Key,
    options: &DeleteOptions,
    admitted_name: &str,
) -> Result<(Deleted, Vec<String>), Status> {
    let mut attempts = 0;
    loop {
        let Some(current) = call.state.store.head(key) else {
            return Err(Status::not_found(&call.served.group_resource, &key.name));
        };
        let old = Arc::new(call.served.shown(&current, Managers::Shown));
        let plan = delete::plan(call, &old, options, call.state.clock.now())?;
        let mut warnings = Vec::new();
        if !call.state.admission.is_empty() {
            let request = call.admission_request(
                Operation::Delete,
                admitted_name,
                Some(old.clone()),
                options.dry_run,
            );
            warnings = call.state.admission.validate(&request, None).await?;
        }
        let deleted = carry_out(call, &current, &old, plan, options.dry_run).await?;
        if let Some(deleted) = deleted {
            return Ok((deleted, warnings));
        }
        attempts += 1;
        check_patience(call, attempts, &key.name)?;
    }
}

/// `None` when another write came first.
async fn carry_out(
    call: &Call,
    current: &Arc<Entry>,
    old: &Arc<Value>,
    plan: Plan,
    dry_run: bool,
) -> Result<Option<Deleted>, Status> {
    let (key, expect) = (current.key.clone(), Expect::Revision(current.revision));
    let (op, gone) = match plan {
        Plan::Keep => {
            call.state.store.wait_for(current.revision).await;
            return Ok(Some(Deleted::Waiting(current.clone())));
        }
        Plan::Mark(new) if dry_run => return Ok(Some(Deleted::WouldWait(new))),
        Plan::Remove if dry_run => {
            return Ok(Some(Deleted::Gone(old.as_ref().clone())));
        }
        Plan::Mark(new) => (Op::Put { key, object: call.served.to_stored(new), expect }, false),
        Plan::Remove => (Op::Delete { key, expect }, true),
    };
    match call.state.commit(vec![op]).await {
        Ok(events) => Ok(events.into_iter().next().map(|event| {
            if gone {
                let mut last = old.as_ref().clone();
                let revision = json!(event.entry.revision.to_string());
                last.metadata_mut().insert("resourceVersion".into(), revision);
                Deleted::Gone(last)
            } else {
                Deleted::Waiting(event.entry.clone())
            }
        })),
        Err(CommitError::Conflict { .. }) => Ok(None),
        Err(error) => Err(commit_failure(&error)),
    }
}

fn success(call: &Call, object: &Value) -> Value {
    let resource = &call.served.group_resource;
    let details = Details {
        name: object.name().to_owned(),
        group: resource.group.to_string(),
        kind: resource.resource.to_string(),
        uid: object.uid().to_owned(),
        ..Details::default()
    };
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
        "details": details.to_value(),
    })
}
