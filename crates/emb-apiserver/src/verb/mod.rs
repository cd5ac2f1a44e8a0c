//! The verbs: each reads what it needs, lets the object rules and admission decide, and commits.

mod apply;
mod create;
mod delete;
mod delete_collection;
mod get;
pub(crate) mod list;
mod modify;
mod patch;
mod selection;
mod update;
pub(crate) mod watch;

use emb_kinds::Verb;
use emb_meta::{Details, Reason, Scope, Status};
use emb_store::CommitError;

use crate::{
    call::{Call, Reply},
    handler,
};

/// How often a write is admitted in which webhooks have a say, when other writes keep coming first.
const ADMISSIONS: usize = 5;

/// Answers a request to a served resource.
pub(crate) async fn serve(call: &mut Call) -> Result<Reply, Status> {
    if let Some(warning) = &call.served.resource.deprecated {
        call.warnings.push(warning.to_string());
    }
    if call.path.subresource.is_empty() {
        serve_object(call).await
    } else {
        serve_subresource(call).await
    }
}

async fn serve_object(call: &mut Call) -> Result<Reply, Status> {
    let verb = requested_verb(call)?;
    // Without a namespace, objects of a namespaced kind can only be read.
    let nowhere = call.served.resource.scope == Scope::Namespaced && call.path.namespace.is_none();
    if nowhere && call.info.is_mutating() && call.served.custom.is_some() {
        return Ok(Reply::Written(handler::page_not_found()));
    }
    if !call.served.resource.allows(verb) || (nowhere && call.info.is_mutating()) {
        return Err(call.method_not_allowed());
    }
    if !call.served.resource.is_stored() {
        return handler::made_up(call, verb);
    }
    match verb {
        Verb::Create => create::create(call).await,
        Verb::Get => get::get(call).await,
        Verb::List => list::list(call).await,
        Verb::Watch => watch::watch(call).await,
        Verb::Update => update::update(call).await,
        Verb::Patch => patch::patch(call).await,
        Verb::Delete => delete::delete(call).await,
        Verb::DeleteCollection => delete_collection::delete_collection(call).await,
    }
}

async fn serve_subresource(call: &mut Call) -> Result<Reply, Status> {
    let Some(subresource) = call.served.resource.subresource(&call.path.subresource) else {
        if call.served.custom.is_some() {
            return Err(Status::not_found(&call.served.group_resource, call.name()));
        }
        return handler::not_served(&call.snapshot, &call.path).map(Reply::Written);
    };
    let name = subresource.name;
    let verb = requested_verb(call)?;
    if !subresource.verbs.contains(&verb) {
        return Err(call.method_not_allowed());
    }
    match (name, verb) {
        ("token", Verb::Create) => handler::token::create(call).await,
        (_, Verb::Get) => get::get(call).await,
        (_, Verb::Update) => update::update(call).await,
        (_, Verb::Patch) => patch::patch(call).await,
        _ => Err(call.method_not_allowed()),
    }
}

fn requested_verb(call: &Call) -> Result<Verb, Status> {
    match call.info.verb() {
        "create" if call.path.name.is_none() || !call.path.subresource.is_empty() => {
            Ok(Verb::Create)
        }
        "get" => Ok(Verb::Get),
        "list" => Ok(Verb::List),
        "watch" => Ok(Verb::Watch),
        "update" if call.path.name.is_some() => Ok(Verb::Update),
        "patch" if call.path.name.is_some() => Ok(Verb::Patch),
        "delete" => Ok(Verb::Delete),
        "deletecollection" => Ok(Verb::DeleteCollection),
        _ => Err(call.method_not_allowed()),
    }
}

/// 409 for a write that keeps coming too late. Where webhooks were asked each attempt costs calls over the network; without
/// them trying again is cheap, and some write succeeds each time.
fn check_patience(call: &Call, attempts: usize, name: &str) -> Result<(), Status> {
    if attempts >= ADMISSIONS && call.remarks.was_asked() {
        return Err(call.modified(name));
    }
    Ok(())
}

/// A commit that failed for another reason than an expectation.
fn commit_failure(error: &CommitError) -> Status {
    match error {
        CommitError::TooLarge { size, limit, .. } => Status::new(
            Reason::RequestEntityTooLarge,
            format!("the object has {size} bytes, more than the stored object limit of {limit}"),
        ),
        CommitError::Conflict { .. } => Status::internal(error),
        CommitError::ReadOnly(_) | CommitError::Closed => {
            Status::new(Reason::ServiceUnavailable, error.to_string())
                .with_details(Details { retry_after_seconds: 1, ..Details::default() })
        }
    }
}
