//! What an object says, without what every server decides for itself.
//!
//! Two objects with the same content are the same object on two servers. A status tells which generation of the
//! specification it is about; generations start at 1 on every server, so what counts is whether it was the last one.

use core_rules::digest::sha256_hex;
use serde_json::{Map, Value};

use crate::{Resource, object};

const OBSERVED: &str = "observedGeneration";
/// What a server adds to the Secret of a token.
const ACCOUNT_UID: &str = "kubernetes.io/service-account.uid";
/// What a server notes at the Secret of a token about its use.
const TOKEN_USE: [&str; 2] =
    ["kubernetes.io/legacy-token-invalid-since", "kubernetes.io/legacy-token-last-used"];
/// What a server decides about every object.
const SERVER_MADE: [&str; 9] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generateName",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// What can be sent to another server: everything that the servers do not decide, without owners.
pub(crate) fn portable(resource: &Resource, object: &Value) -> Value {
    let mut portable = object.clone();
    if let Some(metadata) = object::metadata_mut(&mut portable) {
        for field in SERVER_MADE {
            metadata.remove(field);
        }
        metadata.remove("ownerReferences");
    }
    if object::is_token(resource, object) {
        remove_token(&mut portable);
    }
    if let (Value::Object(members), "Namespace") = (&mut portable, resource.kind) {
        members.remove("spec");
        members.remove("status");
    }
    portable
}

/// The token is signed by the server that made it, and names the account by its uid there. When it was used there says
/// nothing about the one that takes its place.
fn remove_token(secret: &mut Value) {
    if let Value::Object(members) = secret {
        members.remove("data");
    }
    let annotations = secret.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    annotations.map(|annotations| annotations.remove(ACCOUNT_UID));
    if let Some(Value::Object(labels)) = secret.pointer_mut("/metadata/labels") {
        labels.retain(|label, _| !TOKEN_USE.contains(&label.as_str()));
    }
}

/// The status with generations as the target counts them.
pub(crate) fn status(object: &Value, generation: i64) -> Value {
    let mut status = object.get("status").cloned().unwrap_or_default();
    let last = object::generation(object);
    observed(&mut status, &mut |seen| {
        // One that is past everywhere: what was not looked at before still is not.
        let seen = if seen == last { generation } else { generation - 1 };
        Value::from(seen.max(0))
    });
    status
}

/// What the object says.
pub(crate) fn content(resource: &Resource, object: &Value) -> Value {
    let mut content = portable(resource, object);
    let last = object::generation(object);
    if let Some(status) = content.get_mut("status") {
        observed(status, &mut |seen| Value::from(if seen == last { "last" } else { "earlier" }));
    }
    let owners: Vec<Value> = object::owners(object).iter().map(nameless).collect();
    if let Some(metadata) = object::metadata_mut(&mut content) {
        metadata.insert("ownerReferences".to_owned(), owners.into());
        metadata.retain(|_, value| !object::is_empty(value));
    }
    if let Value::Object(members) = &mut content {
        members.retain(|_, value| !object::is_empty(value));
    }
    content.sort_all_objects();
    content
}

/// The same without the status, which is written on its own.
pub(crate) fn without_status(mut content: Value) -> Value {
    if let Value::Object(members) = &mut content {
        members.remove("status");
    }
    content
}

/// The same without owners, which some objects get later.
pub(crate) fn without_owners(mut content: Value) -> Value {
    object::metadata_mut(&mut content).map(|metadata| metadata.remove("ownerReferences"));
    content
}

/// What tells one content from another.
pub(crate) fn digest(content: &Value) -> String {
    sha256_hex(content.to_string().as_bytes())
}

/// The first place in which two contents differ, for a person to look at.
pub(crate) fn difference(left: &Value, right: &Value) -> Option<String> {
    fn find(left: &Value, right: &Value, path: &str) -> Option<String> {
        match (left, right) {
            (left, right) if left == right => None,
            (Value::Object(left), Value::Object(right)) => {
                let keys = left.keys().chain(right.keys().filter(|key| !left.contains_key(*key)));
                let null = Value::Null;
                let inner = |key: &String| {
                    let [left, right] = [left, right].map(|one| one.get(key).unwrap_or(&null));
                    find(left, right, &format!("{path}.{key}"))
                };
                keys.map(inner).find_map(|found| found)
            }
            _ => Some(path.trim_start_matches('.').to_owned()),
        }
    }
    find(left, right, "")
}

/// Replaces every generation that a status tells of.
fn observed(value: &mut Value, replace: &mut impl FnMut(i64) -> Value) {
    match value {
        Value::Object(members) => {
            if let Some(seen) = seen(members) {
                members.insert(OBSERVED.to_owned(), replace(seen));
            }
            members.values_mut().for_each(|value| observed(value, replace));
        }
        Value::Array(entries) => entries.iter_mut().for_each(|value| observed(value, replace)),
        _ => {}
    }
}

fn seen(members: &Map<String, Value>) -> Option<i64> {
    members.get(OBSERVED).and_then(Value::as_i64)
}

/// An owner reference without the uid.
fn nameless(owner: &Value) -> Value {
    let mut owner = owner.clone();
    if let Value::Object(members) = &mut owner {
        members.remove("uid");
    }
    owner
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RESOURCES;

    fn resource(kind: &str) -> &'static Resource {
        RESOURCES.iter().find(|one| one.kind == kind).unwrap()
    }

    fn stage(uid: &str, generation: i64, observed: i64) -> Value {
        json!({
            "metadata": {
                "name": "prod", "namespace": "demo", "uid": uid, "generation": generation, "labels": {},
                "resourceVersion": uid, "creationTimestamp": uid, "managedFields": [{"manager": uid}],
                "ownerReferences": [{"kind": "Project", "name": "demo", "uid": uid}],
            },
            "spec": {"shard": "a"},
            "status": {"observedGeneration": observed, "conditions": [{"observedGeneration": observed}]},
        })
    }

    #[test]
    fn the_same_object_on_two_servers_has_the_same_content() {
        let content = |object: &Value| content(resource("Stage"), object);
        assert_eq!(content(&stage("a", 7, 7)), content(&stage("b", 1, 1)));
        assert_eq!(content(&stage("a", 7, 6)), content(&stage("b", 1, 0)));
        assert_ne!(content(&stage("a", 7, 7)), content(&stage("b", 1, 0)));
        assert_eq!(digest(&content(&stage("a", 2, 2))), digest(&content(&stage("b", 1, 1))));
    }

    #[test]
    fn a_status_is_about_the_generations_of_the_target() {
        let about = |object: &Value| status(object, 1);
        assert_eq!(
            about(&stage("a", 7, 7)),
            json!({"observedGeneration": 1, "conditions": [{"observedGeneration": 1}]})
        );
        assert_eq!(about(&stage("a", 7, 5))["observedGeneration"], 0);
    }

    #[test]
    fn a_token_is_left_to_the_server() {
        let secret = json!({
            "metadata": {
                "name": "ci", "labels": {"a": "b", "kubernetes.io/legacy-token-last-used": "2026-01-01"},
                "annotations": {
                    "kubernetes.io/service-account.name": "ci", "kubernetes.io/service-account.uid": "u",
                },
            },
            "type": "kubernetes.io/service-account-token",
            "data": {"token": "dA==", "ca.crt": "Yw==", "namespace": "bg=="},
        });
        let portable = portable(resource("Secret"), &secret);
        assert_eq!(
            portable["metadata"]["annotations"],
            json!({"kubernetes.io/service-account.name": "ci"})
        );
        assert_eq!(portable["metadata"]["labels"], json!({"a": "b"}));
        assert_eq!(portable.get("data"), None);
    }

    #[test]
    fn a_difference_is_named_by_its_path() {
        let left = json!({"metadata": {"name": "a"}, "spec": {"x": {"y": 1}}});
        let right = json!({"metadata": {"name": "a"}, "spec": {"x": {"y": 2}}});
        assert_eq!(difference(&left, &right).as_deref(), Some("spec.x.y"));
        assert_eq!(difference(&left, &left), None);
        assert_eq!(difference(&left, &json!({"metadata": {"name": "a"}})).as_deref(), Some("spec"));
    }
}
