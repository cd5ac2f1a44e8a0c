//! Which Promotions are let in.

use api_kinds::{Freight, Promotion, PromotionRequest, Stage, annotations};
use core_clock::Time;

use super::{authorize, controlling_request, default::stage_not_found, invalid};
use crate::admission::{
    caller::{Caller, Permission},
    field::FieldError,
    metadata::{is_being_deleted, name, namespace},
    namespace::ProjectNamespace,
    outcome::Admitted,
    refusal::Refusal,
    request,
};
use crate::event;
use crate::gate::{Arrival, Check, CheckName, PassingStages, Question, Situation, judge};
use crate::stage::is_target_aware;

/// What must be known to let a new Promotion in.
#[derive(Clone, Copy, Debug)]
pub struct CreateWorld<'a> {
    /// Its namespace.
    pub home: ProjectNamespace,
    /// Whether the user may promote to the Stage.
    pub permission: Permission,
    /// The Stage it names.
    pub stage: Option<&'a Stage>,
    /// The Freight it names.
    pub freight: Option<&'a Freight>,
    /// The PromotionRequest that it says controls it, if that exists.
    pub request: Option<&'a PromotionRequest>,
    /// Stages before this one that only pass Freight on.
    pub passing_stages: &'a PassingStages,
    /// Where Argo CD keeps Applications that name no namespace.
    pub argocd_namespace: &'a str,
    /// The time.
    pub now: Time,
}

/// What must be known to let a change of a Promotion in.
#[derive(Clone, Copy, Debug)]
pub struct UpdateWorld<'a> {
    /// Whether the user may promote to the Stage.
    pub permission: Permission,
    /// The PromotionRequest that it says controls it, if that exists.
    pub request: Option<&'a PromotionRequest>,
}

/// The user may promote, and the gate is open.
pub fn validate_create(
    promotion: &Promotion,
    caller: &Caller<'_>,
    world: &CreateWorld<'_>,
) -> Result<Admitted, Refusal> {
    let spec = &promotion.spec;
    if let Some(error) = world.home.check(namespace(&promotion.metadata))? {
        return Err(invalid(promotion, error));
    }
    let metadata = &promotion.metadata;
    authorize::<Promotion>(metadata, &spec.stage, "create", caller, world.permission)?;
    if spec.freight.is_empty() == spec.origin.is_none() {
        let detail = "exactly one of spec.freight or spec.origin must be set";
        let error = FieldError::invalid("spec", spec.freight.as_str(), detail);
        return Err(invalid(promotion, error));
    }
    let Some(stage) = world.stage else { return Err(stage_not_found(promotion)) };
    let mut errors: Vec<FieldError> = check_target(promotion, world.request);
    if is_target_aware(stage) && controlling_request(metadata).is_none() {
        let detail = format!(
            "Stage {:?} selects Targets; it is promoted to with a PromotionRequest rather than a \
             Promotion",
            spec.stage
        );
        errors.push(FieldError::invalid("spec.stage", spec.stage.as_str(), &detail));
    }
    Refusal::unless_valid::<Promotion>(name(metadata), errors)?;
    check_gate(promotion, stage, world)?;
    let mut admitted =
        Admitted::with_warnings(request::warn(metadata, None, &[annotations::ABORT]));
    if !caller.is_control_plane() {
        admitted.events.push(event::promotion_created(
            promotion,
            world.freight,
            &caller.actor(),
            &event::Teller {
                component: "promotion-webhook",
                argocd_namespace: world.argocd_namespace,
                now: world.now,
            },
        ));
    }
    Ok(admitted)
}

/// Nothing of the order changes, and even the rest only for those who may promote.
pub fn validate_update(
    promotion: &Promotion,
    old: &Promotion,
    caller: &Caller<'_>,
    world: &UpdateWorld<'_>,
) -> Result<Admitted, Refusal> {
    let metadata = &promotion.metadata;
    let stage = &old.spec.stage;
    authorize::<Promotion>(metadata, stage, "update", caller, world.permission)?;
    if promotion.spec != old.spec {
        let value = serde_json::to_value(&promotion.spec).unwrap_or_default();
        let error = FieldError::invalid("spec", value, "spec is immutable");
        return Err(invalid(promotion, error));
    }
    let is_same_child = controlling_request(metadata) == controlling_request(&old.metadata);
    if !is_being_deleted(metadata) && !is_same_child {
        let errors = check_target(promotion, world.request);
        Refusal::unless_valid::<Promotion>(name(metadata), errors)?;
    }
    let old = Some(&old.metadata);
    Ok(Admitted::with_warnings(request::warn(metadata, old, &[annotations::ABORT])))
}

/// Only for those who may promote.
pub fn validate_delete(
    promotion: &Promotion,
    caller: &Caller<'_>,
    permission: Permission,
) -> Result<(), Refusal> {
    let stage = &promotion.spec.stage;
    authorize::<Promotion>(&promotion.metadata, stage, "delete", caller, permission)
}

/// A Target is named by a PromotionRequest that really is behind the Promotion. Upstream believes
/// the owner reference alone.
fn check_target(promotion: &Promotion, request: Option<&PromotionRequest>) -> Vec<FieldError> {
    let spec = &promotion.spec;
    let Some(owner) = controlling_request(&promotion.metadata) else {
        let detail = "a Promotion may name a Target only when created by a PromotionRequest";
        let error = || FieldError::invalid("spec.target", spec.target.as_str(), detail);
        return (!spec.target.is_empty()).then(error).into_iter().collect();
    };
    let is_behind = |request: &PromotionRequest| {
        request.metadata.uid.as_deref() == Some(&owner.uid)
            && request.spec.stage == spec.stage
            && request.spec.freight == spec.freight
            && request.spec.targets.iter().any(|target| target.name == spec.target)
    };
    if request.is_some_and(is_behind) {
        return Vec::new();
    }
    let detail = format!(
        "PromotionRequest {:?} does not ask for this Promotion: it must exist and name the same \
         Stage, Freight and Target",
        owner.name
    );
    vec![FieldError::invalid("metadata.ownerReferences", owner.name.as_str(), &detail)]
}

/// A closed window is "not now", everything else "not this".
fn check_gate(
    promotion: &Promotion,
    stage: &Stage,
    world: &CreateWorld<'_>,
) -> Result<(), Refusal> {
    const UNAVAILABLE: &str = "Freight is not available to this Stage";
    let freight_name = promotion.spec.freight.as_str();
    let refuse = |detail: &str| {
        invalid(promotion, FieldError::invalid("spec.freight", freight_name, detail))
    };
    let Some(freight) = world.freight else { return Err(refuse(UNAVAILABLE)) };
    let passing_stages = world.passing_stages;
    let arrival = Arrival { freight, stage, passing_stages, now: world.now };
    let answer = judge(&Situation::by_hand(arrival, crate::gate::Permission::NotAsked));
    let refusals: Vec<&Check> = answer.refusals(Question::Enter).collect();
    if refusals.is_empty() {
        return Ok(());
    }
    if let Some(window) = refusals.iter().find(|check| check.name == CheckName::Window) {
        return Err(Refusal::forbidden::<Promotion>(name(&promotion.metadata), &window.sentence));
    }
    let reasons: Vec<&str> = refusals.iter().map(|check| check.sentence.as_str()).collect();
    Err(refuse(&format!("{UNAVAILABLE}: {}", reasons.join(" "))))
}
