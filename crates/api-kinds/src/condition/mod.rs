//! Conditions: the standard Kubernetes form, and the types and reasons we write.

pub mod reasons;
pub mod types;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{omit::is_zero, pattern, string_enum::string_enum};

/// One observed aspect of an object's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// When the condition last changed from one status to another.
    pub last_transition_time: Time,
    /// Explanation for people; may be empty.
    #[schemars(length(max = 32768))]
    pub message: String,
    /// The `metadata.generation` the condition was derived from. When it is lower than the current
    /// generation the condition is out of date.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0))]
    pub observed_generation: i64,
    /// One word for programs that says why the condition has its status.
    #[schemars(length(min = 1, max = 1024), regex(pattern = pattern::CONDITION_REASON))]
    pub reason: String,
    /// Whether the condition holds: True, False, or Unknown.
    pub status: ConditionStatus,
    /// What the condition is about, for example Ready.
    #[schemars(length(max = 316), regex(pattern = pattern::CONDITION_TYPE))]
    pub r#type: String,
}

string_enum! {
    /// Whether a condition holds.
    listed ConditionStatus {
        /// It holds.
        True = "True",
        /// It does not hold.
        False = "False",
        /// It cannot be told.
        Unknown = "Unknown",
    }
}
