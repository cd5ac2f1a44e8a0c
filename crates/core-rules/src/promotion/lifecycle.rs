//! What is to be done about a Promotion: nothing, wait, begin, go on, or end it.
//!
//! The Stage decides whose turn it is, by naming its current Promotion; a Promotion that is not named waits.
//! Steps run beside the passes that ask here, so the answer to a Promotion under way is mostly to leave it alone.

use std::time::Duration;

use api_kinds::{
    Freight, Promotion, Stage, Target, annotations,
    promotion::{PromotionPhase, PromotionStatus, PromotionStepStatus},
};
use core_clock::Time;

use super::order::is_current_step_running;
use crate::{
    actor::controller_actor,
    admission::metadata::{annotation, is_being_deleted, name, namespace},
    gate::{Arrival, Availability, PassingStages, availability},
    request::AbortRequest,
    wire_time::{from_wire, to_wire},
};

/// How long a new Promotion may wait for its turn before that is written down. Most get it at once, and need no
/// write for it.
const UNTOLD_WAIT: Duration = Duration::from_secs(3);

/// What is known of a Promotion and what it depends on.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The Promotion.
    pub promotion: &'a Promotion,
    /// Its Stage.
    pub stage: Option<&'a Stage>,
    /// Its Freight.
    pub freight: Option<&'a Freight>,
    /// Its Target, if it names one.
    pub target: Option<&'a Target>,
    /// Where soak counts from verification.
    pub passing_stages: &'a PassingStages,
    /// Whether its steps run in this process.
    pub is_running_here: bool,
    /// What the controller is called.
    pub component: &'a str,
    /// The time.
    pub now: Time,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing, until something changes.
    Leave,
    /// Nothing yet: look again after this long.
    LookAgain(Duration),
    /// Write down that it waits for its turn.
    Queue,
    /// Run its steps from the first.
    Start,
    /// Run its steps from where another process left it.
    Resume,
    /// It runs here, and somebody asks to look at it again; the token is the request.
    Wake(String),
    /// End it because somebody asks to.
    Abort(Abort),
    /// End it because it cannot be done, for this reason.
    Refuse(String),
    /// It ended or goes away: nothing of it is kept here.
    Forget,
}

/// An abort, and who asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abort {
    /// Who asked.
    pub actor: String,
    /// The explanation in the status.
    pub message: String,
}

/// Decides.
pub fn decide(observation: &Observation<'_>) -> Decision {
    let Observation { promotion, stage, component, is_running_here, .. } = *observation;
    let phase = &promotion.status.phase;
    if is_being_deleted(&promotion.metadata) || phase.is_terminal() {
        return Decision::Forget;
    }
    if let Some(abort) = abort_request(promotion, component) {
        return Decision::Abort(abort);
    }
    if is_running_here {
        return match unhandled_refresh(promotion) {
            Some(token) => Decision::Wake(token.to_owned()),
            None => Decision::Leave,
        };
    }
    let Some(stage) = stage else { return Decision::Leave };
    if !is_current(promotion, stage) {
        return wait(promotion, stage, observation.now);
    }
    if let Err(reason) = check_needs(observation, stage) {
        return Decision::Refuse(reason);
    }
    if *phase == PromotionPhase::Running { Decision::Resume } else { Decision::Start }
}

/// The status of a Promotion that is ended without any step being run further.
pub fn ended(
    status: &PromotionStatus,
    phase: PromotionPhase,
    message: String,
    now: Time,
) -> PromotionStatus {
    let mut ended = status.clone();
    if phase == PromotionPhase::Aborted
        && is_current_step_running(status)
        && let Some(record) = ended.step_execution_metadata.last_mut()
    {
        record.status = PromotionStepStatus::Aborted;
        record.finished_at = Some(to_wire(now));
    }
    ended.phase = phase;
    ended.message = message;
    ended.finished_at = Some(to_wire(now));
    ended
}

/// The refresh request that the status does not tell of yet.
pub fn unhandled_refresh(promotion: &Promotion) -> Option<&str> {
    let token = annotation(&promotion.metadata, annotations::REFRESH)?;
    (!token.is_empty() && token != promotion.status.last_handled_refresh).then_some(token)
}

/// Whether it is this Promotion's turn.
fn is_current(promotion: &Promotion, stage: &Stage) -> bool {
    let current = stage.status.current_promotion.as_ref();
    current.is_some_and(|current| current.name == name(&promotion.metadata))
}

fn wait(promotion: &Promotion, stage: &Stage, now: Time) -> Decision {
    if promotion.status.phase != PromotionPhase::default() {
        return Decision::Leave;
    }
    let created = promotion.metadata.creation_timestamp.as_ref().map(from_wire);
    let waited = created.map_or(UNTOLD_WAIT, |created| now.since(created));
    let is_behind_another = stage.status.current_promotion.is_some();
    if is_behind_another || waited >= UNTOLD_WAIT {
        return Decision::Queue;
    }
    Decision::LookAgain(UNTOLD_WAIT.saturating_sub(waited))
}

fn abort_request(promotion: &Promotion, component: &str) -> Option<Abort> {
    let request = AbortRequest::parse(annotation(&promotion.metadata, annotations::ABORT)?)?;
    if request.action != annotations::ABORT_ACTION_TERMINATE {
        return None;
    }
    let actor = if request.actor.is_empty() { controller_actor(component) } else { request.actor };
    Some(Abort { message: format!("Promotion terminated by {actor}"), actor })
}

fn check_needs(observation: &Observation<'_>, stage: &Stage) -> Result<(), String> {
    let Observation { promotion, freight, target, passing_stages, now, .. } = *observation;
    let (project, wanted) = (namespace(&promotion.metadata), &promotion.spec.freight);
    let Some(freight) = freight else {
        return Err(format!("Freight {wanted:?} not found in namespace {project:?}"));
    };
    if !promotion.spec.target.is_empty() && target.is_none() {
        return Err(format!(
            "Target {:?} not found in namespace {project:?}",
            promotion.spec.target
        ));
    }
    match availability(&Arrival { freight, stage, passing_stages, now }) {
        Availability::Available => Ok(()),
        Availability::Later(_) | Availability::Unavailable => Err(format!(
            "Freight {wanted:?} is not available to Stage {:?} in namespace {project:?}",
            promotion.spec.stage
        )),
    }
}
