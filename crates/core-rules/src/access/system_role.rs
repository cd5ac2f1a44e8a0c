//! The roles that people have in the whole installation, by the claims of their logins.

use api_kinds::{annotations, labels};
use serde_json::{Value, json};

use super::object::{
    RoleRef, cluster_role, cluster_role_binding, role, role_binding, service_account,
};
use super::options::Options;
use super::rule::{ALL, READ, Rule, group, kind, rule, values, values_with};

/// A role in the whole installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SystemRole {
    /// Everything.
    Admin,
    /// What a user may, and new Projects.
    ProjectCreator,
    /// To see which Projects there are.
    User,
    /// To see everything but Secrets.
    Viewer,
}

impl SystemRole {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Admin, Self::ProjectCreator, Self::User, Self::Viewer];

    /// The name of its ServiceAccount and of its ClusterRole.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Admin => "kargo-admin",
            Self::ProjectCreator => "kargo-project-creator",
            Self::User => "kargo-user",
            Self::Viewer => "kargo-viewer",
        }
    }

    const fn rules(self) -> &'static [Rule] {
        match self {
            Self::Admin => ADMIN,
            Self::ProjectCreator => PROJECT_CREATOR,
            Self::User => USER,
            Self::Viewer => VIEWER,
        }
    }

    const fn analysis_rules(self) -> &'static [Rule] {
        match self {
            Self::Admin => ADMIN_ANALYSIS,
            Self::ProjectCreator | Self::User => USER_ANALYSIS,
            Self::Viewer => VIEWER_ANALYSIS,
        }
    }
}

const ADMIN: &[Rule] = &[
    rule(group::CORE, &["events", "namespaces", "serviceaccounts"], READ),
    rule(group::RBAC, &["rolebindings", "roles"], READ),
    rule(
        group::KARGO,
        kind::BUT_PROMOTIONS,
        &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    ),
    rule(group::KARGO, &["stages"], &["promote"]),
    rule(group::KARGO, &["promotions"], &["create", "delete", "get", "list", "patch", "watch"]),
    rule(group::KARGO, &["freights/status"], &["patch"]),
];
const ADMIN_ANALYSIS: &[Rule] = &[
    rule(group::ARGO, &["analysisruns"], &["delete", "get", "list", "watch"]),
    rule(group::ARGO, &["analysistemplates", "clusteranalysistemplates"], ALL),
];

const PROJECT_CREATOR: &[Rule] = &[
    rule(group::CORE, &["namespaces"], READ),
    rule(group::KARGO, &["clusterconfigs", "clusterpromotiontasks"], READ),
    rule(group::KARGO, &["projects"], &["create", "get", "list", "watch"]),
];

const USER: &[Rule] = &[
    rule(group::CORE, &["namespaces"], READ),
    rule(group::KARGO, &["clusterconfigs", "clusterpromotiontasks", "projects"], READ),
];
const USER_ANALYSIS: &[Rule] = &[rule(group::ARGO, &["clusteranalysistemplates"], READ)];

const VIEWER: &[Rule] = &[
    rule(group::CORE, &["events", "namespaces", "serviceaccounts"], READ),
    rule(group::RBAC, &["rolebindings", "roles"], READ),
    rule(group::KARGO, kind::EVERY, READ),
];
const VIEWER_ANALYSIS: &[Rule] =
    &[rule(group::ARGO, &["analysisruns", "analysistemplates", "clusteranalysistemplates"], READ)];

/// Secrets beside the components: API tokens of these roles.
const OWN_SECRETS: &[Rule] = &[rule(group::CORE, &["secrets"], ALL)];

pub(super) fn objects(options: &Options) -> Vec<Value> {
    let admin = SystemRole::Admin.name();
    let subjects = [options.subject(admin)];
    let mut objects: Vec<Value> =
        SystemRole::ALL.into_iter().flat_map(|role| of_role(role, options)).collect();
    objects.push(role(&options.namespace, admin, values(OWN_SECRETS)));
    objects.push(role_binding(&options.namespace, admin, RoleRef::Namespaced(admin), &subjects));
    objects
}

fn of_role(role: SystemRole, options: &Options) -> [Value; 3] {
    let name = role.name();
    let mut rules = values_with(role.rules(), options.rollouts, role.analysis_rules());
    rules.extend(options.additional_rules.get(&role).into_iter().flatten().cloned());
    let subject = options.subject(name);
    let labels = json!({ (labels::SYSTEM_ROLE): labels::TRUE });
    let account = service_account(subject, labels, claim_annotation(role, options));
    [account, cluster_role(name, rules), cluster_role_binding(name, name, &[subject])]
}

fn claim_annotation(role: SystemRole, options: &Options) -> Value {
    match options.claims.get(&role).filter(|claims| !claims.is_empty()) {
        Some(claims) => json!({ (annotations::RBAC_CLAIMS): claims.to_annotation() }),
        None => json!({}),
    }
}
