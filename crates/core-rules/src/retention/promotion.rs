//! What of Promotions and PromotionRequests decides.

use std::collections::BTreeSet;

use api_kinds::{Promotion, PromotionRequest};
use core_clock::Time;

use super::selection::{Identity, created_at};
use super::stage::{StageNeeds, freight_names};
use crate::wire_time;

/// A Promotion or PromotionRequest.
#[derive(Clone, Debug)]
pub(super) struct Movement {
    pub(super) identity: Identity,
    pub(super) stage: String,
    pub(super) since: Option<Time>,
    pub(super) is_finished: bool,
    pub(super) is_going: bool,
    finished_at: Option<Time>,
    /// The Freight it moves.
    pub(super) freight: BTreeSet<String>,
    /// The Promotions it is carried out by.
    pub(super) children: BTreeSet<String>,
}

impl Movement {
    /// Whether its Stage has yet to act on it: it is not finished, or it is and the Stage does not
    /// know. In between, its Freight stands in no status but its own.
    pub(super) fn is_pending(&self, stage: Option<&StageNeeds>) -> bool {
        let is_noticed = |stage: &StageNeeds| match (self.finished_at, stage.noticed_until) {
            (Some(finished), Some(noticed)) => finished <= noticed,
            (Some(_), None) => false,
            (None, _) => true,
        };
        !self.is_finished || !stage.is_none_or(is_noticed)
    }
}

impl From<&Promotion> for Movement {
    fn from(promotion: &Promotion) -> Self {
        let status = &promotion.status;
        let named = [&promotion.spec.freight].into_iter();
        let resolved = status.freight.iter().map(|piece| &piece.name);
        let carried = status.freight_collection.iter().flat_map(freight_names);
        Self {
            identity: (&promotion.metadata).into(),
            stage: promotion.spec.stage.clone(),
            since: created_at(&promotion.metadata),
            is_finished: status.phase.is_terminal(),
            is_going: promotion.metadata.deletion_timestamp.is_some(),
            finished_at: status.finished_at.as_ref().map(wire_time::from_wire),
            freight: named.chain(resolved).cloned().chain(carried).collect(),
            children: BTreeSet::new(),
        }
    }
}

impl From<&PromotionRequest> for Movement {
    fn from(request: &PromotionRequest) -> Self {
        let targets = request.status.targets.iter();
        Self {
            identity: (&request.metadata).into(),
            stage: request.spec.stage.clone(),
            since: created_at(&request.metadata),
            is_finished: request.status.phase.is_terminal(),
            is_going: request.metadata.deletion_timestamp.is_some(),
            // A Stage keeps no time for requests; its reference to the last one protects that.
            finished_at: None,
            freight: [request.spec.freight.clone()].into(),
            children: targets.map(|target| target.promotion.clone()).collect(),
        }
    }
}
