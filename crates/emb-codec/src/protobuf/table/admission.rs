//! Kinds of `admissionregistration.k8s.io`.

use super::{
    Kind::{Bytes, Int, Message, Text},
    Table, filled, inline, kept, list, meta, object,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] = &[
    ("MutatingWebhookConfiguration", &MUTATING_WEBHOOK_CONFIGURATION),
    ("ValidatingWebhookConfiguration", &VALIDATING_WEBHOOK_CONFIGURATION),
];

static SERVICE_REFERENCE: Table = object(&[
    kept(1, "namespace", Text),
    kept(2, "name", Text),
    kept(3, "path", Text),
    kept(4, "port", Int),
]);

static WEBHOOK_CLIENT_CONFIG: Table = object(&[
    kept(1, "service", Message(&SERVICE_REFERENCE)),
    filled(2, "caBundle", Bytes),
    kept(3, "url", Text),
]);

static RULE: Table = object(&[
    list(1, "apiGroups", Text),
    list(2, "apiVersions", Text),
    list(3, "resources", Text),
    kept(4, "scope", Text),
]);

static RULE_WITH_OPERATIONS: Table = object(&[list(1, "operations", Text), inline(2, &RULE)]);

static MATCH_CONDITION: Table = object(&[kept(1, "name", Text), kept(2, "expression", Text)]);

static MUTATING_WEBHOOK: Table = object(&[
    kept(1, "name", Text),
    kept(2, "clientConfig", Message(&WEBHOOK_CLIENT_CONFIG)),
    list(3, "rules", Message(&RULE_WITH_OPERATIONS)),
    kept(4, "failurePolicy", Text),
    kept(5, "namespaceSelector", Message(&meta::LABEL_SELECTOR)),
    kept(6, "sideEffects", Text),
    kept(7, "timeoutSeconds", Int),
    list(8, "admissionReviewVersions", Text),
    kept(9, "matchPolicy", Text),
    kept(10, "reinvocationPolicy", Text),
    kept(11, "objectSelector", Message(&meta::LABEL_SELECTOR)),
    list(12, "matchConditions", Message(&MATCH_CONDITION)),
]);

static MUTATING_WEBHOOK_CONFIGURATION: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    list(2, "webhooks", Message(&MUTATING_WEBHOOK)),
]);

static VALIDATING_WEBHOOK: Table = object(&[
    kept(1, "name", Text),
    kept(2, "clientConfig", Message(&WEBHOOK_CLIENT_CONFIG)),
    list(3, "rules", Message(&RULE_WITH_OPERATIONS)),
    kept(4, "failurePolicy", Text),
    kept(5, "namespaceSelector", Message(&meta::LABEL_SELECTOR)),
    kept(6, "sideEffects", Text),
    kept(7, "timeoutSeconds", Int),
    list(8, "admissionReviewVersions", Text),
    kept(9, "matchPolicy", Text),
    kept(10, "objectSelector", Message(&meta::LABEL_SELECTOR)),
    list(11, "matchConditions", Message(&MATCH_CONDITION)),
]);

static VALIDATING_WEBHOOK_CONFIGURATION: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    list(2, "webhooks", Message(&VALIDATING_WEBHOOK)),
]);
