//! Target: one of many places that a Stage promotes to.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    json,
    kind::{Column, kind},
    omit::is_zero,
};

/// One of many places that a Stage promotes to, selected by its labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct Target {
    /// Standard object metadata. Steps see the labels as `target.labels`.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// What steps need to know about the place.
    #[serde(skip_serializing_if = "is_zero")]
    pub spec: TargetSpec,
    /// State of the Target; nothing is recorded yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: TargetStatus,
}

kind!(Target, Namespaced, {
    plural: "targets",
    short_names: [],
    status: true,
    columns: [Column::AGE],
});

/// What steps need to know about a place to promote to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetSpec {
    /// Any values by key; steps see them as `target.params.<key>`.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::map")]
    pub params: BTreeMap<String, Value>,
}

/// State of a Target; nothing is recorded yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetStatus {}
