//! The kinds that are kept in memory, and what their objects are found by.

use std::collections::BTreeMap;

use serde_json::Value;

/// A kind of the Kubernetes API.
pub(crate) struct Kind {
    /// Empty for the core group.
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    /// As objects name it: `Stage`.
    pub(crate) name: &'static str,
    pub(crate) plural: &'static str,
    /// Whether clients can watch it, so that its changes are logged.
    pub(super) is_watched: bool,
    /// Which objects are kept.
    pub(super) accept: fn(&Value) -> bool,
    /// What an object is found by.
    pub(super) tags: fn(&Value) -> Vec<String>,
}

impl Kind {
    const fn new(
        group: &'static str,
        version: &'static str,
        name: &'static str,
        plural: &'static str,
    ) -> Self {
        Self {
            group,
            version,
            name,
            plural,
            is_watched: false,
            accept: |_| true,
            tags: |_| Vec::new(),
        }
    }

    const fn watched(self) -> Self {
        Self { is_watched: true, ..self }
    }

    const fn only(self, accept: fn(&Value) -> bool) -> Self {
        Self { accept, ..self }
    }

    const fn found_by(self, tags: fn(&Value) -> Vec<String>) -> Self {
        Self { tags, ..self }
    }

    /// Group and version, as objects name them.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// The path of its objects, in a namespace or across all.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() { "/api" } else { "/apis" };
        let scope = namespace.map(|namespace| format!("/namespaces/{namespace}"));
        format!("{root}/{}{}/{}", self.api_version(), scope.unwrap_or_default(), self.plural)
    }
}

/// A resource and its group, as messages name them.
pub(crate) fn qualified(group: &str, resource: &str) -> String {
    if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") }
}

/// Every kind that is kept.
pub(crate) mod kinds {
    use super::{Kind, aliases, claims, is_of_ours, project_label, stage_of_promotion};

    const KARGO: &str = "kargo.akuity.io";
    const ARGO: &str = "argoproj.io";
    const RBAC: &str = "rbac.authorization.k8s.io";

    const fn kargo(kind: &'static str, plural: &'static str) -> Kind {
        Kind::new(KARGO, "v1alpha1", kind, plural)
    }

    const fn rbac(kind: &'static str, plural: &'static str) -> Kind {
        Kind::new(RBAC, "v1", kind, plural)
    }

    pub(crate) static PROJECT: Kind = kargo("Project", "projects");
    pub(crate) static PROJECT_CONFIG: Kind = kargo("ProjectConfig", "projectconfigs").watched();
    pub(crate) static CLUSTER_CONFIG: Kind = kargo("ClusterConfig", "clusterconfigs").watched();
    pub(crate) static STAGE: Kind = kargo("Stage", "stages").watched();
    pub(crate) static WAREHOUSE: Kind = kargo("Warehouse", "warehouses").watched();
    pub(crate) static PROMOTION: Kind =
        kargo("Promotion", "promotions").watched().found_by(stage_of_promotion);
    pub(crate) static FREIGHT: Kind = kargo("Freight", "freights").watched().found_by(aliases);
    pub(crate) static PROMOTION_REQUEST: Kind =
        kargo("PromotionRequest", "promotionrequests").watched().found_by(stage_of_promotion);
    pub(crate) static TARGET: Kind = kargo("Target", "targets").watched();
    pub(crate) static PROMOTION_TASK: Kind = kargo("PromotionTask", "promotiontasks");
    pub(crate) static CLUSTER_PROMOTION_TASK: Kind =
        kargo("ClusterPromotionTask", "clusterpromotiontasks");
    pub(crate) static ANALYSIS_TEMPLATE: Kind =
        Kind::new(ARGO, "v1alpha1", "AnalysisTemplate", "analysistemplates");
    pub(crate) static CLUSTER_ANALYSIS_TEMPLATE: Kind =
        Kind::new(ARGO, "v1alpha1", "ClusterAnalysisTemplate", "clusteranalysistemplates");
    pub(crate) static ANALYSIS_RUN: Kind =
        Kind::new(ARGO, "v1alpha1", "AnalysisRun", "analysisruns");
    pub(crate) static EVENT: Kind = Kind::new("", "v1", "Event", "events").only(is_of_ours);
    /// Never kept, only named.
    pub(crate) static SECRET: Kind = Kind::new("", "v1", "Secret", "secrets");
    /// Never kept, only named.
    pub(crate) static CONFIG_MAP: Kind = Kind::new("", "v1", "ConfigMap", "configmaps");
    pub(crate) static NAMESPACE: Kind =
        Kind::new("", "v1", "Namespace", "namespaces").found_by(project_label);
    pub(crate) static SERVICE_ACCOUNT: Kind =
        Kind::new("", "v1", "ServiceAccount", "serviceaccounts").found_by(claims);
    pub(crate) static LEASE: Kind = Kind::new("coordination.k8s.io", "v1", "Lease", "leases");
    pub(crate) static ROLE: Kind = rbac("Role", "roles");
    pub(crate) static ROLE_BINDING: Kind = rbac("RoleBinding", "rolebindings");
    pub(crate) static CLUSTER_ROLE: Kind = rbac("ClusterRole", "clusterroles");
    pub(crate) static CLUSTER_ROLE_BINDING: Kind =
        rbac("ClusterRoleBinding", "clusterrolebindings");
}

/// The tag of namespaces of Projects.
pub(crate) const IS_PROJECT: &str = "project";

fn project_label(namespace: &Value) -> Vec<String> {
    let labels = strings(namespace, "/metadata/labels");
    let is_project = labels
        .get(api_kinds::labels::PROJECT)
        .is_some_and(|value| value == api_kinds::labels::TRUE);
    if is_project { vec![IS_PROJECT.to_owned()] } else { Vec::new() }
}

fn stage_of_promotion(promotion: &Value) -> Vec<String> {
    let stage = promotion.pointer("/spec/stage").and_then(Value::as_str);
    stage.map(str::to_owned).into_iter().collect()
}

fn aliases(freight: &Value) -> Vec<String> {
    strings(freight, "/metadata/labels").remove(api_kinds::labels::ALIAS).into_iter().collect()
}

fn claims(account: &Value) -> Vec<String> {
    let annotations = strings(account, "/metadata/annotations");
    core_rules::access::claim::keys_of_annotations(&annotations).into_iter().collect()
}

fn is_of_ours(event: &Value) -> bool {
    let version = event.pointer("/involvedObject/apiVersion").and_then(Value::as_str);
    version.is_some_and(|version| version.starts_with("kargo.akuity.io/"))
}

fn strings(object: &Value, pointer: &str) -> BTreeMap<String, String> {
    let map = object.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    map.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}
