//! Promotion to all Stages behind a Stage.
//!
//! Whether everything may be promoted everywhere is decided before anything is created. Stages that
//! only pass Freight on are left out: there is nothing to promote to.

use std::collections::BTreeMap;

use api_kinds::{Freight, Stage, Target};
use api_rest::body::DownstreamPromotions;
use core_clock::Time;

use super::error::ActionError;
use super::promote::{Created, created};
use crate::admission::metadata::name;
use crate::gate::{Arrival, Availability, PassingStages, availability};
use crate::stage::{is_control_flow, requests_from};
use crate::ulid::Ulid;

/// Adds what went wrong for one Stage to the answer.
pub fn add_downstream_error(answer: &mut DownstreamPromotions, error: &str) {
    if !answer.errors.is_empty() {
        answer.errors.push('\n');
    }
    answer.errors.push_str(error);
}

/// The HTTP status of the answer: created, or more than one status.
pub fn downstream_code(answer: &DownstreamPromotions) -> u16 {
    if answer.errors.is_empty() { 201 } else { 207 }
}

/// The Stages behind this one as far as the Freight is concerned, each once, by name.
pub fn downstreams<'a>(
    stage: &str,
    freight: &Freight,
    stages: impl IntoIterator<Item = &'a Stage>,
) -> Result<Vec<&'a Stage>, ActionError> {
    let is_behind = |other: &&Stage| {
        let mut requests = requests_from(other, &freight.origin);
        requests.any(|request| request.sources.stages.iter().any(|upstream| upstream == stage))
    };
    let found: BTreeMap<&str, &Stage> =
        stages.into_iter().filter(is_behind).map(|stage| (name(&stage.metadata), stage)).collect();
    if found.is_empty() {
        return Err(ActionError::NoDownstreams { stage: stage.to_owned() });
    }
    Ok(found.into_values().collect())
}

/// What to create, by Stage; an error of a Stage is told and does not keep the others.
pub type DownstreamPlan<'a> = Vec<(&'a Stage, Result<Created, ActionError>)>;

/// Promotes the Freight to Stages behind another. It must be available to each of them.
pub fn promote_downstream<'a>(
    freight: &Freight,
    downstreams: &[&'a Stage],
    targets: &[Target],
    passing_stages: &PassingStages,
    (actor, now): (&str, Time),
    mut next_id: impl FnMut() -> Ulid,
) -> Result<DownstreamPlan<'a>, ActionError> {
    for &stage in downstreams {
        let arrival = Arrival { freight, stage, passing_stages, now };
        if availability(&arrival) != Availability::Available {
            return Err(ActionError::NotAvailableDownstream {
                freight: name(&freight.metadata).to_owned(),
                stage: name(&stage.metadata).to_owned(),
            });
        }
    }
    let promoted = downstreams.iter().copied().filter(|stage| !is_control_flow(stage));
    Ok(promoted.map(|stage| (stage, created(freight, stage, targets, next_id(), actor))).collect())
}
