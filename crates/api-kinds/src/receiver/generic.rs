//! The webhook receiver for senders we have no dialect for.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    omit::is_zero, secret::LocalObjectReference, selector::LabelSelector, string_enum::string_enum,
};

/// Settings for calls from any sender: what to do is said with expressions over the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GenericWebhookReceiverConfig {
    /// What to do when a call arrives.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1))]
    pub actions: Vec<GenericWebhookAction>,
    /// The Secret whose `secret` key holds a value that makes the receiver's address unguessable.
    pub secret_ref: LocalObjectReference,
}

/// Something to do when a call arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GenericWebhookAction {
    /// What to do. Only Refresh exists.
    pub action: GenericWebhookActionType,
    /// Settings of the action; none are in use yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub parameters: BTreeMap<String, String>,
    /// The objects to do it to. Every entry selects on its own; an object is acted on once.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1))]
    pub target_selection_criteria: Vec<GenericWebhookTargetSelectionCriteria>,
    /// Expression over the call that decides whether to do it. Empty means always.
    #[serde(skip_serializing_if = "is_zero")]
    pub when_expression: String,
}

string_enum! {
    /// What a generic webhook receiver can do.
    listed GenericWebhookActionType {
        /// Reconcile the selected objects now.
        Refresh = "Refresh",
    }
}

/// Selects objects; all given parts must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GenericWebhookTargetSelectionCriteria {
    /// Selects by what the objects subscribe to or listen on.
    #[serde(skip_serializing_if = "is_zero")]
    pub index_selector: Option<IndexSelector>,
    /// Kind of the objects. Only Warehouse exists.
    pub kind: GenericWebhookTargetKind,
    /// Selects by labels.
    #[serde(skip_serializing_if = "is_zero")]
    pub label_selector: Option<LabelSelector>,
    /// Selects by name; may be an expression over the call.
    #[serde(skip_serializing_if = "is_zero")]
    pub name: String,
}

string_enum! {
    /// Kinds of object that a generic webhook receiver can act on.
    listed GenericWebhookTargetKind {
        /// A Warehouse.
        Warehouse = "Warehouse",
    }
}

/// Selects objects by indexed properties.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct IndexSelector {
    /// Conditions on indexed properties; all of them must hold.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1))]
    pub match_indices: Vec<IndexSelectorRequirement>,
}

/// A condition on one indexed property.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct IndexSelectorRequirement {
    /// The property: subscribedURLs, the repositories a Warehouse watches, or receiverPaths, the
    /// paths of webhook receivers.
    pub key: IndexSelectorKey,
    /// How it is compared: Equals or NotEquals.
    pub operator: IndexSelectorOperator,
    /// The value to compare with; may be an expression over the call.
    pub value: String,
}

string_enum! {
    /// Properties that can be selected by.
    listed IndexSelectorKey {
        /// The repositories a Warehouse watches.
        SubscribedUrls = "subscribedURLs",
        /// The paths of webhook receivers.
        ReceiverPaths = "receiverPaths",
    }
}

string_enum! {
    /// How an indexed property is compared.
    open IndexSelectorOperator {
        /// Some value of the property is the given one.
        Equals = "Equals",
        /// No value of the property is the given one.
        NotEquals = "NotEquals",
    }
}
