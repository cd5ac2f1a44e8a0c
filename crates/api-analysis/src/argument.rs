//! Arguments of templates and runs.

use serde::{Deserialize, Serialize};

use crate::{Fields, is_zero};

/// An argument, written `{{args.<name>}}` where metrics use it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Argument {
    /// Name of the argument.
    pub name: String,
    /// Its value; absent in a template when the run must bring it.
    #[serde(skip_serializing_if = "is_zero")]
    pub value: Option<String>,
    /// Where the value is read when the run starts.
    #[serde(skip_serializing_if = "is_zero")]
    pub value_from: Option<ValueFrom>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// Where the value of an argument is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValueFrom {
    /// A key of a Secret in the namespace of the run.
    #[serde(skip_serializing_if = "is_zero")]
    pub secret_key_ref: Option<SecretKeyReference>,
    /// A field of the Rollout behind the run; runs of Stages have none.
    #[serde(skip_serializing_if = "is_zero")]
    pub field_ref: Option<FieldReference>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// A key of a Secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SecretKeyReference {
    /// Name of the Secret.
    pub name: String,
    /// The key.
    pub key: String,
}

/// A field of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FieldReference {
    /// Path of the field, such as `metadata.labels['env']`.
    pub field_path: String,
}
