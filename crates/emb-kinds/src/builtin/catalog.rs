//! The table of built-in kinds. One entry each; everything that differs between kinds and is not code stands here.

use std::sync::Arc;

use emb_apply::ObjectType;
use emb_codec::patch::{MergeKeys, MergeRule};
use emb_meta::{GroupVersionKind, NameRule, Scope};
use emb_schema::Schema;
use serde_json::Value;

use super::{
    BuiltInKind, Shape,
    columns::{
        AGE, BINDING_COLUMNS, CREATED_AT, ColumnEntry, EVENT_COLUMNS, NAME, WEBHOOKS, column,
    },
    decode::empty,
    schemas,
};
use crate::resource::{Origin, Resource, Subresource, Verb};

const ALL: &[Verb] = &[
    Verb::Create,
    Verb::Delete,
    Verb::DeleteCollection,
    Verb::Get,
    Verb::List,
    Verb::Patch,
    Verb::Update,
    Verb::Watch,
];
const ALL_BUT_COLLECTION: &[Verb] =
    &[Verb::Create, Verb::Delete, Verb::Get, Verb::List, Verb::Patch, Verb::Update, Verb::Watch];
const CREATE: &[Verb] = &[Verb::Create];
const READ: &[Verb] = &[Verb::Get, Verb::List];
const STATUS: &[Verb] = &[Verb::Get, Verb::Patch, Verb::Update];
const UPDATE: &[Verb] = &[Verb::Update];

const CORE: &str = "";
const RBAC: &str = "rbac.authorization.k8s.io";
const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";

/// One row of the table. All built-in kinds are served at version `v1`.
#[derive(Clone, Copy)]
struct Entry {
    built_in: BuiltInKind,
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    scope: Scope,
    name_rule: NameRule,
    verbs: &'static [Verb],
    subresources: &'static [(&'static str, &'static [Verb])],
    put_creates: bool,
    tracks_generation: bool,
    merge_keys: MergeKeys,
    selectable_fields: &'static [&'static str],
    columns: &'static [ColumnEntry],
}

const CORE_EVENT_FIELDS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];
const EVENTS_EVENT_FIELDS: &[&str] = &[
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingController",
    "type",
];

/// A namespaced, stored kind with every verb; rows change what differs.
const BASE: Entry = Entry {
    built_in: BuiltInKind::ConfigMap,
    group: CORE,
    kind: "",
    plural: "",
    short_names: &[],
    categories: &[],
    scope: Scope::Namespaced,
    name_rule: NameRule::DnsSubdomain,
    verbs: ALL,
    subresources: &[],
    put_creates: false,
    tracks_generation: false,
    merge_keys: MergeKeys::new(&[]),
    selectable_fields: &[],
    columns: &[NAME, AGE],
};

const RBAC_BASE: Entry =
    Entry { group: RBAC, name_rule: NameRule::PathSegment, put_creates: true, ..BASE };

const WEBHOOK_BASE: Entry = Entry {
    group: ADMISSION,
    scope: Scope::Cluster,
    categories: &["api-extensions"],
    tracks_generation: true,
    merge_keys: MergeKeys::new(&[
        ("webhooks", MergeRule::Merge("name")),
        ("webhooks.matchConditions", MergeRule::Merge("name")),
    ]),
    columns: &[NAME, WEBHOOKS, AGE],
    ..BASE
};

const fn review(
    built_in: BuiltInKind,
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> Entry {
    Entry { built_in, group, kind, plural, scope: Scope::Cluster, verbs: CREATE, ..BASE }
}

const CORE_ENTRIES: &[Entry] = &[
    Entry {
        built_in: BuiltInKind::ConfigMap,
        kind: "ConfigMap",
        plural: "configmaps",
        short_names: &["cm"],
        columns: &[NAME, ("Data", "string", "", 0, "How many entries the object has."), AGE],
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::Event,
        kind: "Event",
        plural: "events",
        short_names: &["ev"],
        name_rule: NameRule::PathSegment,
        put_creates: true,
        selectable_fields: CORE_EVENT_FIELDS,
        columns: EVENT_COLUMNS,
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::Namespace,
        kind: "Namespace",
        plural: "namespaces",
        short_names: &["ns"],
        scope: Scope::Cluster,
        name_rule: NameRule::DnsLabel,
        verbs: ALL_BUT_COLLECTION,
        subresources: &[("finalize", UPDATE), ("status", STATUS)],
        merge_keys: MergeKeys::new(&[("status.conditions", MergeRule::Merge("type"))]),
        selectable_fields: &["status.phase"],
        columns: &[NAME, ("Status", "string", "", 0, "Active or Terminating."), AGE],
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::Secret,
        kind: "Secret",
        plural: "secrets",
        selectable_fields: &["type"],
        columns: &[
            NAME,
            ("Type", "string", "", 0, "What the entries are for."),
            ("Data", "string", "", 0, "How many entries the object has."),
            AGE,
        ],
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::ServiceAccount,
        kind: "ServiceAccount",
        plural: "serviceaccounts",
        short_names: &["sa"],
        subresources: &[("token", CREATE)],
        merge_keys: MergeKeys::new(&[("secrets", MergeRule::Merge("name"))]),
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::Service,
        kind: "Service",
        plural: "services",
        short_names: &["svc"],
        // Without any resource in it, clients do not know the category.
        categories: &["all"],
        verbs: READ,
        ..BASE
    },
];

const RBAC_ENTRIES: &[Entry] = &[
    Entry {
        built_in: BuiltInKind::ClusterRoleBinding,
        kind: "ClusterRoleBinding",
        plural: "clusterrolebindings",
        scope: Scope::Cluster,
        columns: BINDING_COLUMNS,
        ..RBAC_BASE
    },
    Entry {
        built_in: BuiltInKind::ClusterRole,
        kind: "ClusterRole",
        plural: "clusterroles",
        scope: Scope::Cluster,
        columns: &[NAME, CREATED_AT],
        ..RBAC_BASE
    },
    Entry {
        built_in: BuiltInKind::RoleBinding,
        kind: "RoleBinding",
        plural: "rolebindings",
        columns: BINDING_COLUMNS,
        ..RBAC_BASE
    },
    Entry {
        built_in: BuiltInKind::Role,
        kind: "Role",
        plural: "roles",
        columns: &[NAME, CREATED_AT],
        ..RBAC_BASE
    },
];

const REVIEW_ENTRIES: &[Entry] = &[
    review(
        BuiltInKind::SelfSubjectReview,
        AUTHENTICATION,
        "SelfSubjectReview",
        "selfsubjectreviews",
    ),
    review(BuiltInKind::TokenReview, AUTHENTICATION, "TokenReview", "tokenreviews"),
    Entry {
        scope: Scope::Namespaced,
        ..review(
            BuiltInKind::LocalSubjectAccessReview,
            AUTHORIZATION,
            "LocalSubjectAccessReview",
            "localsubjectaccessreviews",
        )
    },
    review(
        BuiltInKind::SelfSubjectAccessReview,
        AUTHORIZATION,
        "SelfSubjectAccessReview",
        "selfsubjectaccessreviews",
    ),
    review(
        BuiltInKind::SelfSubjectRulesReview,
        AUTHORIZATION,
        "SelfSubjectRulesReview",
        "selfsubjectrulesreviews",
    ),
    review(
        BuiltInKind::SubjectAccessReview,
        AUTHORIZATION,
        "SubjectAccessReview",
        "subjectaccessreviews",
    ),
];

const OTHER_ENTRIES: &[Entry] = &[
    Entry {
        built_in: BuiltInKind::ApiService,
        group: "apiregistration.k8s.io",
        kind: "APIService",
        plural: "apiservices",
        scope: Scope::Cluster,
        categories: &["api-extensions"],
        verbs: READ,
        columns: &[
            NAME,
            ("Service", "string", "", 0, "Where the group is served; Local means here."),
            ("Available", "string", "", 0, "Whether the group answers."),
            AGE,
        ],
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::EventsEvent,
        group: "events.k8s.io",
        kind: "Event",
        plural: "events",
        short_names: &["ev"],
        name_rule: NameRule::PathSegment,
        put_creates: true,
        selectable_fields: EVENTS_EVENT_FIELDS,
        columns: EVENT_COLUMNS,
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::MutatingWebhookConfiguration,
        kind: "MutatingWebhookConfiguration",
        plural: "mutatingwebhookconfigurations",
        ..WEBHOOK_BASE
    },
    Entry {
        built_in: BuiltInKind::ValidatingWebhookConfiguration,
        kind: "ValidatingWebhookConfiguration",
        plural: "validatingwebhookconfigurations",
        ..WEBHOOK_BASE
    },
    Entry {
        built_in: BuiltInKind::CustomResourceDefinition,
        group: "apiextensions.k8s.io",
        kind: "CustomResourceDefinition",
        plural: "customresourcedefinitions",
        short_names: &["crd", "crds"],
        categories: &["api-extensions"],
        scope: Scope::Cluster,
        subresources: &[("status", STATUS)],
        tracks_generation: true,
        columns: &[NAME, CREATED_AT],
        ..BASE
    },
    Entry {
        built_in: BuiltInKind::Lease,
        group: "coordination.k8s.io",
        kind: "Lease",
        plural: "leases",
        put_creates: true,
        columns: &[NAME, ("Holder", "string", "", 0, "Who holds the lease."), AGE],
        ..BASE
    },
];

/// Descriptors of all built-in kinds, group by group.
pub fn builtins() -> Vec<Arc<Resource>> {
    [CORE_ENTRIES, RBAC_ENTRIES, REVIEW_ENTRIES, OTHER_ENTRIES]
        .into_iter()
        .flatten()
        .map(|entry| Arc::new(entry.resource()))
        .collect()
}

impl Entry {
    fn resource(&self) -> Resource {
        let gvk = GroupVersionKind::new(self.group, "v1", self.kind);
        let document = schemas::document(self.built_in);
        let inlined = schemas::inline(&document);
        let shape = Shape::compile(&inlined);
        Resource {
            plural: self.plural.into(),
            singular: self.kind.to_ascii_lowercase().into(),
            list_kind: format!("{}List", self.kind).into(),
            short_names: self.short_names.iter().copied().map(Arc::from).collect(),
            categories: self.categories.iter().copied().map(Arc::from).collect(),
            scope: self.scope,
            name_rule: self.name_rule,
            verbs: self.verbs,
            subresources: self.subresources.iter().map(|sub| subresource(sub, &gvk)).collect(),
            has_status: self.subresources.iter().any(|(name, _)| *name == "status"),
            put_creates: self.put_creates,
            tracks_generation: self.tracks_generation,
            schema: compile(&inlined),
            fields: ObjectType::of_builtin(&inlined, empty(&shape)),
            merge_keys: self.merge_keys,
            columns: self.columns.iter().map(column).collect(),
            selectable_fields: self.selectable_fields.iter().copied().map(Arc::from).collect(),
            deprecated: None,
            origin: Origin::BuiltIn(self.built_in),
            shape: Some(Arc::new(shape)),
            document: document.to_string().into(),
            gvk,
        }
    }
}

#[expect(clippy::expect_used, reason = "the schemas are compiled in and a test builds all of them")]
fn compile(inlined: &Value) -> Schema {
    let mut schema = inlined.clone();
    schemas::strip_private(&mut schema);
    Schema::compile_builtin(&schema).expect("a compiled-in schema is structural")
}

fn subresource(
    &(name, verbs): &(&'static str, &'static [Verb]),
    own: &GroupVersionKind,
) -> Subresource {
    let kind = match name {
        "token" => GroupVersionKind::new(AUTHENTICATION, "v1", "TokenRequest"),
        _ => own.clone(),
    };
    Subresource { name, kind, verbs }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_kinds_share_a_path_or_a_name() {
        let all = builtins();
        let paths: BTreeSet<String> =
            all.iter().map(|r| format!("{}/{}", r.gvk.group, r.plural)).collect();
        let kinds: BTreeSet<String> = all.iter().map(|r| r.group_kind().to_string()).collect();
        assert_eq!((paths.len(), kinds.len()), (all.len(), all.len()));
    }

    #[test]
    fn both_event_apis_share_their_records() {
        let storages: Vec<String> = builtins()
            .iter()
            .filter(|resource| &*resource.plural == "events")
            .map(|resource| resource.storage().to_string())
            .collect();
        assert_eq!(storages, ["events", "events"]);
    }

    #[test]
    fn reviews_only_take_creates_and_leave_nothing() {
        for resource in builtins() {
            let review = resource.built_in().is_some_and(BuiltInKind::is_review);
            assert_eq!(review, resource.verbs == CREATE, "{}", resource.plural);
            assert!(!review || !resource.is_stored());
        }
    }
}
