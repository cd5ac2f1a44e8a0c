//! A role as clients see it.

use api_kinds::ObjectMeta;
use api_rest::body::Claim;
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding},
};
use serde::{Deserialize, Serialize};

use super::super::claim::Claims;

/// The group and version of roles as clients see them; nothing of it is stored.
pub const API_VERSION: &str = "rbac.kargo.akuity.io/v1alpha1";

/// A role: who has it and what they may do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KargoRole {
    /// Always [`API_VERSION`].
    pub api_version: String,
    /// Always `Role`.
    pub kind: String,
    /// The name, the namespace, the description.
    pub metadata: ObjectMeta,
    /// Whether the objects behind it are ours to change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kargo_managed: bool,
    /// Who has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What they may do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PolicyRule>,
}

impl Default for KargoRole {
    fn default() -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: "Role".to_owned(),
            metadata: ObjectMeta::default(),
            kargo_managed: false,
            claims: Vec::new(),
            rules: Vec::new(),
        }
    }
}

/// The objects behind a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleResources {
    /// Always [`API_VERSION`].
    pub api_version: String,
    /// Always `RoleResources`.
    pub kind: String,
    /// The name and the namespace.
    pub metadata: ObjectMeta,
    /// Whom people log in as.
    pub service_account: ServiceAccount,
    /// What it may do in the namespace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// What it may do by roles of the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cluster_roles: Vec<ClusterRole>,
    /// What binds the two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub role_bindings: Vec<RoleBinding>,
    /// What binds it everywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cluster_role_bindings: Vec<ClusterRoleBinding>,
}

/// Claims in the form that is looked up and stored.
pub(super) fn to_claims(claims: &[Claim]) -> Claims {
    let mut all = Claims::default();
    for claim in claims {
        all.add(&claim.name, claim.values.iter().map(String::as_str));
    }
    all
}

/// Claims in the form that is shown, sorted.
pub(super) fn from_claims(claims: &Claims) -> Vec<Claim> {
    let shown = claims.iter().map(|(name, values)| Claim {
        name: name.to_owned(),
        values: values.iter().cloned().collect(),
    });
    shown.collect()
}
