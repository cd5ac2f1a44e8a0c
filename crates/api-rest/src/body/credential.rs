//! Credentials as they are sent. Nothing here can be printed for debugging: all of it is secret.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Credentials of repositories to make.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateRepoCredentials {
    /// What they are called.
    pub name: String,
    /// `git`, `helm` or `image`.
    #[serde(rename = "type")]
    pub type_: String,
    /// The repository, or a pattern of repositories.
    pub repo_url: String,
    /// Whether it is a pattern.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repo_url_is_regex: bool,
    /// Who logs in.
    pub username: String,
    /// And with what.
    pub password: String,
    /// What they are for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Credentials of repositories to put in place of others.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateRepoCredentials {
    /// `git`, `helm` or `image`.
    #[serde(rename = "type")]
    pub type_: String,
    /// The repository, or a pattern of repositories.
    pub repo_url: String,
    /// Whether it is a pattern.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repo_url_is_regex: bool,
    /// Who logs in.
    pub username: String,
    /// And with what.
    pub password: String,
    /// What they are for; none when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// What to change of credentials of repositories; what is empty stays.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PatchRepoCredentials {
    /// `git`, `helm` or `image`.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub type_: String,
    /// The repository, or a pattern of repositories.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub repo_url: String,
    /// Whether it is a pattern; counts only beside `repo_url`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repo_url_is_regex: bool,
    /// Who logs in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// And with what.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub password: String,
    /// What they are for; an empty text takes it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Any other credentials to make.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CreateGenericCredentials {
    /// What they are called.
    pub name: String,
    /// What they are for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether every Project gets a copy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replicate: bool,
    /// The type of the Secret.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub type_: String,
    /// The values by key.
    pub data: BTreeMap<String, String>,
}

/// Any other credentials to put in place of others.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UpdateGenericCredentials {
    /// What they are for; none when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether every Project gets a copy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replicate: bool,
    /// The values by key; an empty one stays as it is.
    pub data: BTreeMap<String, String>,
}

/// What to change of any other credentials.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PatchGenericCredentials {
    /// What they are for; an empty text takes it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Values to set.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Keys to take away before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_keys: Vec<String>,
}
