//! What only a person can put right. It concerns one origin, or what happens by itself; the rest of
//! the Stage goes on.

use api_kinds::origin::FreightOrigin;

use super::target::GovernedTargetsError;
use crate::selector::SelectorError;

/// What a person has to put right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error(
        "Freight {freight:?} from {origin}, which the Stage holds, was not found in namespace \
         {namespace:?}; promote other Freight from there"
    )]
    FreightNotFound { freight: String, origin: String, namespace: String },
    #[error(
        "Warehouse {warehouse:?} was not found in namespace {namespace:?}; create it, or take it \
         out of spec.requestedFreight"
    )]
    WarehouseNotFound { warehouse: String, namespace: String },
    #[error(
        "whether the Stage promotes by itself cannot be told: {0}; correct the promotion policies \
         of the Project"
    )]
    PolicyInvalid(SelectorError),
    #[error("the Targets of the Stage cannot be told: {0}")]
    TargetsInvalid(GovernedTargetsError),
    #[error("automatic promotion of Freight {freight:?} from {origin} was denied: {text}")]
    PromotionDenied { origin: FreightOrigin, freight: String, text: String },
}

impl Problem {
    /// One word for it, for the condition.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::FreightNotFound { .. } => "FreightNotFound",
            Self::WarehouseNotFound { .. } => "WarehouseNotFound",
            Self::PolicyInvalid(_) => "PromotionPolicyInvalid",
            Self::TargetsInvalid(_) => "TargetSelectorInvalid",
            Self::PromotionDenied { .. } => "AutoPromotionDenied",
        }
    }
}
