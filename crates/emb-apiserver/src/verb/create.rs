//! Creating objects.

use std::sync::Arc;

use emb_meta::{ObjectExt, Status};
use emb_store::{CommitError, Entry, Expect, Op};
use http::StatusCode;
use serde_json::Value;

use super::{check_patience, commit_failure};
use crate::{
    admission::Operation,
    call::{Call, Reply},
    lifecycle,
    object::{
        create, decode,
        owners::{self, Moment},
        settle_namespace,
        update::Source,
    },
    request::query::WriteOptions,
};

/// How often a generated name is drawn again when it is taken.
const NAME_ATTEMPTS: usize = 8;

/// Answers a POST to a collection.
pub(super) async fn create(call: &mut Call) -> Result<Reply, Status> {
    let options = WriteOptions::read(&call.info.query, "CreateOptions")?;
    let mut object = decode::object(call, options.field_validation)?;
    settle_namespace(call, &mut object)?;
    owners::keep_distinct(call, &mut object, Moment::Received);
    insert(call, object, options, Source::Post).await
}

enum Attempt {
    Done(Reply),
    /// The name is taken.
    Taken(Status),
    /// Something the object depends on has changed meanwhile.
    Moved,
}

/// Stores a new object.
pub(super) async fn insert(
    call: &mut Call,
    object: Value,
    options: WriteOptions,
    source: Source,
) -> Result<Reply, Status> {
    let generated = object.name().is_empty();
    let warnings = call.warnings.len();
    let (mut attempts, mut moves) = (1, 0);
    loop {
        call.warnings.truncate(warnings);
        match attempt(call, object.clone(), options, source).await? {
            Attempt::Done(reply) => return Ok(reply),
            Attempt::Taken(_) if generated && attempts < NAME_ATTEMPTS => attempts += 1,
            Attempt::Taken(status) => return Err(status),
            Attempt::Moved => {
                moves += 1;
                check_patience(call, moves, object.name())?;
                call.refresh().await?;
            }
        }
    }
}

async fn attempt(
    call: &mut Call,
    mut object: Value,
    options: WriteOptions,
    source: Source,
) -> Result<Attempt, Status> {
    let dry_run = options.dry_run;
    let namespace = lifecycle::admit_create(call, object.name())?;
    create::begin(call, &mut object, source)?;
    let admits = !call.state.admission.is_empty();
    let mut request = None;
    if admits {
        let asked = call.admission_request(Operation::Create, object.name(), None, dry_run);
        call.warnings.extend(call.state.admission.mutate(&asked, &mut object).await?);
        // Nobody but the client and the server has a say in what identifies the object.
        create::begin(call, &mut object, Source::Apply)?;
        request = Some(asked);
    }
    let companions = create::complete(call, &mut object)?;
    if let Some(mut request) = request {
        object.name().clone_into(&mut request.name);
        call.warnings.extend(call.state.admission.validate(&request, Some(&object)).await?);
    }
    let key = call.served.key(call.namespace(), object.name());
    if dry_run {
        return match call.state.store.head(&key) {
            Some(current) => Ok(Attempt::Taken(already_exists(call, &current))),
            None => Ok(Attempt::Done(Reply::Object(StatusCode::CREATED, object))),
        };
    }
    let stored = call.served.to_stored(object);
    let mut ops = vec![Op::Put { key, object: stored, expect: Expect::Absent }];
    ops.extend(namespace);
    ops.extend(call.definition_check());
    ops.extend(companions);
    match call.state.commit(ops).await {
        Ok(events) => events.into_iter().next().map_or_else(
            || Err(Status::internal("the commit brought no event")),
            |event| Ok(Attempt::Done(Reply::Stored(StatusCode::CREATED, event.entry.clone()))),
        ),
        Err(CommitError::Conflict { at: 0, current: Some(current) }) => {
            Ok(Attempt::Taken(already_exists(call, &current)))
        }
        Err(CommitError::Conflict { .. }) => Ok(Attempt::Moved),
        Err(error) => Err(commit_failure(&error)),
    }
}

fn already_exists(call: &Call, current: &Arc<Entry>) -> Status {
    let mut status = Status::already_exists(&call.served.group_resource, &current.key.name);
    if current.value().is_terminating() {
        status.message.insert_str(0, "object is being deleted: ");
    }
    status
}
