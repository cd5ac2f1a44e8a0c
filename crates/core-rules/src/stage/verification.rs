//! Verification of what the Stage holds: when it begins, how it goes, what the Stage says of it.

use std::time::Duration;

use api_kinds::annotations;
use api_kinds::collection::FreightCollection;
use api_kinds::condition::{reasons::stage as reasons, types};
use api_kinds::health::HealthState;
use api_kinds::verification::{AnalysisRunReference, VerificationInfo, VerificationPhase};
use core_clock::Time;

use super::bringer::Bringer;
use super::current_collection;
use super::effect::{Effect, VerificationStart};
use super::history::{is_under_way, put_verifications};
use super::identity::{VerificationCause, VerificationIdentity};
use super::plan::{EndedVerification, Plan};
use super::wake::Wake;
use super::world::{Analysis, RunLookup, RunView, World};
use crate::request::VerificationRequest;
use crate::wire_time::{from_wire, to_wire};

/// How long to wait for an AnalysisRun to be seen.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// Begins, follows or aborts the verification of what the Stage holds.
pub(super) fn phase(world: &World<'_>, plan: &mut Plan) {
    let Some(collection) = current_collection(&plan.status) else {
        plan.is_unknown(types::VERIFIED, reasons::NO_FREIGHT, "");
        return;
    };
    if plan.is_promoting() {
        return;
    }
    match collection.verification_history.first().cloned() {
        Some(newest) if is_under_way(&newest) => follow(world, plan, newest),
        None => begin(world, plan, None),
        Some(newest) => {
            if let Some(request) = request_for(world, annotations::REVERIFY, &newest.id) {
                begin(world, plan, Some((newest, request)));
            }
        }
    }
    describe(plan);
}

/// A request that names another verification has been dealt with, or never will be.
fn request_for(world: &World<'_>, annotation: &str, id: &str) -> Option<VerificationRequest> {
    let request = VerificationRequest::parse(world.annotation(annotation)?)?;
    Some(request).filter(|request| request.is_for(id))
}

type Repetition = (VerificationInfo, VerificationRequest);

fn begin(world: &World<'_>, plan: &mut Plan, repetition: Option<Repetition>) {
    let health = plan.status.health.as_ref().map(|health| &health.status);
    if health != Some(&HealthState::Healthy) {
        return;
    }
    let Some(start) = start(world, plan, repetition.as_ref()) else { return };
    if world.stage.spec.verification.is_none() {
        end(plan, attempt(&start), VerificationPhase::Successful, "");
        return;
    }
    let Analysis::On(runs) = world.analysis else {
        end(plan, attempt(&start), VerificationPhase::Error, &disabled("start verification"));
        return;
    };
    match runs.find(&start.run_name) {
        RunLookup::Found(run) => started(world, plan, &start, &run),
        RunLookup::NotSeen | RunLookup::Gone => {
            plan.effects.push(Effect::StartVerification(Box::new(start)));
        }
    }
}

fn disabled(what: &str) -> String {
    format!("Rollouts integration is disabled on this controller: cannot {what}")
}

fn start(
    world: &World<'_>,
    plan: &Plan,
    repetition: Option<&Repetition>,
) -> Option<VerificationStart> {
    let collection = current_collection(&plan.status)?.clone();
    let bringer = Bringer::find(world, plan);
    let created = world.stage.metadata.creation_timestamp.as_ref();
    let (trigger, at) = match (repetition, &bringer) {
        (Some((repeated, _)), _) => (repeated.id.as_str(), repeated.finish_time.as_ref()),
        (None, Some(bringer)) => (bringer.name.as_str(), bringer.finished_at.as_ref()),
        (None, None) => ("", created),
    };
    let identity = VerificationIdentity::of(&VerificationCause {
        stage: world.stage_name(),
        stage_uid: world.stage.metadata.uid.as_deref().unwrap_or_default(),
        collection: &collection.id,
        trigger,
        at: at.or(created).map_or_else(Time::default, from_wire),
    });
    // A repetition that was asked for behind the control plane's back says nothing of the Promotion.
    let is_for_promotion =
        repetition.is_none_or(|(_, request)| request.control_plane && !request.actor.is_empty());
    Some(VerificationStart {
        id: identity.id,
        run_name: identity.run_name,
        start_time: plan.now,
        actor: repetition.map(|(_, request)| request.actor.clone()).unwrap_or_default(),
        collection: FreightCollection { verification_history: Vec::new(), ..collection },
        promotion: bringer.filter(|_| is_for_promotion).map(|bringer| bringer.name),
    })
}

fn attempt(start: &VerificationStart) -> VerificationInfo {
    VerificationInfo {
        actor: start.actor.clone(),
        id: start.id.clone(),
        start_time: Some(to_wire(start.start_time)),
        ..VerificationInfo::default()
    }
}

/// An AnalysisRun exists that carries the verification out.
pub(super) fn started(
    world: &World<'_>,
    plan: &mut Plan,
    start: &VerificationStart,
    run: &RunView,
) {
    let analysis_run = Some(AnalysisRunReference {
        name: start.run_name.clone(),
        namespace: world.namespace().to_owned(),
        phase: String::new(),
    });
    observe(plan, VerificationInfo { analysis_run, ..attempt(start) }, run);
}

/// The verification cannot be carried out.
pub(super) fn impossible(plan: &mut Plan, start: &VerificationStart, message: &str) {
    end(plan, attempt(start), VerificationPhase::Error, message);
}

fn follow(world: &World<'_>, plan: &mut Plan, newest: VerificationInfo) {
    if let Some(request) = request_for(world, annotations::ABORT, &newest.id) {
        abort(world, plan, newest, request);
        return;
    }
    let Analysis::On(runs) = world.analysis else {
        let newest = VerificationInfo { analysis_run: None, ..newest };
        end(plan, newest, VerificationPhase::Error, &disabled("get verification result"));
        return;
    };
    let Some(name) = newest.analysis_run.as_ref().map(|run| run.name.clone()) else {
        let message = "no AnalysisRun is known to carry the verification out; verify again";
        end(plan, newest, VerificationPhase::Error, message);
        return;
    };
    match runs.find(&name) {
        RunLookup::Found(run) => observe(plan, newest, &run),
        RunLookup::NotSeen => {
            let time = plan.now + LOOK_AGAIN_AFTER;
            plan.wake(Wake::At { time, reason: "the AnalysisRun is not to be seen" });
        }
        RunLookup::Gone => {
            let namespace = world.namespace();
            let message = format!(
                "AnalysisRun {name:?} in namespace {namespace:?} was deleted before it ended; verify again"
            );
            end(plan, newest, VerificationPhase::Error, &message);
        }
    }
}

/// Takes over what an AnalysisRun says. One that nobody has begun to carry out is pending.
fn observe(plan: &mut Plan, attempt: VerificationInfo, run: &RunView) {
    let phase = match VerificationPhase::from(run.phase.as_str()) {
        VerificationPhase::Unset => VerificationPhase::Pending,
        phase => phase,
    };
    let mut attempt = VerificationInfo { phase, message: run.message.clone(), ..attempt };
    if let Some(reference) = &mut attempt.analysis_run {
        reference.phase.clone_from(&run.phase);
    }
    if !is_under_way(&attempt) {
        attempt.finish_time = Some(to_wire(run.completed_at.unwrap_or(plan.now)));
        let promotion = run.promotion.clone();
        plan.ended = Some(EndedVerification { attempt: attempt.clone(), promotion });
    }
    put(plan, attempt);
}

fn abort(
    world: &World<'_>,
    plan: &mut Plan,
    newest: VerificationInfo,
    request: VerificationRequest,
) {
    let newest = VerificationInfo { actor: request.actor, ..newest };
    if matches!(world.analysis, Analysis::Off) {
        end(plan, newest, VerificationPhase::Error, &disabled("abort verification"));
        return;
    }
    if let Some(run) = &newest.analysis_run {
        plan.effects.push(Effect::TerminateRun { name: run.name.clone() });
    }
    end(plan, newest, VerificationPhase::Aborted, "Verification aborted by user");
}

/// The AnalysisRun of a verification that was to be aborted could not be told to end.
pub(super) fn termination_failed(plan: &mut Plan, cause: &str) {
    let Some(EndedVerification { attempt, .. }) = plan.ended.take() else { return };
    let run = attempt.analysis_run.as_ref().map_or("", |run| run.name.as_str());
    let message = format!("error terminating AnalysisRun {run:?}: {cause}");
    end(plan, attempt, VerificationPhase::Error, &message);
    describe(plan);
}

fn end(plan: &mut Plan, attempt: VerificationInfo, phase: VerificationPhase, message: &str) {
    let finish_time = Some(to_wire(plan.now));
    let attempt = VerificationInfo { phase, finish_time, message: message.to_owned(), ..attempt };
    plan.ended = Some(EndedVerification { attempt: attempt.clone(), promotion: None });
    put(plan, attempt);
}

fn put(plan: &mut Plan, attempt: VerificationInfo) {
    if let Some(collection) = plan.status.freight_history.first_mut() {
        put_verifications(&mut collection.verification_history, [attempt]);
    }
}

/// The newest result counts. While a verification is repeated, that is the one before.
pub(super) fn describe(plan: &mut Plan) {
    let history = current_collection(&plan.status).map(|held| held.verification_history.as_slice());
    let Some([newest, earlier @ ..]) = history else { return };
    let is_success = |attempt: &VerificationInfo| attempt.phase == VerificationPhase::Successful;
    let is_verified =
        is_success(newest) || is_under_way(newest) && earlier.first().is_some_and(is_success);
    if is_verified {
        plan.is_true(types::VERIFIED, reasons::VERIFIED, "Freight has been verified");
        return;
    }
    let (phase, message) = (newest.phase.clone(), newest.message.clone());
    let unknown = match phase {
        VerificationPhase::Failed => {
            return plan.is_false(types::VERIFIED, reasons::VERIFICATION_FAILED, &message);
        }
        VerificationPhase::Error => {
            return plan.is_false(types::VERIFIED, reasons::VERIFICATION_ERROR, &message);
        }
        VerificationPhase::Aborted => {
            return plan.is_false(types::VERIFIED, reasons::VERIFICATION_ABORTED, &message);
        }
        VerificationPhase::Inconclusive => {
            return plan.is_unknown(types::VERIFIED, reasons::VERIFICATION_INCONCLUSIVE, &message);
        }
        VerificationPhase::Pending => reasons::VERIFICATION_PENDING,
        VerificationPhase::Running => reasons::VERIFICATION_RUNNING,
        _ => reasons::UNKNOWN_VERIFICATION_PHASE,
    };
    plan.is_unknown(types::VERIFIED, unknown, "");
}
