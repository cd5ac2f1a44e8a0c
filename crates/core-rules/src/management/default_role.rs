//! The roles every Project starts with, for people: what each may do in the Project's namespace.

use k8s_openapi::api::rbac::v1::PolicyRule;

const CORE: &str = "";
const RBAC: &str = "rbac.authorization.k8s.io";
const KARGO: &str = api_kinds::GROUP;
const ARGO: &str = "argoproj.io";

const ALL: &[&str] = &["*"];
const READ: &[&str] = &["get", "list", "watch"];
/// Everything but `bind` and `escalate`, which a star would include: an admin passes on what they
/// may do themselves, and nothing beyond.
const WRITE: &[&str] =
    &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// A role for people in a Project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefaultRole {
    /// May do everything in the Project.
    Admin,
    /// May see everything but Secrets.
    Viewer,
    /// May see what a promotion needs, and promote.
    Promoter,
}

impl DefaultRole {
    /// Every default role.
    pub const EVERY: [Self; 3] = [Self::Admin, Self::Viewer, Self::Promoter];

    /// The name of the ServiceAccount, the Role and the RoleBinding.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Admin => "kargo-admin",
            Self::Viewer => "kargo-viewer",
            Self::Promoter => "kargo-promoter",
        }
    }

    /// What the role may do.
    pub fn rules(self) -> Vec<PolicyRule> {
        let table = match self {
            Self::Admin => ADMIN,
            Self::Viewer => VIEWER,
            Self::Promoter => PROMOTER,
        };
        table.iter().map(|(group, resources, verbs)| rule(group, resources, verbs)).collect()
    }
}

/// One line of a table of rules: the group, its resources, the verbs.
type Line = (&'static str, &'static [&'static str], &'static [&'static str]);

const ADMIN: &[Line] = &[
    (CORE, &["events"], READ),
    (CORE, &["configmaps", "secrets", "serviceaccounts"], ALL),
    (RBAC, &["rolebindings", "roles"], WRITE),
    (
        KARGO,
        &[
            "freights",
            "projectconfigs",
            "promotionrequests",
            "promotiontasks",
            "stages",
            "targets",
            "warehouses",
        ],
        ALL,
    ),
    (KARGO, &["stages"], &["promote"]),
    (KARGO, &["promotions"], &["create", "delete", "get", "list", "watch", "patch"]),
    (KARGO, &["freights/status"], &["patch"]),
    (ARGO, &["analysisruns"], &["delete", "get", "list", "watch"]),
    (ARGO, &["analysistemplates"], ALL),
];

const VIEWER: &[Line] = &[
    (CORE, &["configmaps", "events", "serviceaccounts"], READ),
    (RBAC, &["rolebindings", "roles"], READ),
    (
        KARGO,
        &[
            "freights",
            "projectconfigs",
            "promotionrequests",
            "promotions",
            "promotiontasks",
            "stages",
            "targets",
            "warehouses",
        ],
        READ,
    ),
    (ARGO, &["analysisruns", "analysistemplates"], READ),
];

const PROMOTER: &[Line] = &[
    (CORE, &["configmaps", "events", "serviceaccounts"], READ),
    (RBAC, &["rolebindings", "roles"], READ),
    (
        KARGO,
        &[
            "freights",
            "projectconfigs",
            "promotionrequests",
            "promotiontasks",
            "stages",
            "targets",
            "warehouses",
        ],
        READ,
    ),
    (KARGO, &["stages"], &["promote"]),
    (KARGO, &["promotions"], &["create", "get", "list", "watch"]),
    (KARGO, &["freights/status"], &["patch"]),
    (ARGO, &["analysisruns", "analysistemplates"], READ),
];

/// A rule for resources of one group.
pub(super) fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> PolicyRule {
    PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(owned(resources)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::DefaultRole;

    /// Whether a role may use a verb on a resource.
    fn allows(role: DefaultRole, group: &str, resource: &str, verb: &str) -> bool {
        let has = |list: &[String], word: &str| list.iter().any(|one| one == word || one == "*");
        role.rules().iter().any(|rule| {
            has(rule.api_groups.as_deref().unwrap(), group)
                && has(rule.resources.as_deref().unwrap(), resource)
                && has(&rule.verbs, verb)
        })
    }

    #[test]
    fn each_role_may_do_what_its_name_promises() {
        use DefaultRole::{Admin, Promoter, Viewer};
        const KARGO: &str = "kargo.akuity.io";
        let table: &[(&str, &str, &str, &[DefaultRole])] = &[
            ("", "secrets", "get", &[Admin]),
            ("", "secrets", "create", &[Admin]),
            ("", "configmaps", "list", &[Admin, Viewer, Promoter]),
            ("", "events", "watch", &[Admin, Viewer, Promoter]),
            ("", "events", "create", &[]),
            ("", "serviceaccounts", "create", &[Admin]),
            ("rbac.authorization.k8s.io", "roles", "update", &[Admin]),
            ("rbac.authorization.k8s.io", "roles", "escalate", &[]),
            ("rbac.authorization.k8s.io", "roles", "bind", &[]),
            ("rbac.authorization.k8s.io", "rolebindings", "get", &[Admin, Viewer, Promoter]),
            (KARGO, "stages", "promote", &[Admin, Promoter]),
            (KARGO, "stages", "get", &[Admin, Viewer, Promoter]),
            (KARGO, "stages", "delete", &[Admin]),
            (KARGO, "promotions", "create", &[Admin, Promoter]),
            (KARGO, "promotions", "list", &[Admin, Viewer, Promoter]),
            (KARGO, "promotions", "delete", &[Admin]),
            (KARGO, "promotions", "patch", &[Admin]),
            (KARGO, "promotions", "update", &[]),
            (KARGO, "freights/status", "patch", &[Admin, Promoter]),
            (KARGO, "promotiontasks", "get", &[Admin, Viewer, Promoter]),
            (KARGO, "targets", "get", &[Admin, Viewer, Promoter]),
            (KARGO, "targets", "create", &[Admin]),
            (KARGO, "promotionrequests", "watch", &[Admin, Viewer, Promoter]),
            (KARGO, "promotionrequests", "delete", &[Admin]),
            (KARGO, "projects", "get", &[]),
            ("argoproj.io", "analysisruns", "delete", &[Admin]),
            ("argoproj.io", "analysisruns", "create", &[]),
            ("argoproj.io", "analysistemplates", "create", &[Admin]),
            ("argoproj.io", "analysistemplates", "get", &[Admin, Viewer, Promoter]),
        ];
        for (group, resource, verb, expected) in table {
            let may: Vec<_> = DefaultRole::EVERY
                .into_iter()
                .filter(|&role| allows(role, group, resource, verb))
                .collect();
            assert_eq!(&may, expected, "{verb} {resource}");
        }
    }
}
