//! Roles of people, and tokens that act as one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A Kargo Role: a view over a ServiceAccount, its Roles and its RoleBindings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Role {
    /// Always `rbac.kargo.akuity.io/v1alpha1`, where it is given.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Always `Role`, where it is given.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Name, namespace and the description among the annotations.
    #[schemars(schema_with = "crate::openapi::object::metadata")]
    pub metadata: Value,
    /// Whether it can be changed here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kargo_managed: bool,
    /// Whose logins have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What it allows: PolicyRules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "crate::openapi::object::policy_rules")]
    pub rules: Vec<Value>,
}

/// A claim and the values of it that count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Claim {
    /// The name of the claim.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

/// What to grant to a role, to whom to grant it, or what to take back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GrantOrRevoke {
    /// The role.
    pub role: String,
    /// Logins that get or lose the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_claims: Option<UserClaims>,
    /// A permission that the role gets or loses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_details: Option<ResourceDetails>,
}

/// Logins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UserClaims {
    /// The claims that mark them.
    pub claims: Vec<Claim>,
}

/// A permission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceDetails {
    /// The plural of the kind, perhaps with a subresource.
    pub resource_type: String,
    /// One object, or all when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_name: String,
    /// What may be done.
    pub verbs: Vec<String>,
}

/// A token to make.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CreateApiToken {
    /// What it is called.
    pub name: String,
}
