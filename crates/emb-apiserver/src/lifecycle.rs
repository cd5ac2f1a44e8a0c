//! Where new objects may be created: in a namespace that exists and is not going away, of a kind that is not going away.

use emb_meta::{Cause, GroupResource, ObjectExt, Scope, Status};
use emb_store::{Expect, Op};

use crate::{call::Call, state::namespace_key};

/// Checks that an object may be created here. The returned operation makes the commit fail when the namespace changes
/// before it.
pub(crate) fn admit_create(call: &Call, name: &str) -> Result<Option<Op>, Status> {
    if call.served.custom.as_ref().is_some_and(|custom| custom.terminating) {
        return Err(Status::forbidden(
            &call.served.group_resource,
            name,
            "create not allowed while custom resource definition is terminating",
        ));
    }
    if call.served.resource.scope == Scope::Cluster {
        return Ok(None);
    }
    let namespace = call.namespace();
    let Some(entry) = call.state.namespace(namespace) else {
        return Err(Status::not_found(&GroupResource::new("", "namespaces"), namespace));
    };
    if entry.value().is_terminating() {
        return Err(terminating(call, name, namespace));
    }
    let expect = Expect::Revision(entry.revision);
    Ok(Some(Op::Check { key: namespace_key(namespace), expect }))
}

fn terminating(call: &Call, name: &str, namespace: &str) -> Status {
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let mut status = Status::forbidden(&call.served.group_resource, name, &why);
    if let Some(details) = &mut status.details {
        details.causes.push(Cause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".into(),
        });
    }
    status
}
