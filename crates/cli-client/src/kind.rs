//! The kinds that routes return, for answers that leave them out.

use serde_json::{Value, json};

const KARGO: &str = "kargo.akuity.io/v1alpha1";
const RBAC: &str = "rbac.kargo.akuity.io/v1alpha1";
const ARGO: &str = "argoproj.io/v1alpha1";

/// apiVersion and kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Group and version.
    pub api_version: &'static str,
    /// The kind.
    pub kind: &'static str,
}

impl Kind {
    pub const PROJECT: Self = Self::kargo("Project");
    pub const PROJECT_CONFIG: Self = Self::kargo("ProjectConfig");
    pub const CLUSTER_CONFIG: Self = Self::kargo("ClusterConfig");
    pub const STAGE: Self = Self::kargo("Stage");
    pub const WAREHOUSE: Self = Self::kargo("Warehouse");
    pub const FREIGHT: Self = Self::kargo("Freight");
    pub const PROMOTION: Self = Self::kargo("Promotion");
    pub const PROMOTION_REQUEST: Self = Self::kargo("PromotionRequest");
    pub const TARGET: Self = Self::kargo("Target");
    pub const PROMOTION_TASK: Self = Self::kargo("PromotionTask");
    pub const CLUSTER_PROMOTION_TASK: Self = Self::kargo("ClusterPromotionTask");
    pub const ROLE: Self = Self { api_version: RBAC, kind: "Role" };
    pub const ROLE_RESOURCES: Self = Self { api_version: RBAC, kind: "RoleResources" };
    pub const ANALYSIS_TEMPLATE: Self = Self { api_version: ARGO, kind: "AnalysisTemplate" };
    pub const CLUSTER_ANALYSIS_TEMPLATE: Self =
        Self { api_version: ARGO, kind: "ClusterAnalysisTemplate" };
    pub const ANALYSIS_RUN: Self = Self { api_version: ARGO, kind: "AnalysisRun" };
    pub const SECRET: Self = Self { api_version: "v1", kind: "Secret" };
    pub const CONFIG_MAP: Self = Self { api_version: "v1", kind: "ConfigMap" };
    pub const EVENT: Self = Self { api_version: "v1", kind: "Event" };

    const fn kargo(kind: &'static str) -> Self {
        Self { api_version: KARGO, kind }
    }

    /// An object of this kind that has a name and nothing else.
    pub fn named(self, name: &str) -> Value {
        json!({ "apiVersion": self.api_version, "kind": self.kind, "metadata": { "name": name } })
    }
}
