//! Selectors: by labels, and by name and labels together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::omit::is_zero;

/// Selects objects by their labels. All parts must match; an empty selector matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-map-type" = "atomic"))]
pub struct LabelSelector {
    /// Conditions on single labels; all of them must hold.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub match_expressions: Vec<LabelSelectorRequirement>,
    /// Labels that must be present with exactly these values.
    #[serde(skip_serializing_if = "is_zero")]
    pub match_labels: BTreeMap<String, String>,
}

/// A condition on one label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelectorRequirement {
    /// The label's key.
    pub key: String,
    /// How the label is compared: In, NotIn, Exists, or DoesNotExist.
    pub operator: String,
    /// The values to compare with. Needed by In and NotIn, forbidden with the other operators.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub values: Vec<String>,
}

/// Selects Stages or Projects by name, by labels, or by both. Without any part it matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-map-type" = "atomic"))]
pub struct PromotionPolicySelector {
    /// Conditions on single labels; all of them must hold.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub match_expressions: Vec<LabelSelectorRequirement>,
    /// Labels that must be present with exactly these values.
    #[serde(skip_serializing_if = "is_zero")]
    pub match_labels: BTreeMap<String, String>,
    /// The name to match: exact text, a glob after `glob:`, or a regular expression after `regex:`
    /// or `regexp:`. A regular expression may match any part of the name unless it is anchored.
    /// Empty matches every name.
    #[serde(skip_serializing_if = "is_zero")]
    pub name: String,
}
