//! What every identity may do. All that is not listed here is refused.
//!
//! This is the requirement written a second time, by place and without the objects that carry it,
//! so that a slip in one of the two shows.

use crate::catalog::{PROJECT, RELEASE, SHARED, SYSTEM};

const ALL: &str = "*";
const READ: &str = "get list watch";
const LEASES: &str = "get create update patch delete";

/// Verbs on resources, in one place or in all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    place: Option<&'static str>,
    resources: &'static str,
    verbs: &'static str,
}

const fn everywhere(resources: &'static str, verbs: &'static str) -> Grant {
    Grant { place: None, resources, verbs }
}

const fn within(place: &'static str, resources: &'static str, verbs: &'static str) -> Grant {
    Grant { place: Some(place), resources, verbs }
}

impl Grant {
    /// Whether this allows the verb on the resource there.
    pub(crate) fn allows(&self, verb: &str, resource: &str, place: &str) -> bool {
        self.place.is_none_or(|mine| mine == place)
            && self.resources.split(' ').any(|mine| mine == resource)
            && (self.verbs == ALL || self.verbs.split(' ').any(|mine| mine == verb))
    }
}

/// A ServiceAccount beside the components, and all that it may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) account: &'static str,
    pub(crate) grants: &'static [Grant],
}

/// Every identity of an installation with the default options and a second controller.
pub(crate) const ROWS: &[Row] = &[
    Row { account: "kargo-analysis-controller", grants: ANALYSIS_CONTROLLER },
    Row { account: "kargo-api", grants: API },
    Row { account: "kargo-controller", grants: CONTROLLER },
    Row { account: "kargo-controller-dev", grants: CONTROLLER },
    Row { account: "kargo-external-webhooks-server", grants: EXTERNAL_WEBHOOKS_SERVER },
    Row { account: "kargo-garbage-collector", grants: GARBAGE_COLLECTOR },
    Row { account: "kargo-management-controller", grants: MANAGEMENT_CONTROLLER },
    Row { account: "kargo-webhooks-server", grants: WEBHOOKS_SERVER },
    Row { account: "kargo-admin", grants: ADMIN },
    Row { account: "kargo-project-creator", grants: PROJECT_CREATOR },
    Row { account: "kargo-user", grants: USER },
    Row { account: "kargo-viewer", grants: VIEWER },
    Row { account: "nobody-in-particular", grants: &[] },
];

const ANALYSIS_CONTROLLER: &[Grant] = &[
    everywhere("events", "create patch"),
    everywhere("argo:analysisruns", "delete get list patch watch"),
    everywhere("batch:jobs", "list watch"),
    within(RELEASE, "leases:leases", LEASES),
    within(PROJECT, "secrets", "get"),
    within(PROJECT, "batch:jobs", "create delete get"),
];

const API: &[Grant] = &[
    everywhere("namespaces serviceaccounts", READ),
    everywhere("events", "get list watch create patch"),
    everywhere("configmaps", "list get create watch delete update"),
    everywhere("authorization:subjectaccessreviews authentication:tokenreviews", "create"),
    everywhere("kargo:freights", "create get list patch watch delete"),
    everywhere("kargo:freights/status", "update patch"),
    everywhere("kargo:clusterconfigs kargo:clusterpromotiontasks kargo:projects", ALL),
    everywhere("kargo:promotiontasks kargo:stages kargo:warehouses", ALL),
    everywhere("kargo:projectconfigs kargo:promotionrequests kargo:targets", ALL),
    everywhere("kargo:promotions", "create get list watch patch"),
    everywhere("kargo:stages/finalizers", "patch update"),
    everywhere("rbac:clusterroles rbac:clusterrolebindings rbac:rolebindings rbac:roles", READ),
    everywhere("argo:analysistemplates argo:clusteranalysistemplates", ALL),
    everywhere("argo:analysisruns", READ),
    within(RELEASE, "secrets", ALL),
    within(RELEASE, "leases:leases", READ),
    within(SYSTEM, "secrets", ALL),
    within(SHARED, "secrets configmaps", ALL),
    within(PROJECT, "configmaps secrets serviceaccounts rbac:rolebindings rbac:roles", ALL),
];

const CONTROLLER: &[Grant] = &[
    everywhere("configmaps", "create get list watch"),
    everywhere("events", "create patch"),
    everywhere("kargo:clusterconfigs kargo:projects kargo:projectconfigs kargo:targets", READ),
    everywhere("kargo:promotions kargo:promotionrequests", "create get list watch"),
    everywhere("kargo:freights", "create get list watch patch update"),
    everywhere("kargo:stages", "get list patch promote watch"),
    everywhere("kargo:clusterpromotiontasks kargo:promotiontasks kargo:warehouses", READ),
    everywhere("kargo:freights/status kargo:promotions/status kargo:stages/status", "patch"),
    everywhere("kargo:promotionrequests/status kargo:warehouses/status", "patch"),
    everywhere("kargo:warehouses/finalizers", "patch"),
    everywhere("argo:analysistemplates argo:clusteranalysistemplates", READ),
    everywhere("argo:analysisruns", "create get list patch watch deletecollection"),
    everywhere("argo:applications", "get list patch watch"),
    within(RELEASE, "leases:leases", LEASES),
    within(SYSTEM, "secrets", READ),
    within(SHARED, "configmaps secrets", READ),
    within(PROJECT, "secrets", READ),
];

const EXTERNAL_WEBHOOKS_SERVER: &[Grant] = &[
    everywhere("kargo:clusterconfigs kargo:projectconfigs", READ),
    everywhere("kargo:promotions kargo:warehouses", "get list patch watch"),
    within(SYSTEM, "secrets", READ),
    within(PROJECT, "secrets", READ),
];

const GARBAGE_COLLECTOR: &[Grant] = &[
    everywhere("namespaces kargo:warehouses", READ),
    everywhere("kargo:stages", "get list watch promote"),
    everywhere("kargo:projectconfigs", "get"),
    everywhere("kargo:freights kargo:promotions", "delete get list watch"),
    everywhere("kargo:promotionrequests argo:analysisruns", "delete get list watch"),
];

const MANAGEMENT_CONTROLLER: &[Grant] = &[
    everywhere("namespaces", "create delete get list patch watch"),
    everywhere("configmaps secrets serviceaccounts", ALL),
    everywhere("rbac:clusterroles rbac:clusterrolebindings rbac:rolebindings rbac:roles", ALL),
    everywhere("kargo:projects", "delete get list patch update watch"),
    everywhere("kargo:clusterconfigs/status kargo:projects/status", "patch"),
    everywhere("kargo:projectconfigs/status", "patch"),
    everywhere("kargo:projectconfigs", "create get list watch"),
    everywhere("kargo:clusterconfigs kargo:stages kargo:warehouses", READ),
    within(RELEASE, "leases:leases", LEASES),
];

const WEBHOOKS_SERVER: &[Grant] = &[
    everywhere("namespaces", "create get list update watch"),
    everywhere("events", "create patch"),
    everywhere("rbac:rolebindings", "create"),
    everywhere("kargo:clusterconfigs kargo:clusterpromotiontasks kargo:freights", READ),
    everywhere("kargo:projects kargo:projectconfigs kargo:promotiontasks", READ),
    everywhere("kargo:promotionrequests kargo:promotions kargo:stages kargo:targets", READ),
    everywhere("kargo:warehouses", READ),
    everywhere("authorization:subjectaccessreviews", "create"),
    within(RELEASE, "serviceaccounts", READ),
    within(RELEASE, "secrets", "create"),
];

const ADMIN: &[Grant] = &[
    everywhere("events namespaces serviceaccounts rbac:rolebindings rbac:roles", READ),
    everywhere(
        "kargo:clusterconfigs kargo:clusterpromotiontasks kargo:freights kargo:projects \
         kargo:projectconfigs kargo:promotionrequests kargo:promotiontasks kargo:stages \
         kargo:targets kargo:warehouses",
        "create delete deletecollection get list patch update watch",
    ),
    everywhere("kargo:stages", "promote"),
    everywhere("kargo:promotions", "create delete get list patch watch"),
    everywhere("kargo:freights/status", "patch"),
    everywhere("argo:analysisruns", "delete get list watch"),
    everywhere("argo:analysistemplates argo:clusteranalysistemplates", ALL),
    within(RELEASE, "secrets", ALL),
    within(SYSTEM, "secrets", ALL),
    within(SHARED, "secrets configmaps", ALL),
    within(PROJECT, "configmaps secrets serviceaccounts rbac:rolebindings rbac:roles", ALL),
];

const PROJECT_CREATOR: &[Grant] = &[
    everywhere("namespaces kargo:clusterconfigs kargo:clusterpromotiontasks", READ),
    everywhere("kargo:projects", "create get list watch"),
    everywhere("argo:clusteranalysistemplates", READ),
    within(SHARED, "configmaps", READ),
];

const USER: &[Grant] = &[
    everywhere("namespaces kargo:clusterconfigs kargo:clusterpromotiontasks", READ),
    everywhere("kargo:projects argo:clusteranalysistemplates", READ),
    within(SHARED, "configmaps", READ),
];

const VIEWER: &[Grant] = &[
    everywhere("events namespaces serviceaccounts rbac:rolebindings rbac:roles", READ),
    everywhere(
        "kargo:clusterconfigs kargo:clusterpromotiontasks kargo:freights kargo:projects \
         kargo:projectconfigs kargo:promotionrequests kargo:promotions kargo:promotiontasks \
         kargo:stages kargo:targets kargo:warehouses",
        READ,
    ),
    everywhere("argo:analysisruns argo:analysistemplates argo:clusteranalysistemplates", READ),
    within(SHARED, "configmaps", READ),
];
