//! Why an action is refused.

use api_kinds::origin::{FreightOrigin, ParseOriginError};

use crate::fault::{Class, Fault};
use crate::stage::GovernedTargetsError;

/// An action that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the texts name")]
pub enum ActionError {
    #[error("exactly one of freight, freightAlias, or origin must be provided")]
    OneOfThree,
    #[error("exactly one of freight or freightAlias must be provided")]
    OneOfTwo,
    #[error("stage query parameter is required")]
    StageMissing,
    #[error("Stage {stage:?} not found in project {project:?}")]
    StageNotFound { stage: String, project: String },
    #[error("Freight {freight:?} not found in project {project:?}")]
    FreightNotFound { freight: String, project: String },
    #[error("Freight with alias {alias:?} not found in project {project:?}")]
    AliasNotFound { alias: String, project: String },
    #[error("promotion by origin is not supported for Stage {stage:?}, which selects Targets")]
    OriginWithTargets { stage: String },
    #[error("invalid origin {origin:?}")]
    Origin { origin: String, source: ParseOriginError },
    #[error("Freight {freight:?} is not available to Stage {stage:?}")]
    NotAvailable { freight: String, stage: String },
    #[error("Freight {freight:?} is not available to downstream Stage {stage:?}")]
    NotAvailableDownstream { freight: String, stage: String },
    #[error("Stage {stage:?} has no downstream stages")]
    NoDownstreams { stage: String },
    #[error("Stage {stage:?} does not request Freight from origin \"{origin}\"")]
    OriginNotRequested { stage: String, origin: FreightOrigin },
    #[error("the Targets of the Stage cannot be told")]
    Targets(#[from] GovernedTargetsError),
    #[error("stage has no current freight")]
    NoFreight,
    #[error("stage has no current verification info")]
    NoVerification,
    #[error("current stage verification info has no ID")]
    NoVerificationId,
}

impl Fault for ActionError {
    fn class(&self) -> Class {
        match self {
            Self::StageNotFound { .. }
            | Self::FreightNotFound { .. }
            | Self::AliasNotFound { .. }
            | Self::NoDownstreams { .. } => Class::NotFound,
            Self::NoFreight | Self::NoVerification | Self::NoVerificationId | Self::Targets(_) => {
                Class::Conflict
            }
            _ => Class::BadRequest,
        }
    }
}
