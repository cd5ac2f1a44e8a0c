//! Which objects belong to a control plane.
//!
//! What an installation makes for itself (its permissions, its certificate) is left where it is: the target has an
//! installation of its own. What people added to it comes along: claims on system roles, further accounts, Secrets.

use std::collections::BTreeSet;

use api_kinds::labels;
use core_clock::{Environment, Variables};
use core_rules::{
    access::{self, Options, SERVING_SECRET},
    management::grant::project_role_name,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Resource,
    object::{self, Key},
    restore::MARKER,
};

/// What a cluster puts into every namespace by itself.
const CLUSTER_AUTHORITY: &str = "kube-root-ca.crt";
const DEFAULT_ACCOUNT: &str = "default";

/// The namespaces of an installation, apart from those of its Projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespaces {
    /// Where its components are.
    pub release: String,
    /// Where Secrets of the whole installation are.
    pub system: String,
    /// Where Secrets and ConfigMaps that all Projects share are.
    pub shared: String,
}

impl Default for Namespaces {
    fn default() -> Self {
        let Options { namespace, system_namespace, shared_namespace, .. } = Options::default();
        Self { release: namespace, system: system_namespace, shared: shared_namespace }
    }
}

impl Namespaces {
    /// Those that the settings of the components name.
    pub fn from_environment(environment: &dyn Environment) -> Self {
        let variables = Variables::new(environment);
        let default = Self::default();
        Self {
            release: variables.text_or("KARGO_NAMESPACE", &default.release),
            system: variables.text_or("SYSTEM_RESOURCES_NAMESPACE", &default.system),
            shared: variables.text_or("SHARED_RESOURCES_NAMESPACE", &default.shared),
        }
    }

    pub(crate) fn all(&self) -> [&str; 3] {
        [&self.release, &self.system, &self.shared]
    }
}

/// Decides what belongs to a control plane.
pub(crate) struct Selection<'a> {
    namespaces: &'a Namespaces,
    projects: BTreeSet<String>,
    /// The names of roles over single Projects.
    project_roles: BTreeSet<String>,
    /// What every installation makes for itself.
    installed: BTreeSet<Key>,
}

/// What becomes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is moved.
    Moved,
    /// It belongs to somebody else, or every server makes its own.
    Foreign,
    /// It belongs to the control plane, but it cannot be moved.
    Stray(&'static str),
}

impl<'a> Selection<'a> {
    /// For the namespaces that there are.
    pub(crate) fn new(namespaces: &'a Namespaces, found: &[Value]) -> Self {
        let is_project = |one: &&Value| object::label(one, labels::PROJECT) == labels::TRUE;
        let projects: BTreeSet<String> =
            found.iter().filter(is_project).map(|one| object::name(one).to_owned()).collect();
        let project_roles = projects.iter().map(|name| project_role_name(name)).collect();
        Self { namespaces, projects, project_roles, installed: installed(namespaces) }
    }

    /// Every namespace whose content may belong to the control plane.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &str> {
        let own = self.namespaces.all().into_iter();
        let own: BTreeSet<&str> = own.chain(self.projects.iter().map(String::as_str)).collect();
        own.into_iter()
    }

    /// Whether an object is moved.
    pub(crate) fn judge(&self, resource: &Resource, object: &Value) -> Verdict {
        if !self.is_own(resource, object) {
            return Verdict::Foreign;
        }
        if object::is_ending(object) {
            return Verdict::Stray("it is being deleted");
        }
        if resource.is_namespaced && !self.is_home(object::namespace(object)) {
            return Verdict::Stray("its namespace is not that of a Project");
        }
        Verdict::Moved
    }

    fn is_home(&self, namespace: &str) -> bool {
        self.namespaces.all().contains(&namespace) || self.projects.contains(namespace)
    }

    fn is_own(&self, resource: &Resource, object: &Value) -> bool {
        let name = object::name(object);
        match resource.kind {
            "Namespace" => self.is_home(name),
            "ClusterRole" | "ClusterRoleBinding" => self.project_roles.contains(name),
            "Secret" => {
                name != SERVING_SECRET || object::namespace(object) != self.namespaces.release
            }
            "ConfigMap" => name != CLUSTER_AUTHORITY && name != MARKER,
            "ServiceAccount" => !is_bare_default(object) && !self.is_component(resource, object),
            "Role" | "RoleBinding" => !self.installed.contains(&Key::of(resource, object)),
            "AnalysisTemplate" | "AnalysisRun" => self.is_home(object::namespace(object)),
            _ => true,
        }
    }

    /// The account of a component. Those of system roles carry claims that people gave them.
    fn is_component(&self, resource: &Resource, account: &Value) -> bool {
        self.installed.contains(&Key::of(resource, account))
            && object::label(account, labels::SYSTEM_ROLE) != labels::TRUE
    }
}

/// The account that every namespace has, as long as nobody has added anything to it.
fn is_bare_default(account: &Value) -> bool {
    let is_plain = |path: &str| account.pointer(path).is_none_or(object::is_empty);
    object::name(account) == DEFAULT_ACCOUNT
        && ["/metadata/labels", "/metadata/annotations", "/imagePullSecrets", "/secrets"]
            .into_iter()
            .all(is_plain)
}

fn installed(namespaces: &Namespaces) -> BTreeSet<Key> {
    let options = Options {
        namespace: namespaces.release.clone(),
        system_namespace: namespaces.system.clone(),
        shared_namespace: namespaces.shared.clone(),
        ..Options::default()
    };
    let key = |made: Value| Key {
        kind: object::text(&made, "/kind").to_owned(),
        namespace: object::namespace(&made).to_owned(),
        name: object::name(&made).to_owned(),
    };
    access::objects(&options).into_iter().map(key).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RESOURCES;

    fn judge(kind: &str, metadata: Value) -> Verdict {
        let namespaces = Namespaces::default();
        let found = [
            json!({"metadata": {"name": "demo", "labels": {"kargo.akuity.io/project": "true"}}}),
            json!({"metadata": {"name": "other"}}),
        ];
        let selection = Selection::new(&namespaces, &found);
        let resource = RESOURCES.iter().find(|one| one.kind == kind).unwrap();
        selection.judge(resource, &json!({"metadata": metadata}))
    }

    #[test]
    fn what_belongs_to_projects_and_the_installation_is_moved() {
        for (kind, metadata) in [
            ("Namespace", json!({"name": "demo"})),
            ("Namespace", json!({"name": "kargo"})),
            ("Secret", json!({"name": "git", "namespace": "demo"})),
            ("Secret", json!({"name": "api", "namespace": "kargo"})),
            ("ServiceAccount", json!({"name": "ci", "namespace": "demo"})),
            ("ServiceAccount", json!({"name": "kargo-controller-west", "namespace": "kargo"})),
            ("RoleBinding", json!({"name": "mine", "namespace": "kargo"})),
            ("ClusterRole", json!({"name": "kargo-project-admin-demo"})),
            ("Stage", json!({"name": "prod", "namespace": "demo"})),
            ("AnalysisTemplate", json!({"name": "smoke", "namespace": "demo"})),
            ("ClusterAnalysisTemplate", json!({"name": "smoke"})),
        ] {
            assert_eq!(judge(kind, metadata.clone()), Verdict::Moved, "{kind} {metadata}");
        }
    }

    #[test]
    fn what_others_or_every_server_makes_stays() {
        for (kind, metadata) in [
            ("Namespace", json!({"name": "other"})),
            ("ConfigMap", json!({"name": "kube-root-ca.crt", "namespace": "demo"})),
            ("ConfigMap", json!({"name": "kargo-restore", "namespace": "kargo"})),
            ("Secret", json!({"name": "kargo-webhooks-server-cert", "namespace": "kargo"})),
            ("ServiceAccount", json!({"name": "default", "namespace": "demo"})),
            ("ServiceAccount", json!({"name": "kargo-controller", "namespace": "kargo"})),
            ("ClusterRole", json!({"name": "kargo-controller"})),
            ("ClusterRole", json!({"name": "kargo-project-admin-gone"})),
            ("AnalysisTemplate", json!({"name": "smoke", "namespace": "other"})),
        ] {
            assert_eq!(judge(kind, metadata.clone()), Verdict::Foreign, "{kind} {metadata}");
        }
    }

    #[test]
    fn claims_on_a_system_role_come_along() {
        let role = json!({"rbac.kargo.akuity.io/system-role": "true"});
        let account = json!({"name": "kargo-admin", "namespace": "kargo", "labels": role});
        assert_eq!(judge("ServiceAccount", account), Verdict::Moved);
        let changed = json!({"name": "default", "namespace": "demo", "annotations": {"a": "b"}});
        assert_eq!(judge("ServiceAccount", changed), Verdict::Moved);
    }

    #[test]
    fn what_cannot_be_moved_is_told() {
        let ending =
            json!({"name": "p", "namespace": "demo", "deletionTimestamp": "2026-01-01T00:00:00Z"});
        assert!(matches!(judge("Promotion", ending), Verdict::Stray(_)));
        assert!(matches!(
            judge("Stage", json!({"name": "s", "namespace": "other"})),
            Verdict::Stray(_)
        ));
    }
}
