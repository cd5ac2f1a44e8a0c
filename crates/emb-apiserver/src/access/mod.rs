//! Who asks, and whether they may.

mod authenticate;
mod escalation;
mod impersonate;

use emb_auth::{Attributes, Decision, Identity, Target};
use emb_codec::selector::FieldSelector;
use emb_meta::{Details, GroupResource, Reason, Status};

pub(crate) use authenticate::{authenticate, verify_token};
pub(crate) use escalation::check_escalation;
pub(crate) use impersonate::impersonate;

use crate::{
    call::Call,
    request::{Info, path},
    state::State,
};

/// Decides whether the request may go on. Returns the reason that audit records.
pub(crate) fn authorize(state: &State, identity: &Identity, info: &Info) -> Result<String, Status> {
    let verb = info.verb();
    match &info.target {
        path::Target::Resource(path) => {
            let selected = selected_name(info, verb);
            let name = path.name.as_deref().or(selected.as_deref()).unwrap_or_default();
            decide(state, identity, verb, resource_target(path, name))
        }
        path::Target::NonResource(path) | path::Target::Malformed(path) => {
            let verb = if verb == "head" { "get" } else { verb };
            decide(state, identity, verb, Target::NonResource { path })
        }
    }
}

/// Requires another verb than the request's own on the same object.
pub(crate) fn require(call: &Call, verb: &str) -> Result<(), Status> {
    let target = resource_target(&call.path, call.name());
    decide(&call.state, &call.identity, verb, target).map(|_| ())
}

fn resource_target<'a>(path: &'a path::ResourcePath, name: &'a str) -> Target<'a> {
    Target::Resource {
        group: &path.group,
        version: &path.version,
        resource: &path.resource,
        subresource: &path.subresource,
        namespace: path.namespace.as_deref().unwrap_or_default(),
        name,
    }
}

/// Asks RBAC; a denial becomes 403 in the words of the API.
pub(crate) fn decide(
    state: &State,
    identity: &Identity,
    verb: &str,
    target: Target<'_>,
) -> Result<String, Status> {
    let attributes = Attributes { identity, verb, target };
    match state.rbac.read().authorize(&attributes) {
        Decision::Allowed { reason } => Ok(reason),
        Decision::Denied => Err(denied(&attributes)),
    }
}

fn denied(attributes: &Attributes<'_>) -> Status {
    match attributes.target {
        Target::Resource { group, resource, name, .. } => {
            Status::forbidden(&GroupResource::new(group, resource), name, &attributes.to_string())
        }
        Target::NonResource { .. } => {
            Status::new(Reason::Forbidden, format!("forbidden: {attributes}"))
                .with_details(Details::default())
        }
    }
}

/// The one object that a collection request can concern, so that rules with `resourceNames` apply to it.
fn selected_name(info: &Info, verb: &str) -> Option<String> {
    if !matches!(verb, "list" | "watch" | "deletecollection") {
        return None;
    }
    let selector = FieldSelector::parse(info.query.get("fieldSelector")).ok()?;
    selector.exact("metadata.name").map(str::to_owned)
}
