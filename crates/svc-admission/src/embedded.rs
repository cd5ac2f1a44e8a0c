//! Our admission rules inside the embedded engine: the same rules that a cluster asks through webhooks, without a network.

use std::sync::OnceLock;

use core_rules::admission::{Operation, Refusal, User, apply_patch};
use emb_apiserver::{Admission, AdmissionRequest, Verdict};
use emb_meta::{Cause, Details, Reason, Status};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;

use crate::{Admitter, Request};

/// The plugin that the engine is started with. It lets everything through until the admitter is there: the admitter reads
/// through the engine, and before that the engine installs only what we give it ourselves.
#[derive(Default)]
pub struct Rules {
    admitter: OnceLock<Admitter>,
}

impl Rules {
    /// From now on the rules hold.
    pub fn enforce(&self, admitter: Admitter) {
        // A second admitter would be the same one: there is one start.
        drop(self.admitter.set(admitter));
    }
}

impl Admission for Rules {
    fn mutate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: &'a mut Value,
    ) -> BoxFuture<'a, Verdict> {
        let Some(admitter) = self.admitter.get() else { return allowed() };
        async move {
            let user = user(request);
            let admission =
                admitter.mutate(&as_seen(request, &user, Some(object))).await.map_err(status)?;
            apply_patch(object, &admission.patch);
            Ok(admission.warnings)
        }
        .boxed()
    }

    fn validate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: Option<&'a Value>,
    ) -> BoxFuture<'a, Verdict> {
        let Some(admitter) = self.admitter.get() else { return allowed() };
        async move {
            let user = user(request);
            let admission =
                admitter.validate(&as_seen(request, &user, object)).await.map_err(status)?;
            Ok(admission.warnings)
        }
        .boxed()
    }
}

fn allowed<'a>() -> BoxFuture<'a, Verdict> {
    futures::future::ready(Ok(Vec::new())).boxed()
}

fn user(request: &AdmissionRequest) -> User {
    let identity = &request.identity;
    User {
        name: identity.user.clone(),
        uid: identity.uid.clone(),
        groups: identity.groups.clone(),
        extra: identity.extra.clone(),
    }
}

fn as_seen<'a>(
    request: &'a AdmissionRequest,
    user: &'a User,
    object: Option<&'a Value>,
) -> Request<'a> {
    Request {
        operation: match request.operation {
            emb_apiserver::Operation::Create => Operation::Create,
            emb_apiserver::Operation::Update => Operation::Update,
            emb_apiserver::Operation::Delete => Operation::Delete,
        },
        group: &request.kind.group,
        resource: &request.resource,
        subresource: &request.subresource,
        namespace: &request.namespace,
        name: &request.name,
        user,
        object,
        old_object: request.old_object.as_deref(),
        dry_run: request.dry_run,
    }
}

/// The refusal in the words of the engine.
fn status(refusal: Refusal) -> Status {
    use core_rules::admission::Reason as Why;
    let reason = match refusal.reason {
        Why::BadRequest => Reason::BadRequest,
        Why::Forbidden => Reason::Forbidden,
        Why::NotFound => Reason::NotFound,
        Why::Conflict => Reason::Conflict,
        Why::Invalid => Reason::Invalid,
        Why::InternalError => Reason::InternalError,
    };
    let told = refusal.to_status();
    let status = Status::new(reason, refusal.message);
    let Some(details) = told.details else { return status };
    let causes = details.causes.unwrap_or_default().into_iter().map(|cause| Cause {
        reason: cause.reason.unwrap_or_default(),
        message: cause.message.unwrap_or_default(),
        field: cause.field.unwrap_or_default(),
    });
    status.with_details(Details {
        name: details.name.unwrap_or_default(),
        group: details.group.unwrap_or_default(),
        kind: details.kind.unwrap_or_default(),
        causes: causes.collect(),
        ..Details::default()
    })
}
