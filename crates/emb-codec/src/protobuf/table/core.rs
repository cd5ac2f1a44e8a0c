//! Kinds of the core group.

use super::{
    Kind::{Bool, Bytes, Int, Message, MicroTime, Text, Time},
    Table, filled, kept, list, map, meta, object,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] = &[
    ("Namespace", &NAMESPACE),
    ("Secret", &SECRET),
    ("ConfigMap", &CONFIG_MAP),
    ("ServiceAccount", &SERVICE_ACCOUNT),
    ("Event", &EVENT),
];

static NAMESPACE_SPEC: Table = object(&[list(1, "finalizers", Text)]);

static NAMESPACE_CONDITION: Table = object(&[
    kept(1, "type", Text),
    kept(2, "status", Text),
    filled(4, "lastTransitionTime", Time),
    filled(5, "reason", Text),
    filled(6, "message", Text),
]);

static NAMESPACE_STATUS: Table =
    object(&[filled(1, "phase", Text), list(2, "conditions", Message(&NAMESPACE_CONDITION))]);

static NAMESPACE: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    filled(2, "spec", Message(&NAMESPACE_SPEC)),
    filled(3, "status", Message(&NAMESPACE_STATUS)),
]);

static SECRET: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    map(2, "data", Bytes),
    filled(3, "type", Text),
    map(4, "stringData", Text),
    kept(5, "immutable", Bool),
]);

static CONFIG_MAP: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    map(2, "data", Text),
    map(3, "binaryData", Bytes),
    kept(4, "immutable", Bool),
]);

pub(super) static OBJECT_REFERENCE: Table = object(&[
    filled(1, "kind", Text),
    filled(2, "namespace", Text),
    filled(3, "name", Text),
    filled(4, "uid", Text),
    filled(5, "apiVersion", Text),
    filled(6, "resourceVersion", Text),
    filled(7, "fieldPath", Text),
]);

static LOCAL_OBJECT_REFERENCE: Table = object(&[filled(1, "name", Text)]);

static SERVICE_ACCOUNT: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    list(2, "secrets", Message(&OBJECT_REFERENCE)),
    list(3, "imagePullSecrets", Message(&LOCAL_OBJECT_REFERENCE)),
    kept(4, "automountServiceAccountToken", Bool),
]);

pub(super) static EVENT_SOURCE: Table =
    object(&[filled(1, "component", Text), filled(2, "host", Text)]);

static EVENT_SERIES: Table =
    object(&[filled(1, "count", Int), filled(2, "lastObservedTime", MicroTime)]);

static EVENT: Table = object(&[
    kept(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "involvedObject", Message(&OBJECT_REFERENCE)),
    filled(3, "reason", Text),
    filled(4, "message", Text),
    filled(5, "source", Message(&EVENT_SOURCE)),
    filled(6, "firstTimestamp", Time),
    filled(7, "lastTimestamp", Time),
    filled(8, "count", Int),
    filled(9, "type", Text),
    filled(10, "eventTime", MicroTime),
    kept(11, "series", Message(&EVENT_SERIES)),
    filled(12, "action", Text),
    kept(13, "related", Message(&OBJECT_REFERENCE)),
    kept(14, "reportingComponent", Text),
    kept(15, "reportingInstance", Text),
]);
