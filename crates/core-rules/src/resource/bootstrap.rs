//! The first objects of a Project.
//!
//! Whoever creates a Project becomes its owner only a moment later, when its roles exist. Objects
//! that come with it in the same call are therefore written in the name of the server. This holds
//! for Projects that this call created itself, and for kinds by which nobody comes to more than
//! their own Project: escalation is checked all the same, as the caller.

use std::collections::BTreeSet;

use api_kinds::GROUP;

use super::object::Resource;

/// The Projects that one call created.
#[derive(Clone, Debug, Default)]
pub struct Bootstrap {
    projects: BTreeSet<String>,
}

impl Bootstrap {
    /// Takes note of an object that was created, not found or updated.
    pub fn created(&mut self, resource: &Resource) {
        if resource.is_ours("Project") && !resource.name().is_empty() {
            self.projects.insert(resource.name().to_owned());
        }
    }

    /// Whether the object is written in the name of the server.
    pub fn covers(&self, resource: &Resource) -> bool {
        self.projects.contains(resource.namespace()) && is_covered_kind(resource)
    }
}

fn is_covered_kind(resource: &Resource) -> bool {
    match resource.group() {
        "" => matches!(resource.kind(), "ConfigMap" | "Secret" | "ServiceAccount"),
        "rbac.authorization.k8s.io" => matches!(resource.kind(), "Role" | "RoleBinding"),
        "argoproj.io" => resource.kind() == "AnalysisTemplate",
        GROUP => matches!(
            resource.kind(),
            "Freight" | "ProjectConfig" | "PromotionTask" | "Stage" | "Target" | "Warehouse"
        ),
        _ => false,
    }
}
