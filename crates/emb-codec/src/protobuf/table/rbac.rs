//! Kinds of `rbac.authorization.k8s.io`.

use super::{
    Kind::{Message, Text},
    Table, filled, kept, list, meta, object,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] = &[
    ("Role", &ROLE),
    ("RoleBinding", &ROLE_BINDING),
    ("ClusterRole", &CLUSTER_ROLE),
    ("ClusterRoleBinding", &CLUSTER_ROLE_BINDING),
];

static POLICY_RULE: Table = object(&[
    list(1, "verbs", Text),
    list(2, "apiGroups", Text),
    list(3, "resources", Text),
    list(4, "resourceNames", Text),
    list(5, "nonResourceURLs", Text),
]);

static ROLE: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    list(2, "rules", Message(&POLICY_RULE)),
]);

static SUBJECT: Table = object(&[
    kept(1, "kind", Text),
    filled(2, "apiGroup", Text),
    kept(3, "name", Text),
    filled(4, "namespace", Text),
]);

static ROLE_REF: Table =
    object(&[kept(1, "apiGroup", Text), kept(2, "kind", Text), kept(3, "name", Text)]);

static ROLE_BINDING: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    list(2, "subjects", Message(&SUBJECT)),
    kept(3, "roleRef", Message(&ROLE_REF)),
]);

static AGGREGATION_RULE: Table =
    object(&[list(1, "clusterRoleSelectors", Message(&meta::LABEL_SELECTOR))]);

static CLUSTER_ROLE: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    list(2, "rules", Message(&POLICY_RULE)),
    kept(3, "aggregationRule", Message(&AGGREGATION_RULE)),
]);

static CLUSTER_ROLE_BINDING: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    list(2, "subjects", Message(&SUBJECT)),
    kept(3, "roleRef", Message(&ROLE_REF)),
]);
