//! What is checked, and what is known around it.

use std::collections::BTreeMap;

use api_kinds::{
    promotion_task::PromotionTaskSpec,
    step::{ExpressionVariable, PromotionStep, PromotionTaskReference},
    warehouse::RepoSubscription,
};
use core_rules::promotion::Task;

/// A promotion process as somebody wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Process<'a> {
    /// Path of what holds `steps` and `vars`.
    pub path: &'a str,
    pub steps: &'a [PromotionStep],
    /// Variables for all steps, in order; of a task, those it declares.
    pub vars: &'a [ExpressionVariable],
    /// Variables from elsewhere, by name.
    pub outer_vars: &'a [ExpressionVariable],
    pub scope: Scope,
    pub known: Known<'a>,
}

/// Where a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a Stage: all that its steps see is here.
    Stage,
    /// In any Stage that refers to the task: more variables and outputs may come from there.
    Task,
}

/// What is known of other objects. What is not known is not checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// All tasks that there are.
    pub tasks: Option<&'a BTreeMap<Task, PromotionTaskSpec>>,
    /// What the Warehouses subscribe to that the Stage's Freight comes from.
    pub subscriptions: Option<&'a [&'a RepoSubscription]>,
}

impl<'a> Known<'a> {
    /// The task that is referred to, if it is known.
    pub(super) fn task(&self, reference: &PromotionTaskReference) -> Option<&'a PromotionTaskSpec> {
        self.tasks?.get(&Task::referred_to(reference).ok()?)
    }
}
