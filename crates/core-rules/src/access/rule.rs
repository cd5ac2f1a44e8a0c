//! Permissions as tables of constants.

use serde_json::{Value, json};

/// The groups that rules speak of.
pub(super) mod group {
    pub(crate) const CORE: &str = "";
    pub(crate) const ADMISSION: &str = "admissionregistration.k8s.io";
    pub(crate) const ARGO: &str = "argoproj.io";
    pub(crate) const AUTHENTICATION: &str = "authentication.k8s.io";
    pub(crate) const AUTHORIZATION: &str = "authorization.k8s.io";
    pub(crate) const BATCH: &str = "batch";
    pub(crate) const COORDINATION: &str = "coordination.k8s.io";
    pub(crate) const KARGO: &str = api_kinds::GROUP;
    pub(crate) const RBAC: &str = "rbac.authorization.k8s.io";
}

/// Our kinds, for rules about all of them.
pub(super) mod kind {
    /// Every kind. Promotions are the last: most may do less with them than with the others.
    pub(crate) const EVERY: &[&str] = &[
        "clusterconfigs",
        "clusterpromotiontasks",
        "freights",
        "projects",
        "projectconfigs",
        "promotionrequests",
        "promotiontasks",
        "stages",
        "targets",
        "warehouses",
        "promotions",
    ];
    /// Every kind but Promotions.
    pub(crate) const BUT_PROMOTIONS: &[&str] = match EVERY {
        [others @ .., _] => others,
        [] => EVERY,
    };
}

/// Everything that can be done.
pub(super) const ALL: &[&str] = &["*"];
/// Reading, alone and in lists.
pub(super) const READ: &[&str] = &["get", "list", "watch"];

/// Verbs on resources of one group, possibly on named objects only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    group: &'static str,
    resources: &'static [&'static str],
    verbs: &'static [&'static str],
    names: &'static [&'static str],
}

/// Allows verbs on all objects of some resources.
pub(super) const fn rule(
    group: &'static str,
    resources: &'static [&'static str],
    verbs: &'static [&'static str],
) -> Rule {
    Rule { group, resources, verbs, names: &[] }
}

impl Rule {
    /// Only objects of these names.
    pub(super) const fn named(self, names: &'static [&'static str]) -> Self {
        Self { names, ..self }
    }

    fn to_value(self) -> Value {
        let (groups, resources, verbs) = ([self.group], self.resources, self.verbs);
        if self.names.is_empty() {
            return json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
        }
        json!({
            "apiGroups": groups,
            "resources": resources,
            "resourceNames": self.names,
            "verbs": verbs,
        })
    }
}

/// The rules as a role lists them.
pub(super) fn values(rules: &[Rule]) -> Vec<Value> {
    rules.iter().map(|rule| rule.to_value()).collect()
}

/// The table, and a second one when a feature is on.
pub(super) fn values_with(rules: &[Rule], condition: bool, optional: &[Rule]) -> Vec<Value> {
    let optional = if condition { optional } else { &[] };
    [values(rules), values(optional)].concat()
}
