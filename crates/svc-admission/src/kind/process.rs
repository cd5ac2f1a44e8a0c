//! What promotion processes will run into: the findings of `kargo lint`, told when they are written.

use std::collections::BTreeMap;

use api_kinds::{Stage, Warehouse, promotion_task::PromotionTaskSpec};
use core_rules::promotion::Task;
use work_steps::lint::{Finding, Known, Process, Scope, lint, lint_stage};

/// What is known around a Stage.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// The Warehouses that its Freight comes from; `None` when one could not be found.
    pub(crate) warehouses: Option<Vec<Warehouse>>,
    /// The tasks that it refers to; `None` when one could not be found.
    pub(crate) tasks: Option<BTreeMap<Task, PromotionTaskSpec>>,
}

/// What a Stage will run into.
pub(crate) fn warn_stage(stage: &Stage, around: &Surroundings) -> Vec<String> {
    let Some(template) = &stage.spec.promotion_template else { return Vec::new() };
    let warehouses = around.warehouses.as_ref();
    let subscriptions = warehouses.map(|warehouses| {
        warehouses.iter().flat_map(|warehouse| &warehouse.spec.subscriptions).collect::<Vec<_>>()
    });
    let known = Known { tasks: around.tasks.as_ref(), subscriptions: subscriptions.as_deref() };
    let mut findings = lint_stage(&stage.spec, known);
    findings.extend(lint(&Process {
        path: "spec.promotionTemplate.spec",
        steps: &template.spec.steps,
        vars: &template.spec.vars,
        outer_vars: &stage.spec.vars,
        scope: Scope::Stage,
        known,
    }));
    tell(&findings)
}

/// What a task will run into in any Stage.
pub(crate) fn warn_task(task: &PromotionTaskSpec) -> Vec<String> {
    let (path, outer_vars) = ("spec", &[][..]);
    let PromotionTaskSpec { steps, vars } = task;
    let (scope, known) = (Scope::Task, Known::default());
    tell(&lint(&Process { path, steps, vars, outer_vars, scope, known }))
}

fn tell(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}
