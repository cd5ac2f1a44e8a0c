//! What a plan wants done besides the Stage's own status.

use api_kinds::collection::FreightCollection;
use api_kinds::freight::FreightStatus;
use api_kinds::origin::FreightOrigin;
use core_clock::Time;

use crate::freight::{add_stay, add_verification, end_stay};

/// Something to do. Each may be repeated without harm.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Make the annotation that names the Applications of the Stage say this, or remove it.
    SetArgoContext(Option<String>),
    /// Change what a piece of Freight says about this Stage, and nothing else of it.
    UpdateFreight(FreightUpdate),
    /// Create an AnalysisRun, or take over the one that exists under the name.
    StartVerification(Box<VerificationStart>),
    /// Let an AnalysisRun end.
    TerminateRun {
        /// Name of the AnalysisRun.
        name: String,
    },
    /// Create a Promotion.
    CreatePromotion(Creation),
    /// Create a PromotionRequest.
    CreatePromotionRequest(Creation),
}

/// What changes about one piece of Freight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreightUpdate {
    /// Name of the Freight.
    pub freight: String,
    /// The changes, in order.
    pub changes: Vec<FreightChange>,
    /// Whether they hold only for the Freight exactly as it was seen: time alone made them due, and news may be late.
    pub as_seen: bool,
}

/// A change of what Freight says about one Stage. A change that has been made already changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreightChange {
    /// It entered the Stage.
    Enter {
        /// When.
        at: Time,
    },
    /// It left the Stage.
    Leave {
        /// When.
        at: Time,
    },
    /// It passed verification.
    Verify {
        /// When.
        at: Time,
    },
    /// It no longer counts as verified.
    Unverify,
    /// The Stage is no more: nothing remains of it.
    Forget,
}

impl FreightUpdate {
    /// Makes the changes to a status.
    pub fn apply(&self, status: &mut FreightStatus, stage: &str) {
        for change in &self.changes {
            change.apply(status, stage);
        }
    }
}

impl FreightChange {
    /// Makes the change to a status.
    pub fn apply(self, status: &mut FreightStatus, stage: &str) {
        match self {
            Self::Enter { at } => add_stay(status, stage, at),
            Self::Leave { at } => end_stay(status, stage, at),
            Self::Verify { at } => add_verification(status, stage, at),
            Self::Unverify => {
                status.verified_in.remove(stage);
            }
            Self::Forget => {
                status.currently_in.remove(stage);
                status.verified_in.remove(stage);
                status.approved_for.remove(stage);
            }
        }
    }
}

/// A verification to begin. Everything about it follows from what caused it, so that a process which
/// takes over finds the same AnalysisRun.
#[derive(Clone, Debug, PartialEq)]
pub struct VerificationStart {
    /// Identifies the verification.
    pub id: String,
    /// Name for the AnalysisRun.
    pub run_name: String,
    /// When it is said to have begun.
    pub start_time: Time,
    /// Who asked for it, if it was not the system.
    pub actor: String,
    /// What is verified.
    pub collection: FreightCollection,
    /// The Promotion that the AnalysisRun is for, if it is for one.
    pub promotion: Option<String>,
}

/// Freight to promote without anybody asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creation {
    /// The origin.
    pub origin: FreightOrigin,
    /// Name of the Freight.
    pub freight: String,
    /// Names of the Targets, for a PromotionRequest.
    pub targets: Vec<String>,
}
