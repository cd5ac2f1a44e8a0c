//! What a Promotion becomes before it is stored.

use std::collections::BTreeMap;

use api_kinds::origin::FreightOrigin;
use api_kinds::promotion_task::PromotionTaskSpec;
use api_kinds::{
    ClusterPromotionTask, Freight, ProjectConfig, Promotion, PromotionTask, Stage, annotations,
    labels,
};
use core_clock::Time;

use super::{FROZEN_ANNOTATIONS, controlling_request, hold, invalid, owned_by};
use crate::admission::{
    caller::Caller,
    field::FieldError,
    metadata::{
        is_being_deleted, namespace, restore_annotations, set_annotation, set_label, set_shard,
    },
    refusal::Refusal,
    request,
};
use crate::auto_promotion::candidate_of;
use crate::gate::{PassingStages, selectable};
use crate::promotion::{
    InflateError, InflateProblem, Task, child_promotion_name, inflate, promotion_name,
};
use crate::shorten;
use crate::ulid::Ulid;

/// What must be known to complete a Promotion.
#[derive(Clone, Copy, Debug)]
pub struct DefaultWorld<'a> {
    /// The Stage it names.
    pub stage: Option<&'a Stage>,
    /// The identifier for its name.
    pub id: Ulid,
    /// The Freight of the namespace, where [`looks_at_freight`](super::looks_at_freight) asks for it.
    pub freight: &'a [Freight],
    /// The settings of the Project.
    pub config: Option<&'a ProjectConfig>,
    /// The tasks that the Stage's steps refer to.
    pub tasks: &'a BTreeMap<Task, PromotionTaskSpec>,
    /// Stages before this one that only pass Freight on.
    pub passing_stages: &'a PassingStages,
    /// The time.
    pub now: Time,
}

impl<'a> DefaultWorld<'a> {
    /// The Freight that automatic promotion would pick.
    pub(super) fn candidate(&self, stage: &Stage, origin: &FreightOrigin) -> Option<&'a str> {
        let selectable = selectable(stage, self.freight, self.passing_stages, self.now);
        candidate_of(stage, origin, &selectable)?.metadata.name.as_deref()
    }
}

/// Completes a Promotion: steps, variables, name, labels and owner come from the Stage, who asked
/// from the request, whatever was sent.
pub fn default(
    promotion: &mut Promotion,
    old: Option<&Promotion>,
    caller: &Caller<'_>,
    world: &DefaultWorld<'_>,
) -> Result<(), Refusal> {
    let Some(stage) = world.stage else {
        // The Stage may be gone first; its Promotions must be able to follow.
        if is_being_deleted(&promotion.metadata) {
            return Ok(());
        }
        return Err(stage_not_found(promotion));
    };
    match old {
        None => default_new(promotion, stage, caller, world)?,
        Some(old) => restore(promotion, old, caller),
    }
    set_shard(&mut promotion.metadata, &stage.spec.shard);
    let name = promotion.spec.stage.clone();
    set_label(&mut promotion.metadata, labels::STAGE, &shorten::label_value(&name));
    set_annotation(&mut promotion.metadata, annotations::STAGE, Some(name));
    if controlling_request(&promotion.metadata).is_none() {
        promotion.metadata.owner_references = Some(vec![owned_by(stage)]);
    }
    Ok(())
}

pub(super) fn stage_not_found(promotion: &Promotion) -> Refusal {
    let (stage, namespace) = (&promotion.spec.stage, namespace(&promotion.metadata));
    let detail = format!("could not find Stage {stage:?} in namespace {namespace:?}");
    invalid(promotion, FieldError::invalid("spec.stage", stage.as_str(), &detail))
}

fn default_new(
    promotion: &mut Promotion,
    stage: &Stage,
    caller: &Caller<'_>,
    world: &DefaultWorld<'_>,
) -> Result<(), Refusal> {
    resolve_origin(promotion, stage, world)?;
    set_name(promotion, world.id);
    if !caller.is_control_plane() {
        let actor = Some(caller.actor());
        set_annotation(&mut promotion.metadata, annotations::CREATE_ACTOR, actor);
        set_annotation(&mut promotion.metadata, annotations::ROLLBACK, None);
    }
    if !answers_for_others(caller) {
        set_annotation(&mut promotion.metadata, annotations::RESPONSES, None);
    }
    request::sign_abort(&mut promotion.metadata, None, caller);
    set_steps(promotion, stage, world.tasks)?;
    hold::infer(promotion, stage, caller, world);
    Ok(())
}

/// Freight may be asked for by origin; then it is what automatic promotion would pick.
fn resolve_origin(
    promotion: &mut Promotion,
    stage: &Stage,
    world: &DefaultWorld<'_>,
) -> Result<(), Refusal> {
    let Some(origin) = promotion.spec.origin.clone() else { return Ok(()) };
    if !promotion.spec.freight.is_empty() {
        return Ok(());
    }
    let Some(candidate) = world.candidate(stage, &origin) else {
        let origin = origin.to_string();
        let detail = format!(
            "no auto-promotion candidate found for origin {origin:?} on Stage {:?}",
            promotion.spec.stage
        );
        return Err(invalid(promotion, FieldError::invalid("spec.origin", origin, &detail)));
    };
    candidate.clone_into(&mut promotion.spec.freight);
    promotion.spec.origin = None;
    Ok(())
}

/// The name orders the Promotions of a Stage, so nobody chooses it. Without Freight the schema has
/// the say.
fn set_name(promotion: &mut Promotion, id: Ulid) {
    let spec = &promotion.spec;
    let name = if spec.target.is_empty() {
        promotion_name(&spec.stage, &spec.freight, id)
    } else {
        child_promotion_name(&spec.stage, &spec.target, &spec.freight, id)
    };
    if name.is_some() {
        promotion.metadata.name = name;
    }
}

fn set_steps(
    promotion: &mut Promotion,
    stage: &Stage,
    tasks: &BTreeMap<Task, PromotionTaskSpec>,
) -> Result<(), Refusal> {
    let template = stage.spec.promotion_template.as_ref().map(|template| &template.spec);
    let Some(template) = template.filter(|template| !template.steps.is_empty()) else {
        let (stage, namespace) = (&promotion.spec.stage, namespace(&promotion.metadata));
        let detail =
            format!("Stage {stage:?} in namespace {namespace:?} defines no promotion steps");
        let error = FieldError::invalid("spec.stage", stage.as_str(), &detail);
        return Err(invalid(promotion, error));
    };
    promotion.spec.vars = [stage.spec.vars.as_slice(), &template.vars].concat();
    let steps = inflate(&template.steps, &promotion.spec.vars, tasks);
    promotion.spec.steps = steps.map_err(|error| cannot_inflate(&error))?;
    Ok(())
}

fn cannot_inflate(error: &InflateError) -> Refusal {
    const CONTEXT: &str = "failed to inflate Promotion steps";
    match &error.problem {
        InflateProblem::Missing(Task::Project(name)) => {
            Refusal::not_found::<PromotionTask>(name).within(&format!("{CONTEXT}: {error}"))
        }
        InflateProblem::Missing(Task::Cluster(name)) => {
            Refusal::not_found::<ClusterPromotionTask>(name).within(&format!("{CONTEXT}: {error}"))
        }
        problem => Refusal::internal(format!("{CONTEXT}: {error}: {problem}")),
    }
}

/// Whether the caller may write down what others answered. Steps take that for the word of those who are named, so
/// only those may who checked who answers, which the API server does, or who may do anything anyway.
fn answers_for_others(caller: &Caller<'_>) -> bool {
    caller.is_control_plane() || caller.is_cluster_administrator()
}

/// Who created the Promotion and what that means for automatic promotion was said once.
fn restore(promotion: &mut Promotion, old: &Promotion, caller: &Caller<'_>) {
    restore_annotations(&mut promotion.metadata, &old.metadata, &FROZEN_ANNOTATIONS);
    if !caller.is_control_plane() {
        let rollback = [annotations::ROLLBACK];
        restore_annotations(&mut promotion.metadata, &old.metadata, &rollback);
    }
    if !answers_for_others(caller) {
        let responses = [annotations::RESPONSES];
        restore_annotations(&mut promotion.metadata, &old.metadata, &responses);
    }
    request::sign_abort(&mut promotion.metadata, Some(&old.metadata), caller);
}
