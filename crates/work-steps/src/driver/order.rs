//! What is to be run.

use api_kinds::step::{ExpressionVariable, PromotionStep};
use core_engine::{Limits, Step};
use core_rules::step::step_alias;
use serde_json::Value;

use super::runner::Runner;
use crate::context::Subject;

/// A Promotion as the driver gets it: tasks are replaced by their steps.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// What tells this Promotion from any other; names its work directory.
    pub uid: String,
    /// What steps know of it.
    pub subject: Subject,
    /// Its steps.
    pub steps: Vec<PromotionStep>,
    /// Variables for all steps.
    pub vars: Vec<ExpressionVariable>,
    /// The Target it promotes to, if it has one.
    pub target: Option<Target>,
}

/// What expressions see of a Target.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Parameters, an object.
    pub params: Value,
    /// Labels, an object.
    pub labels: Value,
}

impl Order {
    /// The steps as the engine sees them.
    pub(super) fn engine_steps(&self, runner: &dyn Runner) -> Vec<Step> {
        let steps = self.steps.iter().enumerate();
        let steps = steps.map(|(position, step)| {
            let traits = runner.traits(&step.uses);
            Step {
                alias: step_alias(step, position),
                kind: step.uses.clone(),
                has_condition: !step.r#if.is_empty(),
                continue_on_error: step.continue_on_error,
                feeds_task: traits.is_some_and(|traits| traits.feeds_task),
                limits: traits.map(|traits| {
                    let limits = Limits {
                        timeout: traits.defaults.timeout,
                        error_threshold: traits.defaults.error_threshold.max(1),
                    };
                    limits.overridden(step.retry.as_ref())
                }),
            }
        });
        steps.collect()
    }
}
