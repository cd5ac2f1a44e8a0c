//! One pass of automatic promotion over a Stage.

use std::collections::{BTreeMap, BTreeSet};

use api_kinds::origin::FreightOrigin;
use api_kinds::stage::AutoPromotionHold;
use api_kinds::window::PromotionWindowStatus;
use api_kinds::{Freight, Promotion, Stage};
use core_clock::Time;

use super::candidate::candidate_of;
use crate::gate::{
    Answer, Arrival, AutoView, PassingStages, Permission, Question, Situation, judge, selectable,
};

/// What one pass looks at.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// The Stage.
    pub stage: &'a Stage,
    /// Whether it promotes by itself.
    pub is_enabled: bool,
    /// The Freight of its origins.
    pub freight: &'a [&'a Freight],
    /// Its Promotions.
    pub promotions: &'a [&'a Promotion],
    /// The holds in effect.
    pub holds: &'a BTreeMap<String, AutoPromotionHold>,
    /// What the promotion windows say.
    pub window: Option<&'a PromotionWindowStatus>,
    /// Stages that only pass Freight on.
    pub passing_stages: &'a PassingStages,
    /// The time.
    pub now: Time,
}

/// What the pass decided about one origin.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// The origin.
    pub origin: &'a FreightOrigin,
    /// The Freight that would be promoted, and what the gate says about it; `None` when there is
    /// none to pick.
    pub candidate: Option<(&'a Freight, Answer)>,
}

impl<'a> Decision<'a> {
    /// The Freight to promote now.
    pub fn promotes(&self) -> Option<&'a Freight> {
        let (freight, answer) = self.candidate.as_ref()?;
        answer.allows(Question::Auto).then_some(*freight)
    }
}

/// Decides about every origin that the Stage asks for, in that order.
pub fn plan<'a>(pass: &Pass<'a>) -> Vec<Decision<'a>> {
    let freight = pass.freight.iter().copied();
    let selectable = selectable(pass.stage, freight, pass.passing_stages, pass.now);
    let mut seen = BTreeSet::new();
    let origins = pass.stage.spec.requested_freight.iter().map(|request| &request.origin);
    let distinct = origins.filter(|origin| seen.insert(*origin));
    let decide = |origin: &'a FreightOrigin| {
        let candidate = candidate_of(pass.stage, origin, &selectable);
        let candidate = candidate.map(|freight| (freight, ask(pass, freight)));
        Decision { origin, candidate }
    };
    distinct.map(decide).collect()
}

fn ask(pass: &Pass<'_>, freight: &Freight) -> Answer {
    let arrival =
        Arrival { freight, stage: pass.stage, passing_stages: pass.passing_stages, now: pass.now };
    let view = AutoView {
        is_enabled: pass.is_enabled,
        candidate: freight.metadata.name.as_deref(),
        holds: pass.holds,
        promotions: pass.promotions,
    };
    let situation = Situation::by_hand(arrival, Permission::NotAsked);
    judge(&situation.with_window(pass.window).with_auto(view))
}
