//! Which ServiceAccounts answer for a login.
//!
//! A login acts as every ServiceAccount that its claims lead to, but one of a Project answers for
//! that Project alone: what it may do elsewhere helps nobody who logs in through it.

use std::collections::{BTreeMap, BTreeSet};

use api_kinds::GROUP;

use super::attributes::Attributes;

/// The ServiceAccounts that a login leads to, by namespace.
pub type AccountsByNamespace = BTreeMap<String, BTreeSet<String>>;

/// The ServiceAccounts to ask about a request, as pairs of namespace and name: those of the
/// request's namespace, then those of the global namespaces. The first that may do it is enough.
pub fn candidates<'a>(
    request: &'a Attributes,
    accounts: &'a AccountsByNamespace,
    global_namespaces: &'a [String],
) -> Vec<(&'a str, &'a str)> {
    let mut namespaces: Vec<&str> = home(request).into_iter().collect();
    for namespace in global_namespaces {
        if !namespaces.contains(&namespace.as_str()) {
            namespaces.push(namespace);
        }
    }
    let of_namespace = |namespace: &'a str| {
        let names = accounts.get(namespace).into_iter().flatten();
        names.map(move |name| (namespace, name.as_str()))
    };
    namespaces.into_iter().flat_map(of_namespace).collect()
}

/// The namespace that the request is about. A Project has no namespace and is about its own.
fn home(request: &Attributes) -> Option<&str> {
    let is_project = request.group == GROUP && request.resource == "projects";
    let home = match request.namespace.as_str() {
        "" if is_project => request.name.as_str(),
        namespace => namespace,
    };
    Some(home).filter(|home| !home.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(resource: &str, namespace: &str, name: &str) -> Vec<String> {
        let accounts = AccountsByNamespace::from([
            ("a".to_owned(), BTreeSet::from(["dev".to_owned(), "ops".to_owned()])),
            ("b".to_owned(), BTreeSet::from(["dev".to_owned()])),
            ("kargo".to_owned(), BTreeSet::from(["kargo-user".to_owned()])),
        ]);
        let request = Attributes {
            group: GROUP.to_owned(),
            resource: resource.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..Attributes::default()
        };
        let global = ["kargo".to_owned()];
        let asked = candidates(&request, &accounts, &global);
        asked.iter().map(|(namespace, name)| format!("{namespace}/{name}")).collect()
    }

    #[test]
    fn accounts_of_a_project_answer_for_that_project_alone() {
        assert_eq!(asked("stages", "a", "x"), ["a/dev", "a/ops", "kargo/kargo-user"]);
        assert_eq!(asked("stages", "c", ""), ["kargo/kargo-user"]);
    }

    #[test]
    fn a_project_is_a_matter_of_its_own_namespace() {
        assert_eq!(asked("projects", "", "b"), ["b/dev", "kargo/kargo-user"]);
        assert_eq!(asked("projects", "", ""), ["kargo/kargo-user"]);
        assert_eq!(asked("clusterconfigs", "", "b"), ["kargo/kargo-user"]);
    }

    #[test]
    fn a_global_namespace_is_asked_once() {
        assert_eq!(asked("roles", "kargo", ""), ["kargo/kargo-user"]);
    }
}
