//! Kinds of `authorization.k8s.io`.

use super::{
    Kind::{Bool, Message, Text, TextList},
    Table, filled, kept, list, map, meta, object,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] = &[
    ("SubjectAccessReview", &SUBJECT_ACCESS_REVIEW),
    ("SelfSubjectAccessReview", &SELF_SUBJECT_ACCESS_REVIEW),
    ("LocalSubjectAccessReview", &LOCAL_SUBJECT_ACCESS_REVIEW),
    ("SelfSubjectRulesReview", &SELF_SUBJECT_RULES_REVIEW),
];

static FIELD_SELECTOR_ATTRIBUTES: Table = object(&[
    filled(1, "rawSelector", Text),
    list(2, "requirements", Message(&meta::FIELD_SELECTOR_REQUIREMENT)),
]);

static LABEL_SELECTOR_ATTRIBUTES: Table = object(&[
    filled(1, "rawSelector", Text),
    list(2, "requirements", Message(&meta::LABEL_SELECTOR_REQUIREMENT)),
]);

static RESOURCE_ATTRIBUTES: Table = object(&[
    filled(1, "namespace", Text),
    filled(2, "verb", Text),
    filled(3, "group", Text),
    filled(4, "version", Text),
    filled(5, "resource", Text),
    filled(6, "subresource", Text),
    filled(7, "name", Text),
    kept(8, "fieldSelector", Message(&FIELD_SELECTOR_ATTRIBUTES)),
    kept(9, "labelSelector", Message(&LABEL_SELECTOR_ATTRIBUTES)),
]);

static NON_RESOURCE_ATTRIBUTES: Table = object(&[filled(1, "path", Text), filled(2, "verb", Text)]);

static SUBJECT_ACCESS_REVIEW_SPEC: Table = object(&[
    kept(1, "resourceAttributes", Message(&RESOURCE_ATTRIBUTES)),
    kept(2, "nonResourceAttributes", Message(&NON_RESOURCE_ATTRIBUTES)),
    filled(3, "user", Text),
    list(4, "groups", Text),
    map(5, "extra", TextList),
    filled(6, "uid", Text),
]);

static SUBJECT_ACCESS_REVIEW_STATUS: Table = object(&[
    kept(1, "allowed", Bool),
    filled(2, "reason", Text),
    filled(3, "evaluationError", Text),
    filled(4, "denied", Bool),
]);

static SUBJECT_ACCESS_REVIEW: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "spec", Message(&SUBJECT_ACCESS_REVIEW_SPEC)),
    filled(3, "status", Message(&SUBJECT_ACCESS_REVIEW_STATUS)),
]);

static SELF_SUBJECT_ACCESS_REVIEW_SPEC: Table = object(&[
    kept(1, "resourceAttributes", Message(&RESOURCE_ATTRIBUTES)),
    kept(2, "nonResourceAttributes", Message(&NON_RESOURCE_ATTRIBUTES)),
]);

static SELF_SUBJECT_ACCESS_REVIEW: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "spec", Message(&SELF_SUBJECT_ACCESS_REVIEW_SPEC)),
    filled(3, "status", Message(&SUBJECT_ACCESS_REVIEW_STATUS)),
]);

static LOCAL_SUBJECT_ACCESS_REVIEW: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "spec", Message(&SUBJECT_ACCESS_REVIEW_SPEC)),
    filled(3, "status", Message(&SUBJECT_ACCESS_REVIEW_STATUS)),
]);

static SELF_SUBJECT_RULES_REVIEW_SPEC: Table = object(&[filled(1, "namespace", Text)]);

static RESOURCE_RULE: Table = object(&[
    list(1, "verbs", Text),
    list(2, "apiGroups", Text),
    list(3, "resources", Text),
    list(4, "resourceNames", Text),
]);

static NON_RESOURCE_RULE: Table =
    object(&[list(1, "verbs", Text), list(2, "nonResourceURLs", Text)]);

static SUBJECT_RULES_REVIEW_STATUS: Table = object(&[
    list(1, "resourceRules", Message(&RESOURCE_RULE)),
    list(2, "nonResourceRules", Message(&NON_RESOURCE_RULE)),
    kept(3, "incomplete", Bool),
    filled(4, "evaluationError", Text),
]);

static SELF_SUBJECT_RULES_REVIEW: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "spec", Message(&SELF_SUBJECT_RULES_REVIEW_SPEC)),
    filled(3, "status", Message(&SUBJECT_RULES_REVIEW_STATUS)),
]);
