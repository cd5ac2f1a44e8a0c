//! What is moved, in the order in which it is put back.
//!
//! Everything comes after what it refers to: a token Secret after its ServiceAccount, a binding after its role, Freight
//! after its Warehouse, a Promotion after its Stage. What runs something by itself comes last.

use api_kinds::{
    ClusterConfig, ClusterPromotionTask, Freight, GROUP, Kind, Project, ProjectConfig, Promotion,
    PromotionRequest, PromotionTask, Stage, Target, VERSION, Warehouse, kind::Scope,
};

const RBAC: &str = "rbac.authorization.k8s.io";
const ARGO: &str = "argoproj.io";
const ADMISSION: &str = "admissionregistration.k8s.io";

/// A kind that is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version of the group.
    pub version: &'static str,
    /// The kind, in camel case.
    pub kind: &'static str,
    /// The plural used in paths.
    pub plural: &'static str,
    /// Whether objects live in namespaces.
    pub is_namespaced: bool,
}

/// Every kind that is moved, in the order in which it is put back.
pub static RESOURCES: &[Resource] = &[
    NAMESPACES,
    namespaced("", "v1", "ServiceAccount", "serviceaccounts"),
    namespaced("", "v1", "Secret", "secrets"),
    CONFIG_MAPS,
    namespaced(RBAC, "v1", "Role", "roles"),
    namespaced(RBAC, "v1", "RoleBinding", "rolebindings"),
    cluster(RBAC, "v1", "ClusterRole", "clusterroles"),
    cluster(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings"),
    own::<ClusterConfig>(),
    PROJECTS,
    own::<ProjectConfig>(),
    cluster(ARGO, VERSION, "ClusterAnalysisTemplate", "clusteranalysistemplates"),
    namespaced(ARGO, VERSION, "AnalysisTemplate", "analysistemplates"),
    own::<ClusterPromotionTask>(),
    own::<PromotionTask>(),
    own::<Target>(),
    own::<Warehouse>(),
    own::<Freight>(),
    own::<Stage>(),
    own::<PromotionRequest>(),
    own::<Promotion>(),
    ANALYSIS_RUNS,
];

/// Namespaces, of which the others depend.
pub(crate) const NAMESPACES: Resource = cluster("", "v1", "Namespace", "namespaces");
/// ConfigMaps, of which one tells of a restore that is under way.
pub(crate) const CONFIG_MAPS: Resource = namespaced("", "v1", "ConfigMap", "configmaps");
/// Kinds.
pub(crate) const DEFINITIONS: Resource =
    cluster("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions");
/// Who is at work.
pub(crate) const LEASES: Resource = namespaced("coordination.k8s.io", "v1", "Lease", "leases");
/// What asks webhooks about writes.
pub(crate) const WEBHOOK_CONFIGURATIONS: [Resource; 2] = [
    cluster(ADMISSION, "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
    cluster(ADMISSION, "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
];
/// Projects, of which there are none where nothing is.
pub(crate) const PROJECTS: Resource = own::<Project>();
/// AnalysisRuns, which are moved on request only.
pub(crate) const ANALYSIS_RUNS: Resource = namespaced(ARGO, VERSION, "AnalysisRun", "analysisruns");

const fn cluster(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> Resource {
    Resource { group, version, kind, plural, is_namespaced: false }
}

const fn namespaced(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> Resource {
    Resource { group, version, kind, plural, is_namespaced: true }
}

const fn own<K: Kind>() -> Resource {
    let definition = K::DEFINITION;
    Resource {
        group: GROUP,
        version: VERSION,
        kind: definition.kind,
        plural: definition.plural,
        is_namespaced: matches!(definition.scope, Scope::Namespaced),
    }
}

impl Resource {
    /// Whether the kind is one of ours.
    pub fn is_ours(&self) -> bool {
        self.group == GROUP
    }

    /// Whether the kind comes with Argo Rollouts, which need not be there.
    pub fn is_analysis(&self) -> bool {
        self.group == ARGO
    }

    /// Plural and group, as `kubectl` takes them.
    pub fn full_name(&self) -> String {
        match self.group {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Group and version as objects carry them.
    pub fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The path of all objects in a namespace; an empty one stands for everywhere.
    pub(crate) fn path(&self, namespace: &str) -> String {
        let Self { group, version, plural, .. } = self;
        let root = if group.is_empty() {
            format!("/api/{version}")
        } else {
            format!("/apis/{group}/{version}")
        };
        match namespace {
            "" => format!("{root}/{plural}"),
            namespace => format!("{root}/namespaces/{namespace}/{plural}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_ours_is_moved() {
        let moved: Vec<String> =
            RESOURCES.iter().filter(|one| one.is_ours()).map(Resource::full_name).collect();
        for definition in api_kinds::crd::crds() {
            let name = definition["metadata"]["name"].as_str().unwrap().to_owned();
            assert!(moved.contains(&name), "{name} is forgotten");
        }
    }

    #[test]
    fn what_others_refer_to_comes_first() {
        let rank = |kind: &str| RESOURCES.iter().position(|one| one.kind == kind).unwrap();
        for (first, then) in [
            ("Namespace", "ServiceAccount"),
            ("ServiceAccount", "Secret"),
            ("Role", "RoleBinding"),
            ("ClusterRole", "ClusterRoleBinding"),
            ("Project", "ProjectConfig"),
            ("Warehouse", "Freight"),
            ("Freight", "Stage"),
            ("Stage", "PromotionRequest"),
            ("PromotionRequest", "Promotion"),
            ("Promotion", "AnalysisRun"),
        ] {
            assert!(rank(first) < rank(then), "{first} after {then}");
        }
    }

    #[test]
    fn paths_are_those_of_the_api() {
        assert_eq!(NAMESPACES.path(""), "/api/v1/namespaces");
        assert_eq!(
            own::<Stage>().path("demo"),
            "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/stages"
        );
        assert_eq!(own::<Stage>().full_name(), "stages.kargo.akuity.io");
    }
}
