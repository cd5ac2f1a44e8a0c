//! The differences that the embedded server is allowed to have, by their places in the specification.

use http::Method;
use serde_json::Value;

use crate::{compare::differences, operation::Operation};

/// One allowed difference.
pub(crate) struct Exception {
    /// Where the specification wants it.
    pub(crate) place: &'static str,
    reason: &'static str,
    /// Whether the servers hold different things afterwards, so that the rest of the history says nothing.
    pub(crate) parts: bool,
    /// Whether it explains two outcomes of an operation: kube-apiserver's, then ours.
    explains: fn(&Operation, &Value, &Value) -> bool,
}

const VERSION: &str = "/body/metadata/resourceVersion";

/// All of them.
const EXCEPTIONS: [Exception; 13] = [
    Exception {
        place: "E21.2",
        reason: "a mistake of the client that kube-apiserver answers with 500 is 4xx with the same text",
        parts: false,
        explains: |operation, cluster, embedded| {
            let refused = (400..500).contains(&status(embedded));
            // kube-apiserver looks at this one late: not in a dry run, nor when the object is there.
            let on_create = "resourceVersion should not be set on objects to be created";
            refused && (status(cluster) == 500 || message(embedded).contains(on_create))
                || echoes_version(operation, cluster, embedded)
        },
    },
    Exception {
        place: "E21.8",
        reason: "decode errors have a text of their own, with the same code and reason",
        parts: false,
        explains: |_, cluster, embedded| {
            [400, 422].contains(&status(cluster))
                && status(embedded) == status(cluster)
                && cluster.pointer("/body/reason") == embedded.pointer("/body/reason")
                && is_decode_error(cluster)
        },
    },
    Exception {
        place: "E21.10",
        reason: "an empty list of metadata is [], not null, which some clients cannot read",
        parts: false,
        explains: |_, cluster, embedded| {
            let items = |outcome: &Value| outcome.pointer("/body/items").cloned();
            let kind = cluster.pointer("/body/kind").and_then(Value::as_str);
            kind == Some("PartialObjectMetadataList")
                && items(cluster) == Some(Value::Null)
                && items(embedded) == Some(Value::Array(Vec::new()))
        },
    },
    Exception {
        place: "E21.10, last states",
        reason: "an object that goes by an update is shown as it would be stored, an empty list as null, the null of a label as empty, other nulls not at all; kube-apiserver shows what it was sent",
        parts: false,
        explains: |_, cluster, embedded| {
            let metadata = cluster.pointer("/body/metadata");
            let has = |field: &str| metadata.is_some_and(|metadata| metadata.get(field).is_some());
            let empty_list = Some(Value::Array(Vec::new()));
            has("deletionTimestamp")
                && !has("finalizers")
                && differences(cluster, embedded).iter().all(|place| {
                    let ours = place.embedded.as_ref();
                    place.cluster == empty_list && ours.is_none_or(Value::is_null)
                        || place.cluster == Some(Value::Null) && ours.is_none_or(|ours| ours == "")
                })
        },
    },
    Exception {
        place: "E21, lists by label",
        reason: "a list by selector reads what matches and says so when that was all; kube-apiserver promises another page, maybe an empty one, when anything follows",
        parts: false,
        explains: |operation, cluster, embedded| {
            asks_for_part(operation)
                && status(cluster) == 200
                && only_one_shows("/body/metadata/continue", cluster, embedded)
        },
    },
    Exception {
        place: "E21, stale replacements",
        reason: "a replacement of an older state is told the version that is there",
        parts: false,
        explains: |operation, cluster, embedded| {
            matches!(operation, Operation::Request(request) if request.method == Method::PUT)
                && status(cluster) == 409
                && only_one_shows("/body/details/causes", embedded, cluster)
        },
    },
    Exception {
        place: "E7, warnings of a lost race",
        reason: "kube-apiserver tries a write first on the state in its cache, which may be behind, and keeps the warnings of that attempt when it refuses the next",
        parts: false,
        explains: |_, cluster, embedded| {
            let places = differences(cluster, embedded);
            let warns = |pointer: &str| pointer.starts_with("/warnings");
            [status(cluster), status(embedded)] == [409, 409]
                && places.iter().any(|place| warns(&place.pointer))
                && places.iter().all(|place| match place.pointer.as_str() {
                    "/body/details/causes" => place.cluster.is_none(),
                    pointer => warns(pointer) && place.embedded.is_none(),
                })
        },
    },
    Exception {
        place: "E8",
        reason: "a field goes when its only owner drops it; kube-apiserver makes null of an object or list that is empty then, and refuses its own null",
        parts: true,
        explains: |operation, cluster, embedded| {
            is_apply(operation)
                && status(cluster) == 422
                && [200, 422].contains(&status(embedded))
                && are_own_nulls(cluster, embedded)
        },
    },
    Exception {
        place: "E6",
        reason: "the generation counts changes of the content; to kube-apiserver 1.0 is another value than the 1 that it stores for it, and a change where nothing else is one",
        parts: true,
        explains: |operation, cluster, embedded| {
            let (generation, revision) =
                ("/body/metadata/generation", "/body/metadata/resourceVersion");
            let places = differences(cluster, embedded);
            let places: Vec<&str> = places.iter().map(|place| place.pointer.as_str()).collect();
            has_whole_fraction(operation)
                && status(cluster) == 200
                && (places == [generation] || places == [generation, revision])
        },
    },
    Exception {
        place: "E7, numbers",
        reason: "a JSON patch tests numbers by their value, as RFC 6902 wants it; to kube-apiserver 1.0 is not the 1 that is there",
        parts: true,
        explains: |operation, cluster, embedded| {
            let tests = operation.to_string().contains(r#""op":"test""#);
            tests
                && has_whole_fraction(operation)
                && [status(cluster), status(embedded)] == [422, 200]
                && message(cluster).contains("due to an error in our request")
        },
    },
    Exception {
        place: "E11.1",
        reason: "collectors look at many objects at once: one whose owners go together may lose its reference to the first before it goes itself",
        parts: true,
        explains: |_, cluster, embedded| {
            differences(cluster, embedded).iter().all(|place| {
                let Some((object, rest)) = place.pointer.split_once("/metadata/") else {
                    return false;
                };
                let mark = format!("{object}/metadata/deletionTimestamp");
                rest.contains("ownerReferences")
                    && [cluster, embedded].iter().all(|outcome| outcome.pointer(&mark).is_some())
            })
        },
    },
    Exception {
        place: "rule 5",
        reason: "a write that changes nothing one can see has no revision; kube-apiserver stores empty maps of metadata that an apply leaves, and writes again to be rid of them",
        parts: true,
        explains: |operation, cluster, embedded| {
            is_write_of_custom_object(operation)
                && status(cluster) == 200
                && differ_only_at(VERSION, cluster, embedded)
        },
    },
    Exception {
        place: "rule 5, watches",
        reason: "a watch shows no event of a write that changes nothing one can see",
        parts: true,
        explains: |operation, cluster, embedded| {
            matches!(operation, Operation::Watch(_))
                && visible_events(cluster).is_some_and(|visible| Some(visible) == events(embedded))
        },
    },
];

/// The exception that explains two outcomes.
pub(crate) fn explanation(
    operation: &Operation,
    cluster: &Value,
    embedded: &Value,
) -> Option<&'static Exception> {
    EXCEPTIONS.iter().find(|exception| (exception.explains)(operation, cluster, embedded))
}

/// Why the difference of this place is allowed.
pub(crate) fn reason(place: &str) -> &'static str {
    let exception = EXCEPTIONS.iter().find(|exception| exception.place == place);
    exception.map_or("", |exception| exception.reason)
}

fn is_apply(operation: &Operation) -> bool {
    matches!(operation, Operation::Request(request)
        if request.content_type.is_some_and(|media_type| media_type.contains("apply-patch")))
}

/// Whether kube-apiserver refuses what the other server refuses, if anything, and beside it a null of its own making. The
/// null may have kept it from looking at rules, which it says then.
fn are_own_nulls(cluster: &Value, embedded: &Value) -> bool {
    let causes = |outcome: &Value| {
        let causes = outcome.pointer("/body/details/causes").and_then(Value::as_array);
        causes.cloned().unwrap_or_default()
    };
    let says = |cause: &Value, text: &str| {
        cause.get("message").and_then(Value::as_str).is_some_and(|message| message.contains(text))
    };
    let (theirs, ours) = (causes(cluster), causes(embedded));
    let left_rules_out =
        theirs.iter().any(|cause| says(cause, "some validation rules were not checked"));
    let may_be_of_a_rule = |cause: &Value| {
        left_rules_out && cause.get("reason").is_some_and(|reason| reason == "FieldValueInvalid")
    };
    let is_emptied = |cause: &Value| {
        ["object", "array"].iter().any(|kind| says(cause, &format!("of type {kind}: \"null\"")))
    };
    ours.iter().all(|cause| theirs.contains(cause) || may_be_of_a_rule(cause))
        && theirs.iter().any(|cause| !ours.contains(cause) && is_emptied(cause))
}

/// Whether a list is limited by number and by a selector.
fn asks_for_part(operation: &Operation) -> bool {
    let Operation::Request(request) = operation else { return false };
    let asks = |wanted: &str| request.query.iter().any(|(name, _)| *name == wanted);
    request.method == Method::GET
        && asks("limit")
        && (asks("labelSelector") || asks("fieldSelector"))
}

/// Whether a write has a number such as 1.0 in it.
fn has_whole_fraction(operation: &Operation) -> bool {
    is_write_of_custom_object(operation) && operation.to_string().contains(".0")
}

fn is_write_of_custom_object(operation: &Operation) -> bool {
    let Operation::Request(request) = operation else { return false };
    [Method::PUT, Method::PATCH, Method::DELETE].contains(&request.method)
        && request.path.contains("/conf.example.com/")
}

fn status(outcome: &Value) -> u64 {
    outcome.get("status").and_then(Value::as_u64).unwrap_or(0)
}

/// Whether kube-apiserver shows the version that a dry run named for an object that is not there.
fn echoes_version(operation: &Operation, cluster: &Value, embedded: &Value) -> bool {
    let is_dry = matches!(operation, Operation::Request(request) if request.is_dry());
    is_dry && status(cluster) == 201 && only_one_shows(VERSION, cluster, embedded)
}

/// The events of a watch, without the revisions, which are numbered by what was seen before.
fn events(outcome: &Value) -> Option<Vec<Value>> {
    let mut events = outcome.get("events")?.as_array()?.clone();
    for event in &mut events {
        if let Some(Value::Object(metadata)) = event.pointer_mut("/object/metadata") {
            metadata.remove("resourceVersion");
        }
    }
    Some(events)
}

/// Those of them that show something new of their object.
fn visible_events(outcome: &Value) -> Option<Vec<Value>> {
    let mut visible: Vec<Value> = Vec::new();
    for event in events(outcome)? {
        let uid = |event: &Value| event.pointer("/object/metadata/uid").cloned();
        let last = visible.iter().rev().find(|earlier| uid(earlier) == uid(&event));
        let is_new = event.get("type").and_then(Value::as_str) != Some("MODIFIED")
            || last.is_none_or(|last| last.get("object") != event.get("object"));
        if is_new {
            visible.push(event);
        }
    }
    Some(visible)
}

/// Whether two outcomes are the same but for one place.
fn differ_only_at(pointer: &str, cluster: &Value, embedded: &Value) -> bool {
    differences(cluster, embedded).iter().all(|place| place.pointer == pointer)
}

/// Whether two outcomes are the same but for one place, which the second does not have.
fn only_one_shows(pointer: &str, one: &Value, other: &Value) -> bool {
    differ_only_at(pointer, one, other) && other.pointer(pointer).is_none()
}

fn message(outcome: &Value) -> &str {
    outcome.pointer("/body/message").and_then(Value::as_str).unwrap_or_default()
}

fn is_decode_error(outcome: &Value) -> bool {
    let message = message(outcome);
    [
        "cannot unmarshal",
        "json:",
        "illegal base64",
        "parsing time",
        "couldn't get version/kind",
        "patch: Invalid value",
        "is registered for version",
    ]
    .iter()
    .any(|word| message.contains(word))
}
