//! `freight-available`, `freight-available-list`: which Freight may enter a Stage.

use std::collections::BTreeSet;

use api_kinds::{Freight, Stage};
use core_clock::Time;
use core_rules::gate::{
    Arrival, Availability, PassingStages, availability, require_warehouses, selectable,
};

use super::{object, objects};
use crate::{Answer, Case, Exception};

/// Upstream's list form looks at soak in any Stage that verified the Freight, its single form only
/// at the Stages that the request names. Ours has one rule: the latter.
pub(super) const SOAK_ELSEWHERE: Exception = Exception {
    name: "soak-elsewhere",
    reason: "only soak in the Stages that a request names counts, in lists as in the check itself",
    applies: has_soak_elsewhere,
};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let (Some(stage), Some(freight), Some(now)) =
        (object::<Stage>(case, "stage"), object::<Freight>(case, "freight"), now(case))
    else {
        return Answer::refused();
    };
    let passing_stages = PassingStages::new();
    let arrival =
        Arrival { freight: &freight, stage: &stage, passing_stages: &passing_stages, now };
    Answer::value(availability(&arrival) == Availability::Available)
}

pub(super) fn run_list(case: &Case<'_>) -> Answer {
    let (Some(stage), Some(freight), Some(now)) =
        (object::<Stage>(case, "stage"), objects::<Freight>(case, "freight"), now(case))
    else {
        return Answer::refused();
    };
    let warehouses = case.texts("warehouses").into_iter().map(str::to_owned).collect();
    if require_warehouses(&stage, &warehouses).is_err() {
        return Answer::refused();
    }
    let listed = selectable(&stage, &freight, &PassingStages::new(), now);
    let names = listed.into_iter().filter_map(|freight| freight.metadata.name.clone());
    Answer::value(names.collect::<Vec<String>>())
}

fn now(case: &Case<'_>) -> Option<Time> {
    case.text("now").parse().ok()
}

fn has_soak_elsewhere(case: &Case<'_>) -> bool {
    let stage: Stage = object(case, "stage").unwrap_or_default();
    let freight: Vec<Freight> = objects(case, "freight").unwrap_or_default();
    stage.spec.requested_freight.iter().any(|request| {
        let sources = &request.sources;
        let named: BTreeSet<&String> = sources.stages.iter().collect();
        let is_verified_elsewhere = |freight: &Freight| {
            freight.status.verified_in.keys().any(|stage| !named.contains(stage))
        };
        sources.required_soak_time.is_some()
            && !sources.direct
            && !named.is_empty()
            && freight
                .iter()
                .filter(|freight| freight.origin == request.origin)
                .any(is_verified_elsewhere)
    })
}
