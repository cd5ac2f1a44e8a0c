//! Whether a webhook is to be asked about a request, and in which version of the object.

use std::{borrow::Cow, sync::Arc};

use emb_codec::selector::LabelSelector;
use emb_meta::{GroupResource, ObjectExt, Status};
use emb_schema::{Condition, ConditionInput};
use serde_json::Value;

use super::{
    authorizer::Permissions,
    hook::Hook,
    review,
    rule::{Rule, Subject},
};
use crate::{
    admission::{Operation, Request},
    registry::Served,
};

/// A webhook that is to be asked.
pub(super) struct Invocation {
    pub(super) hook: Arc<Hook>,
    /// The resource in the version that the webhook wants.
    pub(super) served: Arc<Served>,
}

/// Decides whether `hook` is asked about the request with this object.
pub(super) fn invocation(
    hook: &Arc<Hook>,
    request: &Request,
    object: Option<&Value>,
) -> Result<Option<Invocation>, Status> {
    // A namespace that is not there matters only to webhooks that would be asked.
    let in_namespace = in_namespace(hook, request, object);
    if matches!(in_namespace, Ok(false)) || !has_labels(hook, request, object) {
        return Ok(None);
    }
    let Some(served) = matched(hook, request) else { return Ok(None) };
    in_namespace?;
    let invocation = Invocation { hook: hook.clone(), served };
    Ok(invocation.conditions_hold(request, object)?.then_some(invocation))
}

/// Whether this is about a Namespace itself.
pub(super) fn is_namespace(request: &Request) -> bool {
    request.kind.group.is_empty() && &*request.resource == "namespaces"
}

fn in_namespace(hook: &Hook, request: &Request, object: Option<&Value>) -> Result<bool, Status> {
    let is_namespace = is_namespace(request);
    let is_outside = request.namespace.is_empty() && !is_namespace;
    if is_outside || hook.namespaces.is_everything() {
        return Ok(true);
    }
    let namespace = if !is_namespace {
        request.namespace_object.as_deref()
    } else if request.operation == Operation::Delete || !request.subresource.is_empty() {
        request.old_object.as_deref()
    } else {
        object
    };
    match namespace {
        Some(namespace) => Ok(selects(&hook.namespaces, namespace)),
        None => Err(Status::not_found(&GroupResource::new("", "namespaces"), &request.namespace)),
    }
}

/// An object that gains or loses the labels concerns the webhook as much as one that has them.
fn has_labels(hook: &Hook, request: &Request, object: Option<&Value>) -> bool {
    let selected = |object: Option<&Value>| object.is_some_and(|it| selects(&hook.objects, it));
    hook.objects.is_everything() || selected(object) || selected(request.old_object.as_deref())
}

fn selects(selector: &LabelSelector, object: &Value) -> bool {
    selector.matches(|key| object.labels().find(|(name, _)| *name == key).map(|(_, value)| value))
}

/// The resource that a rule names: that of the request, else another version of the same objects.
fn matched(hook: &Hook, request: &Request) -> Option<Arc<Served>> {
    let own = &request.origin.served;
    if hook.rules.iter().any(|rule| rule.matches(&subject(request, own))) {
        return Some(own.clone());
    }
    if !hook.matches_equivalents {
        return None;
    }
    let others: Vec<&Arc<Served>> = request
        .origin
        .snapshot
        .iter()
        .filter(|other| other.storage == own.storage && other.resource.is_stored())
        .filter(|other| other.resource.gvk != own.resource.gvk)
        .filter(|other| has_subresource(other, &request.subresource))
        .collect();
    let matched = |rule: &Rule| others.iter().find(|other| rule.matches(&subject(request, other)));
    hook.rules.iter().find_map(matched).map(|served| Arc::clone(served))
}

fn has_subresource(served: &Served, subresource: &str) -> bool {
    subresource.is_empty() || served.resource.subresource(subresource).is_some()
}

fn subject<'a>(request: &'a Request, served: &'a Served) -> Subject<'a> {
    Subject {
        operation: request.operation,
        group: &served.resource.gvk.group,
        version: &served.resource.gvk.version,
        resource: &served.resource.plural,
        subresource: &request.subresource,
        namespaced: !request.namespace.is_empty(),
    }
}

impl Invocation {
    /// An object of the request as the webhook wants to see it; null stays null.
    pub(super) fn view<'a>(&self, request: &Request, object: &'a Value) -> Cow<'a, Value> {
        if object.is_null() || Arc::ptr_eq(&self.served, &request.origin.served) {
            return Cow::Borrowed(object);
        }
        Cow::Owned(converted(object.clone(), &request.origin.served, &self.served))
    }

    /// The way back.
    pub(super) fn unview(&self, request: &Request, object: Value) -> Value {
        if Arc::ptr_eq(&self.served, &request.origin.served) {
            return object;
        }
        converted(object, &self.served, &request.origin.served)
    }

    fn conditions_hold(&self, request: &Request, object: Option<&Value>) -> Result<bool, Status> {
        if self.hook.conditions.is_empty() {
            return Ok(true);
        }
        let none = Value::Null;
        let object = self.view(request, object.unwrap_or(&none));
        let old_object = self.view(request, request.old_object.as_deref().unwrap_or(&none));
        let described = Value::Object(review::describe(request, &self.served));
        let input = ConditionInput {
            object: &object,
            old_object: &old_object,
            request: &described,
            authorizer: &Permissions(request),
        };
        match Condition::all_hold(&self.hook.conditions, input) {
            Ok(hold) => Ok(hold),
            Err(_) if self.hook.ignores_failures => Ok(false),
            Err(problem) => {
                let resource = &request.origin.served.group_resource;
                Err(Status::forbidden(resource, &request.name, &problem))
            }
        }
    }
}

fn converted(object: Value, from: &Served, to: &Served) -> Value {
    let mut object = to.resource.from_storage(from.resource.to_storage(object));
    to.add_type(&mut object);
    object
}
