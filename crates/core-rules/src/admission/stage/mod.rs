//! Stages: what they may ask for.

mod reference;

use std::collections::BTreeMap;

use api_kinds::stage::{AutoPromotionSelectionPolicy, FreightSources};
use api_kinds::step::PromotionStep;
use api_kinds::{ProjectConfig, Stage, annotations};

use super::{
    Operation,
    caller::Caller,
    field::FieldError,
    metadata::{annotation, is_being_deleted, name, namespace, set_shard},
    namespace::ProjectNamespace,
    outcome::Admitted,
    refusal::Refusal,
    request,
    selector::warn_labels,
    step::check_aliases,
};
use crate::auto_promotion::policy_for;

pub use reference::{References, upstream_names};

const REQUESTS: &str = "spec.requestedFreight";
const STEPS: &str = "spec.promotionTemplate.spec.steps";
const REQUEST_ANNOTATIONS: [&str; 2] = [annotations::REVERIFY, annotations::ABORT];

/// Makes the shard label follow the field, and signs requests about verifications.
pub fn default(stage: &mut Stage, old: Option<&Stage>, caller: &Caller<'_>) {
    set_shard(&mut stage.metadata, &stage.spec.shard);
    for key in REQUEST_ANNOTATIONS {
        let old = old.map(|old| &old.metadata);
        request::sign_verification(&mut stage.metadata, old, key, caller);
    }
}

/// What must be known to let a Stage in.
#[derive(Clone, Copy, Debug, Default)]
pub struct World<'a> {
    /// Its namespace, on creation.
    pub home: Option<ProjectNamespace>,
    /// What it refers to, when that was looked up: for new or changed references.
    pub references: Option<&'a References>,
    /// The settings of its Project.
    pub config: Option<&'a ProjectConfig>,
}

/// Whether an update can be let through unseen: the rules are about the spec, and an object on its
/// way out must be able to lose its finalizers.
pub fn needs_validation(stage: &Stage, old: Option<&Stage>) -> bool {
    !is_being_deleted(&stage.metadata) && old.is_none_or(|old| old.spec != stage.spec)
}

/// What is wrong with a Stage.
pub fn validate(
    operation: Operation,
    stage: &Stage,
    old: Option<&Stage>,
    world: &World<'_>,
) -> Result<Admitted, Refusal> {
    let mut warnings = warn_metadata(stage, old, world.config);
    if operation == Operation::Update && !needs_validation(stage, old) {
        return Ok(Admitted::with_warnings(warnings));
    }
    let home = world.home.map(|home| home.check(namespace(&stage.metadata))).transpose()?;
    let mut errors: Vec<FieldError> = home.flatten().into_iter().collect();
    errors.extend(check_origins(stage));
    errors.extend(check_selection(stage));
    let steps = steps(stage);
    errors.extend(check_aliases(steps, STEPS));
    errors.extend(check_task_steps(steps));
    Refusal::unless_valid::<Stage>(name(&stage.metadata), errors)?;
    warnings.extend(warn_spec(stage));
    if let Some(references) = world.references {
        warnings.extend(references.warn(stage));
    }
    Ok(Admitted::with_warnings(warnings))
}

fn steps(stage: &Stage) -> &[PromotionStep] {
    stage.spec.promotion_template.as_ref().map_or(&[], |template| &template.spec.steps)
}

fn check_origins(stage: &Stage) -> Vec<FieldError> {
    let mut counts = BTreeMap::new();
    for request in &stage.spec.requested_freight {
        *counts.entry(&request.origin).or_insert(0) += 1;
    }
    let repeated = counts.into_iter().filter(|(_, count)| *count > 1);
    repeated
        .map(|(origin, _)| {
            let detail =
                format!("freight with origin {origin} requested multiple times in {REQUESTS}");
            FieldError::invalid(REQUESTS, origin.to_string(), &detail)
        })
        .collect()
}

fn check_selection(stage: &Stage) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, request) in stage.spec.requested_freight.iter().enumerate() {
        let sources = &request.sources;
        if !is_matching_upstream(sources) {
            continue;
        }
        let field = format!("{REQUESTS}[{index}].sources.autoPromotionOptions.selectionPolicy");
        let mut refuse = |detail| {
            let policy = AutoPromotionSelectionPolicy::MatchUpstream;
            errors.push(FieldError::invalid(&field, policy.as_str(), detail));
        };
        if sources.direct {
            refuse(
                "selection policy 'MatchUpstream' cannot be used when accepting Freight directly \
                 from its origin",
            );
        }
        if sources.stages.len() != 1 {
            refuse(
                "selection policy 'MatchUpstream' requires exactly one upstream Stage to be \
                 specified",
            );
        }
    }
    errors
}

fn is_matching_upstream(sources: &FreightSources) -> bool {
    let options = sources.auto_promotion_options.as_ref();
    options.is_some_and(|options| {
        options.selection_policy == AutoPromotionSelectionPolicy::MatchUpstream
    })
}

fn check_task_steps(steps: &[PromotionStep]) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| step.task.is_some()) {
        if !step.r#if.is_empty() {
            errors.push(FieldError::forbidden(
                format!("{STEPS}[{index}].if"),
                "PromotionTemplate step referencing a task cannot have an 'if' condition",
            ));
        }
        if step.config.is_some() {
            errors.push(FieldError::forbidden(
                format!("{STEPS}[{index}].config"),
                "PromotionTemplate step referencing a task cannot have a config",
            ));
        }
    }
    errors
}

fn warn_spec(stage: &Stage) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, request) in stage.spec.requested_freight.iter().enumerate() {
        if !request.sources.direct && request.sources.stages.is_empty() {
            warnings.push(format!(
                "{REQUESTS}[{index}].sources: neither direct nor stages is set; only approved \
                 Freight can get here"
            ));
        }
    }
    let selectors = stage.spec.targets.iter().flat_map(|targets| &targets.selectors).enumerate();
    warnings.extend(selectors.filter_map(|(index, selector)| {
        warn_labels(selector, &format!("spec.targets.selectors[{index}]"))
    }));
    warnings
}

fn warn_metadata(
    stage: &Stage,
    old: Option<&Stage>,
    config: Option<&ProjectConfig>,
) -> Vec<String> {
    let old_metadata = old.map(|old| &old.metadata);
    let mut warnings = request::warn(&stage.metadata, old_metadata, &REQUEST_ANNOTATIONS);
    for key in [annotations::PROMOTION_POD_LABELS, annotations::PROMOTION_POD_ANNOTATIONS] {
        let value = annotation(&stage.metadata, key).filter(|value| !value.is_empty());
        let is_map = |value| serde_json::from_str::<BTreeMap<String, String>>(value).is_ok();
        if value.is_some_and(|value| !is_map(value)) {
            warnings.push(format!("annotation {key}: must be a JSON object of texts"));
        }
    }
    warnings.extend(warn_policy_match(stage, old, config));
    warnings
}

/// Whoever may name and label Stages can make a policy for others their own.
fn warn_policy_match(
    stage: &Stage,
    old: Option<&Stage>,
    config: Option<&ProjectConfig>,
) -> Option<String> {
    let policies = &config?.spec.promotion_policies;
    let promotes_by_pattern = |stage: &Stage| {
        let policy = policy_for(policies, stage).ok().flatten()?;
        let selector = policy.stage_selector.as_ref()?;
        (policy.auto_promotion_enabled && selector.name != name(&stage.metadata)).then_some(())
    };
    promotes_by_pattern(stage)?;
    if old.and_then(promotes_by_pattern).is_some() {
        return None;
    }
    Some(
        "a promotion policy of the Project selects this Stage by pattern or labels: it will \
         promote by itself"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests;
