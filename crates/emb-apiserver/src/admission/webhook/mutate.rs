//! Mutating webhooks: one after the other, each on what the former left behind.

use std::{collections::BTreeSet, sync::Arc};

use emb_codec::{json, patch::json_patch_parse};
use emb_meta::{FieldError, GroupKind, GroupVersionKind, ObjectExt, Status};
use futures::future::{BoxFuture, FutureExt};
use serde_json::{Value, json};

use super::{
    Hooks, Stage,
    answer::{Answer, JSON_PATCH},
    call::{self, Unanswered},
    denial,
    hook::Hook,
    is_exempt,
    matching::{Invocation, invocation},
};
use crate::{
    admission::{Operation, Request},
    metrics::Ended,
    object::conform,
};

/// Lets the webhooks change the object.
///
/// Boxed, so that writes without webhooks do not carry the room for them.
pub(crate) fn mutate<'a>(
    hooks: &'a Hooks,
    request: &'a Request,
    object: &'a mut Value,
) -> BoxFuture<'a, Result<(), Status>> {
    async move {
        let name = object.name().to_owned();
        run(hooks, request, Some(object)).await?;
        // The name is where an update goes to; that of a new object may still change.
        if request.operation == Operation::Update && object.name() != name {
            let given = object.name();
            let error = FieldError::invalid("metadata.name", &json!(given), "field is immutable");
            return Err(Status::invalid(&request.kind.group_kind(), given, &[error]));
        }
        Ok(())
    }
    .boxed()
}

/// Tells the webhooks of a delete. They may refuse it; there is nothing that they could change.
pub(crate) fn announce_delete<'a>(
    hooks: &'a Hooks,
    request: &'a Request,
) -> BoxFuture<'a, Result<(), Status>> {
    run(hooks, request, None).boxed()
}

/// Two rounds at most: in the second those are asked again that wish to know what others changed after them.
async fn run(
    hooks: &Hooks,
    request: &Request,
    mut object: Option<&mut Value>,
) -> Result<(), Status> {
    let list = hooks.list(Stage::Mutating);
    if list.is_empty() || is_exempt(request) {
        return Ok(());
    }
    let mut calls = Calls::default();
    for round in 0..2 {
        for (index, hook) in list.iter().enumerate() {
            if round > 0 && !calls.due.contains(&index) {
                continue;
            }
            let Some(invocation) = invocation(hook, request, object.as_deref())? else { continue };
            let place = format!("round_{round}_index_{index}");
            let object = object.as_deref_mut();
            if consult(hooks, &invocation, request, object, &place).await? {
                calls.note_change();
            }
            calls.note_call(index, hook);
        }
        if calls.due.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Who was called, and who has to be called again.
#[derive(Default)]
struct Calls {
    /// Webhooks that wish to be called again and have seen everything so far.
    satisfied: BTreeSet<usize>,
    due: BTreeSet<usize>,
}

impl Calls {
    fn note_change(&mut self) {
        self.due.append(&mut self.satisfied);
    }

    fn note_call(&mut self, index: usize, hook: &Arc<Hook>) {
        if hook.reinvokes {
            self.satisfied.insert(index);
        }
    }
}

/// Why an answer changes nothing.
enum Failure {
    /// The webhook is to blame: its failure policy decides.
    Webhook(Unanswered),
    /// The webhook refuses the request.
    Denied(Status),
    /// The request ends, because what the webhook wants cannot be done.
    Unusable(Status),
}

impl Failure {
    fn end(&self, hook: &Hook) -> Ended {
        match self {
            Self::Webhook(unanswered) => unanswered.end(hook),
            Self::Denied(status) => Ended::Denied(status.code),
            Self::Unusable(_) => Ended::Unusable,
        }
    }
}

/// Asks one webhook and does what it says; whether that changed the object.
async fn consult(
    hooks: &Hooks,
    invocation: &Invocation,
    request: &Request,
    object: Option<&mut Value>,
    place: &str,
) -> Result<bool, Status> {
    let (hook, stage) = (&invocation.hook, Stage::Mutating);
    let started = request.origin.state.clock.monotonic();
    let asked = call::ask(hooks, stage, invocation, request, object.as_deref()).await;
    let outcome = match asked {
        Ok(answer) if answer.allowed => apply(invocation, request, object, &answer),
        Ok(answer) => Err(Failure::Denied(denial::denied(&hook.name, answer.status.as_ref()))),
        Err(unanswered) => Err(Failure::Webhook(unanswered)),
    };
    let ended = outcome.as_ref().map_or_else(|failure| failure.end(hook), |_| Ended::Allowed);
    call::count(hook, stage, request, ended, started);
    let mutated = matches!(outcome, Ok(true));
    let note = json!({
        "configuration": hook.configuration, "webhook": hook.name, "mutated": mutated
    });
    let key = format!("mutation.webhook.admission.k8s.io/{place}");
    request.origin.remarks.annotate(key.clone(), &note.to_string());
    match outcome {
        Ok(changed) => Ok(changed),
        Err(Failure::Denied(status) | Failure::Unusable(status)) => Err(status),
        Err(Failure::Webhook(unanswered)) => {
            let key = format!("failed-open.{key}");
            call::settle_failure(hook, request, &unanswered, key).map(|()| false)
        }
    }
}

/// What a webhook leaves behind must still be an object of its kind.
fn check_type(gvk: &GroupVersionKind, patched: &Value) -> Result<(), Status> {
    let kind = patched.text(&["kind"]);
    if !patched.is_object() || patched.text(&["apiVersion"]) != gvk.group_version().to_string() {
        return Err(Status::internal("the patch of the webhook changes the version of the object"));
    }
    if kind == &*gvk.kind {
        return Ok(());
    }
    let error = FieldError::invalid("kind", &json!(kind), &format!("must be {}", gvk.kind));
    let given = GroupKind::new(gvk.group.clone(), kind);
    Err(Status::invalid(&given, patched.name(), &[error]))
}

fn apply(
    invocation: &Invocation,
    request: &Request,
    object: Option<&mut Value>,
    answer: &Answer,
) -> Result<bool, Failure> {
    if answer.patch.is_empty() {
        return Ok(false);
    }
    let undecodable = |problem: &dyn std::fmt::Display| {
        let problem = format!("received undecodable patch in webhook response: {problem}");
        Failure::Webhook(Unanswered::unusable(problem))
    };
    let operations = json::decode(&answer.patch).map_err(|error| undecodable(&error))?.value;
    if operations.as_array().is_some_and(Vec::is_empty) {
        return Ok(false);
    }
    let patch = json_patch_parse(&operations).map_err(|error| undecodable(&error))?;
    let failed = |problem: &dyn std::fmt::Display| Failure::Unusable(Status::internal(problem));
    let Some(object) = object else {
        let name = &invocation.hook.name;
        return Err(failed(&format_args!(
            "admission webhook {name:?} attempted to modify the object, which is not supported for this operation"
        )));
    };
    if answer.patch_type != JSON_PATCH {
        let problem = format!("unsupported patch type {:?}", answer.patch_type);
        return Err(Failure::Webhook(Unanswered::unusable(problem)));
    }
    let mut patched = invocation.view(request, object).into_owned();
    patch.apply(&mut patched).map_err(|error| failed(&error))?;
    let resource = &invocation.served.resource;
    let wanted = resource.kind_at(&request.subresource);
    check_type(wanted, &patched).map_err(Failure::Unusable)?;
    let mut patched = invocation.unview(request, patched);
    // What is no object of the resource is checked by whoever carries it out.
    if *wanted == resource.gvk {
        conform(&request.origin.served, &mut patched).map_err(|status| failed(&status))?;
    }
    let changed = patched != *object;
    *object = patched;
    Ok(changed)
}
