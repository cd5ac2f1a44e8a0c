//! Stages that only pass Freight on: what is available to one is verified in it.

use std::collections::BTreeSet;

use api_kinds::condition::{reasons::stage as reasons, types};
use api_kinds::stage::StageStatus;
use api_kinds::{Freight, Stage};

use super::effect::FreightChange;
use super::origin::freight_of_known_origins;
use super::plan::Plan;
use super::wake::Wake;
use super::world::World;
use super::{applications, arrival, conditions};
use crate::gate::{available, next_opening};

const SUMMARY: &str = "N/A";

/// The whole pass. A Stage that used to hold Freight keeps nothing of that.
pub(super) fn pass(world: &World<'_>, plan: &mut Plan) {
    reset(plan);
    arrival::leave(world, plan, &BTreeSet::new());
    applications::remove(world, plan);
    let freight = freight_of_known_origins(world, plan);
    let stage = world.stage;
    let passing_stages = world.passing_stages;
    for piece in available(stage, freight.iter().copied(), passing_stages, plan.now) {
        pass_on(world, plan, piece);
    }
    if let Some(time) = next_opening(stage, freight, passing_stages, plan.now) {
        plan.wake(Wake::At { time, reason: "Freight will have soaked" });
    }
    conditions::tell_problems(plan);
    plan.is_true(types::READY, reasons::READY, "");
    plan.forget(types::RECONCILING);
}

fn reset(plan: &mut Plan) {
    let old = std::mem::take(&mut plan.status);
    let is_kept = |kind: &str| [types::READY, types::RECONCILING, types::STALLED].contains(&kind);
    plan.status = StageStatus {
        conditions: old.conditions.into_iter().filter(|row| is_kept(&row.r#type)).collect(),
        freight_summary: SUMMARY.to_owned(),
        last_handled_refresh: old.last_handled_refresh,
        metadata: old.metadata,
        observed_generation: old.observed_generation.max(plan.generation),
        ..StageStatus::default()
    };
}

/// Whether Freight of this origin has to stay somewhere for a time before it gets here.
fn soaks_before(stage: &Stage, freight: &Freight) -> bool {
    let mut requests = stage.spec.requested_freight.iter();
    requests.any(|it| it.origin == freight.origin && it.sources.required_soak_time.is_some())
}

fn pass_on(world: &World<'_>, plan: &mut Plan, freight: &Freight) {
    if freight.status.verified_in.contains_key(world.stage_name()) {
        return;
    }
    let name = freight.metadata.name.as_deref().unwrap_or_default();
    plan.change_freight(name, FreightChange::Verify { at: plan.now });
    if soaks_before(world.stage, freight) {
        plan.insist_on_seen(name);
    }
    plan.passed.push(name.to_owned());
}
