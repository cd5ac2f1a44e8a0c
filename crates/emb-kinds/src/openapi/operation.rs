//! The operations of a path.

use emb_meta::GroupVersionKind;
use serde_json::{Value, json};

use super::component::{kind_name, reference_to, shared_name};
use crate::resource::{Resource, Verb};

/// Name and type of a query parameter.
type Parameter = (&'static str, &'static str, &'static str);

const READ: &[Parameter] = &[(
    "resourceVersion",
    "string",
    "The state of the store that the reply must not be older than.",
)];
const LIST: &[Parameter] = &[
    ("allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks."),
    ("continue", "string", "The token of the page before."),
    ("fieldSelector", "string", "Limits the objects by their fields."),
    ("labelSelector", "string", "Limits the objects by their labels."),
    ("limit", "integer", "How many objects a page has at most."),
    ("resourceVersion", "string", "The state of the store to show or to watch from."),
    ("resourceVersionMatch", "string", "NotOlderThan or Exact."),
    ("sendInitialEvents", "boolean", "Whether a watch begins with the objects that exist."),
    ("timeoutSeconds", "integer", "When to end a watch."),
    ("watch", "boolean", "Whether to watch instead of listing."),
];
const WRITE: &[Parameter] = &[
    ("dryRun", "string", "All runs every check and writes nothing."),
    ("fieldManager", "string", "Who the written fields belong to."),
    (
        "fieldValidation",
        "string",
        "What to do with unknown or duplicate fields: Ignore, Warn or Strict.",
    ),
];
const FORCE: Parameter =
    ("force", "boolean", "Whether apply takes fields over that belong to others.");
const DELETE: &[Parameter] = &[
    ("dryRun", "string", "All runs every check and deletes nothing."),
    ("gracePeriodSeconds", "integer", "How long the object may still live."),
    ("orphanDependents", "boolean", "Older form of the propagation policy Orphan."),
    ("propagationPolicy", "string", "Orphan, Background or Foreground."),
];

const OBJECT_TYPES: &[&str] = &["application/json", "application/yaml"];
const PATCH_TYPES: &[&str] = &[
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
];

/// The HTTP method and the operation for `verb` on objects of `kind`.
pub(super) fn operation(
    resource: &Resource,
    verb: Verb,
    kind: &GroupVersionKind,
) -> Option<(&'static str, Value)> {
    let object = object_reference(resource, kind);
    let list = || reference_to(&kind_name(resource, &resource.list_kind));
    let status = || reference_to(&shared_name("meta.v1.Status"));
    let patch = || reference_to(&shared_name("meta.v1.Patch"));
    let options = || reference_to(&shared_name("meta.v1.DeleteOptions"));
    let (method, action, parameters, body, reply) = match verb {
        Verb::Get => ("get", "get", parameters(READ), None, object),
        Verb::List => ("get", "list", parameters(LIST), None, list()),
        Verb::Create => {
            ("post", "post", parameters(WRITE), Some(content(OBJECT_TYPES, &object)), object)
        }
        Verb::Update => {
            ("put", "put", parameters(WRITE), Some(content(OBJECT_TYPES, &object)), object)
        }
        Verb::Patch => {
            let types = patch_types(resource);
            let parameters = parameters(WRITE.iter().chain([&FORCE]));
            ("patch", "patch", parameters, Some(content(types, &patch())), object)
        }
        Verb::Delete => (
            "delete",
            "delete",
            parameters(DELETE),
            Some(content(OBJECT_TYPES, &options())),
            status(),
        ),
        Verb::DeleteCollection => {
            let parameters = parameters(LIST.iter().chain(DELETE));
            let body = Some(content(OBJECT_TYPES, &options()));
            ("delete", "deletecollection", parameters, body, status())
        }
        Verb::Watch => return None,
    };
    let mut operation = json!({
        "operationId": format!("{action}_{}_{}_{}", kind.group, kind.version, kind.kind),
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "content": content(OBJECT_TYPES, &reply)}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind":
            {"group": &*kind.group, "version": &*kind.version, "kind": &*kind.kind},
    });
    if let (Some(content), Some(members)) = (body, operation.as_object_mut()) {
        members.insert("requestBody".to_owned(), json!({"content": content}));
    }
    Some((method, operation))
}

fn object_reference(resource: &Resource, kind: &GroupVersionKind) -> Value {
    if *kind == resource.gvk {
        return reference_to(&kind_name(resource, &kind.kind));
    }
    let package = kind.group.split('.').next().unwrap_or_default();
    reference_to(&shared_name(&format!("{package}.{}.{}", kind.version, kind.kind)))
}

/// Custom resources take no strategic patches.
fn patch_types(resource: &Resource) -> &'static [&'static str] {
    let count = if resource.built_in().is_some() { 4 } else { 3 };
    PATCH_TYPES.get(..count).unwrap_or_default()
}

fn content(types: &[&str], schema: &Value) -> Value {
    types.iter().map(|media| ((*media).to_owned(), json!({"schema": schema}))).collect()
}

fn parameters<'a>(list: impl IntoIterator<Item = &'a Parameter>) -> Value {
    list.into_iter()
        .map(|(name, kind, description)| {
            json!({
                "name": name, "in": "query", "description": description,
                "schema": {"type": kind, "uniqueItems": true},
            })
        })
        .collect()
}
