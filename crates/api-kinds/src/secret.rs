//! References to Secrets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::omit::is_zero;

/// Names an object, here always a Secret, in a namespace that the context determines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-map-type" = "atomic"))]
pub struct LocalObjectReference {
    /// Name of the Secret.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kargo-default" = ""))]
    pub name: String,
}
