//! Metadata, delete options and selectors: what the other tables share.

use super::{
    Kind::{Bool, Int, Message, RawJson, Text, Time},
    Table, filled, kept, list, map, object,
};

static PRECONDITIONS: Table = object(&[kept(1, "uid", Text), kept(2, "resourceVersion", Text)]);

pub(super) static DELETE_OPTIONS: Table = object(&[
    kept(1, "gracePeriodSeconds", Int),
    kept(2, "preconditions", Message(&PRECONDITIONS)),
    kept(3, "orphanDependents", Bool),
    kept(4, "propagationPolicy", Text),
    list(5, "dryRun", Text),
    kept(6, "ignoreStoreReadErrorWithClusterBreakingPotential", Bool),
]);

static OWNER_REFERENCE: Table = object(&[
    kept(1, "kind", Text),
    kept(3, "name", Text),
    kept(4, "uid", Text),
    kept(5, "apiVersion", Text),
    kept(6, "controller", Bool),
    kept(7, "blockOwnerDeletion", Bool),
]);

static MANAGED_FIELDS_ENTRY: Table = object(&[
    filled(1, "manager", Text),
    filled(2, "operation", Text),
    filled(3, "apiVersion", Text),
    kept(4, "time", Time),
    filled(6, "fieldsType", Text),
    kept(7, "fieldsV1", RawJson),
    filled(8, "subresource", Text),
]);

pub(super) static OBJECT_META: Table = object(&[
    filled(1, "name", Text),
    filled(2, "generateName", Text),
    filled(3, "namespace", Text),
    filled(4, "selfLink", Text),
    filled(5, "uid", Text),
    filled(6, "resourceVersion", Text),
    filled(7, "generation", Int),
    filled(8, "creationTimestamp", Time),
    kept(9, "deletionTimestamp", Time),
    kept(10, "deletionGracePeriodSeconds", Int),
    map(11, "labels", Text),
    map(12, "annotations", Text),
    list(13, "ownerReferences", Message(&OWNER_REFERENCE)),
    list(14, "finalizers", Text),
    list(17, "managedFields", Message(&MANAGED_FIELDS_ENTRY)),
]);

pub(super) static LABEL_SELECTOR_REQUIREMENT: Table =
    object(&[kept(1, "key", Text), kept(2, "operator", Text), list(3, "values", Text)]);

pub(super) static LABEL_SELECTOR: Table = object(&[
    map(1, "matchLabels", Text),
    list(2, "matchExpressions", Message(&LABEL_SELECTOR_REQUIREMENT)),
]);

pub(super) static FIELD_SELECTOR_REQUIREMENT: Table =
    object(&[kept(1, "key", Text), kept(2, "operator", Text), list(3, "values", Text)]);
