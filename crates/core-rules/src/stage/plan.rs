//! The plan for a Stage: what its status becomes, what else is to be done, and when to look again.
//!
//! A pass is a fold of phases over the plan. Each phase decides one matter and sees what the phases
//! before it decided; none of them can fail. What is out of order for one origin is told in a
//! condition and leaves the others alone.

use api_kinds::origin::FreightOrigin;
use api_kinds::stage::StageStatus;
use api_kinds::verification::VerificationInfo;
use api_kinds::{Promotion, Stage, annotations};
use core_clock::Time;

use super::effect::{Effect, FreightChange, FreightUpdate};
use super::problem::Problem;
use super::wake::Wake;
use super::world::World;
use super::{
    applications, arrival, auto, conditions, control_flow, health, holds, is_control_flow, mark,
    queue, request, verification,
};

/// What is to be done about a Stage.
///
/// What came of the effects is told to the plan before its status is written, so that one write
/// holds everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The status to write.
    pub status: StageStatus,
    /// What else to do.
    pub effects: Vec<Effect>,
    /// When to look again.
    pub next: Wake,
    /// Why the pass must be repeated soon, if it must.
    pub error: Option<String>,
    pub(super) problems: Vec<Problem>,
    pub(super) entrance: Entrance,
    pub(super) ended: Option<EndedVerification>,
    pub(super) created: Vec<(FreightOrigin, Promotion)>,
    /// Names of the Freight that a control-flow Stage passes on.
    pub(super) passed: Vec<String>,
    pub(super) generation: i64,
    pub(super) now: Time,
}

/// Whether a Promotion that appears now could begin at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Entrance {
    /// It could.
    Free,
    /// Others are there, or it is somebody else's matter.
    #[default]
    Taken,
    /// When the Freight says what it has to.
    Unmarked,
    /// When the gate opens.
    Closed { opens_at: Option<Time> },
}

/// A verification that ended in this pass.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EndedVerification {
    pub(super) attempt: VerificationInfo,
    /// The Promotion that led to it, as its AnalysisRun says.
    pub(super) promotion: Option<String>,
}

type Phase = fn(&World<'_>, &mut Plan);

/// In this order: what ended is noted first; health and verification come before the queue, so that
/// what arrived is verified before it is replaced; what happens by itself comes last.
const PHASES: [Phase; 11] = [
    queue::acknowledge,
    request::acknowledge,
    arrival::phase,
    health::phase,
    verification::phase,
    mark::phase,
    queue::select,
    request::select,
    holds::phase,
    auto::phase,
    applications::phase,
];

/// Decides what is to be done about a Stage now.
pub fn plan(world: &World<'_>, now: Time) -> Plan {
    let mut plan = Plan::begin(world, now);
    if is_control_flow(world.stage) {
        control_flow::pass(world, &mut plan);
        return plan;
    }
    for phase in PHASES {
        phase(world, &mut plan);
    }
    conditions::summarise(world, &mut plan);
    plan
}

impl Plan {
    fn begin(world: &World<'_>, now: Time) -> Self {
        let mut status = world.stage.status.clone();
        if let Some(token) = world.annotation(annotations::REFRESH) {
            token.clone_into(&mut status.last_handled_refresh);
        }
        status.promotion_window_status = world.window.cloned();
        Self {
            status,
            effects: Vec::new(),
            next: Wake::Rest,
            error: None,
            problems: Vec::new(),
            entrance: Entrance::default(),
            ended: None,
            created: Vec::new(),
            passed: Vec::new(),
            generation: world.stage.metadata.generation.unwrap_or_default(),
            now,
        }
    }

    /// Shows the Stage as it will be to a rule that looks at whole Stages. The status is lent, not
    /// copied: it holds a copy of the last Promotion and may be large.
    pub(super) fn as_stage<T>(&mut self, world: &World<'_>, look: impl FnOnce(&Stage) -> T) -> T {
        let Stage { metadata, spec, .. } = world.stage;
        let status = std::mem::take(&mut self.status);
        let stage = Stage { metadata: metadata.clone(), spec: spec.clone(), status };
        let seen = look(&stage);
        self.status = stage.status;
        seen
    }

    /// Whether something is on its way into the Stage.
    pub(super) fn is_promoting(&self) -> bool {
        self.status.current_promotion.is_some() || self.status.current_promotion_request.is_some()
    }

    pub(super) fn wake(&mut self, wake: Wake) {
        self.next = self.next.or_sooner(wake);
    }

    pub(super) fn change_freight(&mut self, freight: &str, change: FreightChange) {
        for effect in &mut self.effects {
            match effect {
                Effect::UpdateFreight(update) if update.freight == freight => {
                    update.changes.push(change);
                    return;
                }
                _ => {}
            }
        }
        let (freight, changes) = (freight.to_owned(), vec![change]);
        let update = FreightUpdate { freight, changes, as_seen: false };
        self.effects.push(Effect::UpdateFreight(update));
    }

    /// Lets the changes of a piece of Freight hold only while that is as it was seen.
    pub(super) fn insist_on_seen(&mut self, freight: &str) {
        for effect in &mut self.effects {
            if let Effect::UpdateFreight(update) = effect {
                update.as_seen |= update.freight == freight;
            }
        }
    }

    /// Whether Freight has yet to say that it is in this Stage, or that it is verified.
    pub(super) fn has_marks_to_make(&self) -> bool {
        let is_mark = |change: &FreightChange| {
            matches!(change, FreightChange::Enter { .. } | FreightChange::Verify { .. })
        };
        self.effects.iter().any(|effect| match effect {
            Effect::UpdateFreight(update) => update.changes.iter().any(is_mark),
            _ => false,
        })
    }
}
