//! Which bindings are about a ServiceAccount, and which roles they give it.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, RoleBinding, RoleRef, Subject};

use crate::admission::metadata::namespace;

/// A role that a binding refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoleReference {
    /// A role of a namespace.
    Role {
        /// The namespace.
        namespace: String,
        /// The name.
        name: String,
    },
    /// A role of the cluster.
    ClusterRole {
        /// The name.
        name: String,
    },
}

impl RoleReference {
    /// Reads a reference in a binding of this namespace, which is empty for one of the cluster.
    /// `None` when it refers to something else.
    pub fn read(reference: &RoleRef, namespace: &str) -> Option<Self> {
        let name = reference.name.clone();
        match reference.kind.as_str() {
            "Role" if !namespace.is_empty() => {
                Some(Self::Role { namespace: namespace.to_owned(), name })
            }
            "ClusterRole" => Some(Self::ClusterRole { name }),
            _ => None,
        }
    }
}

/// A ServiceAccount, by namespace and name.
type Account<'a> = (&'a str, &'a str);

/// Bindings by ServiceAccount, so that many roles are resolved at the price of one pass.
#[derive(Clone, Debug, Default)]
pub struct Bindings<'a> {
    by_account: BTreeMap<Account<'a>, Bound<'a>>,
}

/// The bindings about one ServiceAccount.
#[derive(Clone, Debug, Default)]
pub struct Bound<'a> {
    /// Those of namespaces.
    pub role_bindings: Vec<&'a RoleBinding>,
    /// Those of the cluster.
    pub cluster_role_bindings: Vec<&'a ClusterRoleBinding>,
}

impl<'a> Bindings<'a> {
    /// Sorts bindings by whom they are about.
    pub fn new(
        role_bindings: impl IntoIterator<Item = &'a RoleBinding>,
        cluster_role_bindings: impl IntoIterator<Item = &'a ClusterRoleBinding>,
    ) -> Self {
        let mut by_account: BTreeMap<Account<'a>, Bound<'a>> = BTreeMap::new();
        for binding in role_bindings {
            for account in accounts(binding.subjects.as_deref(), namespace(&binding.metadata)) {
                by_account.entry(account).or_default().role_bindings.push(binding);
            }
        }
        for binding in cluster_role_bindings {
            for account in accounts(binding.subjects.as_deref(), "") {
                by_account.entry(account).or_default().cluster_role_bindings.push(binding);
            }
        }
        Self { by_account }
    }

    /// The bindings about a ServiceAccount.
    pub fn of(&self, namespace: &str, name: &str) -> Bound<'a> {
        self.by_account.get(&(namespace, name)).cloned().unwrap_or_default()
    }
}

impl Bound<'_> {
    /// The roles that are bound, each once, with the namespace in which they hold: empty for
    /// everywhere. References to anything else lead nowhere.
    pub fn references(&self) -> BTreeSet<(RoleReference, String)> {
        let in_namespaces = self.role_bindings.iter().filter_map(|binding| {
            let namespace = namespace(&binding.metadata);
            Some((RoleReference::read(&binding.role_ref, namespace)?, namespace.to_owned()))
        });
        let everywhere = self.cluster_role_bindings.iter().filter_map(|binding| {
            Some((RoleReference::read(&binding.role_ref, "")?, String::new()))
        });
        in_namespaces.chain(everywhere).collect()
    }
}

/// The ServiceAccounts among the subjects, each once. One without a namespace lives where the
/// binding does; in a binding of the cluster it is nobody.
fn accounts<'a>(subjects: Option<&'a [Subject]>, home: &'a str) -> BTreeSet<Account<'a>> {
    let accounts = subjects.into_iter().flatten().filter(|s| s.kind == "ServiceAccount");
    accounts
        .map(|account| {
            let named = account.namespace.as_deref().filter(|namespace| !namespace.is_empty());
            (named.unwrap_or(home), account.name.as_str())
        })
        .filter(|(namespace, _)| !namespace.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn binding(namespace: &str, subjects: serde_json::Value) -> RoleBinding {
        serde_json::from_value(json!({
            "metadata": {"name": "b", "namespace": namespace},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
            "subjects": subjects,
        }))
        .unwrap()
    }

    #[test]
    fn an_account_without_a_namespace_lives_where_the_binding_does() {
        let implied = json!([{"kind": "ServiceAccount", "name": "x"}]);
        let bindings = [
            binding("a", implied.clone()),
            binding("b", json!([{"kind": "ServiceAccount", "name": "x", "namespace": "a"}])),
            binding("a", json!([{"kind": "User", "name": "x"}])),
        ];
        let everywhere: ClusterRoleBinding = serde_json::from_value(json!({
            "metadata": {"name": "c"},
            "roleRef": {"apiGroup": "", "kind": "ClusterRole", "name": "r"},
            "subjects": implied,
        }))
        .unwrap();
        let index = Bindings::new(&bindings, [&everywhere]);
        let bound = index.of("a", "x");
        assert_eq!((bound.role_bindings.len(), bound.cluster_role_bindings.len()), (2, 0));
        let role = |namespace: &str| {
            let reference =
                RoleReference::Role { namespace: namespace.to_owned(), name: "r".to_owned() };
            (reference, namespace.to_owned())
        };
        assert_eq!(bound.references(), BTreeSet::from([role("a"), role("b")]));
    }
}
