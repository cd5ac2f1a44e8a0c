//! Putting the steps of tasks in the place of references to them.

use std::collections::{BTreeMap, BTreeSet};

use api_kinds::promotion_task::PromotionTaskSpec;
use api_kinds::step::{
    ExpressionVariable, PromotionStep, PromotionTaskKind, PromotionTaskReference,
};

use crate::step::{step_alias, task_step_alias};

/// The task that a step refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// One of the same Project.
    Project(String),
    /// One for all Projects.
    Cluster(String),
}

/// Why steps cannot be put in the place of a reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("inflate task steps for task {task:?} ({alias:?})")]
pub struct InflateError {
    /// The name of the task.
    pub task: String,
    /// The alias of the step that refers to it.
    pub alias: String,
    /// What is wrong.
    #[source]
    pub problem: InflateProblem,
}

/// What is wrong with a reference to a task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InflateProblem {
    /// The kind is not that of a task.
    #[error("unknown task reference kind {0:?}")]
    UnknownKind(String),
    /// There is no such task.
    #[error("there is no such task")]
    Missing(Task),
    /// An input without default is not given.
    #[error("missing value for variable {0:?}")]
    MissingValue(String),
}

impl Task {
    /// The task that a reference means; an unknown kind means none.
    pub fn referred_to(reference: &PromotionTaskReference) -> Result<Self, InflateProblem> {
        let name = reference.name.clone();
        match &reference.kind {
            PromotionTaskKind::PromotionTask | PromotionTaskKind::Unset => Ok(Self::Project(name)),
            PromotionTaskKind::ClusterPromotionTask => Ok(Self::Cluster(name)),
            PromotionTaskKind::Other(kind) => Err(InflateProblem::UnknownKind(kind.clone())),
        }
    }
}

/// The tasks that steps refer to, to be looked up before [`inflate`].
pub fn referenced_tasks(steps: &[PromotionStep]) -> BTreeSet<Task> {
    let references = steps.iter().filter_map(|step| step.task.as_ref());
    references.filter_map(|reference| Task::referred_to(reference).ok()).collect()
}

/// The steps of a Promotion: every step with an alias, every reference replaced by its task's
/// steps. `vars` are the Promotion's own.
pub fn inflate(
    steps: &[PromotionStep],
    vars: &[ExpressionVariable],
    tasks: &BTreeMap<Task, PromotionTaskSpec>,
) -> Result<Vec<PromotionStep>, InflateError> {
    let mut inflated = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let alias = step_alias(step, index);
        match &step.task {
            None => inflated.push(PromotionStep { r#as: alias, ..step.clone() }),
            Some(reference) => {
                let steps = task_steps(step, reference, &alias, vars, tasks);
                inflated.extend(steps.map_err(|problem| InflateError {
                    task: reference.name.clone(),
                    alias,
                    problem,
                })?);
            }
        }
    }
    Ok(inflated)
}

fn task_steps(
    step: &PromotionStep,
    reference: &PromotionTaskReference,
    alias: &str,
    promotion_vars: &[ExpressionVariable],
    tasks: &BTreeMap<Task, PromotionTaskSpec>,
) -> Result<Vec<PromotionStep>, InflateProblem> {
    let task = Task::referred_to(reference)?;
    let spec = tasks.get(&task).ok_or(InflateProblem::Missing(task))?;
    let inputs = inputs(&spec.vars, &step.vars, promotion_vars)?;
    let inner = spec.steps.iter().enumerate();
    Ok(inner
        .map(|(index, inner)| PromotionStep {
            r#as: task_step_alias(alias, &step_alias(inner, index)),
            vars: [inputs.as_slice(), &inner.vars].concat(),
            ..inner.clone()
        })
        .collect())
}

/// Defaults of the task, then what the reference sets; later ones win, so both are kept. The
/// Promotion's own variables take the place of defaults.
fn inputs(
    task_vars: &[ExpressionVariable],
    step_vars: &[ExpressionVariable],
    promotion_vars: &[ExpressionVariable],
) -> Result<Vec<ExpressionVariable>, InflateProblem> {
    let is_given = |vars: &[ExpressionVariable], name: &str| {
        vars.iter().any(|var| var.name == name && !var.value.is_empty())
    };
    let mut inputs = Vec::new();
    for var in task_vars {
        if is_given(promotion_vars, &var.name) {
            continue;
        }
        if !var.value.is_empty() {
            inputs.push(var.clone());
        } else if !is_given(step_vars, &var.name) {
            return Err(InflateProblem::MissingValue(var.name.clone()));
        }
    }
    inputs.extend_from_slice(step_vars);
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use api_kinds::promotion_task::PromotionTaskSpec;
    use api_kinds::step::PromotionStep;
    use serde_json::{Value, json};

    use super::{InflateProblem, Task, inflate};

    fn run(steps: Value, vars: Value, task: Value) -> Result<Vec<PromotionStep>, InflateProblem> {
        let spec: PromotionTaskSpec = serde_json::from_value(task).unwrap();
        let tasks = BTreeMap::from([(Task::Project("t".into()), spec)]);
        let steps: Vec<PromotionStep> = serde_json::from_value(steps).unwrap();
        inflate(&steps, &serde_json::from_value::<Vec<_>>(vars).unwrap(), &tasks)
            .map_err(|error| error.problem)
    }

    #[test]
    fn direct_steps_count_by_their_place_in_the_template() {
        let steps = json!([{"uses": "a"}, {"task": {"name": "t"}}, {"uses": "b"}]);
        let task = json!({"steps": [{"uses": "x"}, {"uses": "y"}]});
        let aliases: Vec<_> =
            run(steps, json!([]), task).unwrap().into_iter().map(|step| step.r#as).collect();
        assert_eq!(aliases, ["step-1", "task-2::step-1", "task-2::step-2", "step-3"]);
    }

    #[test]
    fn variables_keep_their_order_and_duplicates() {
        let steps = json!([{"task": {"name": "t"}, "vars": [{"name": "d", "value": "given"}]}]);
        let task = json!({"vars": [{"name": "d", "value": "default"}],
            "steps": [{"uses": "x", "vars": [{"name": "own", "value": "1"}]}]});
        let inflated = run(steps.clone(), json!([]), task.clone()).unwrap();
        let values: Vec<_> = inflated[0].vars.iter().map(|var| var.value.as_str()).collect();
        assert_eq!(values, ["default", "given", "1"]);
        let promotion = json!([{"name": "d", "value": "promotion"}]);
        assert_eq!(run(steps, promotion, task).unwrap()[0].vars.len(), 2);
    }

    #[test]
    fn what_a_task_needs_must_be_there() {
        let task = json!({"vars": [{"name": "r"}], "steps": [{"uses": "x"}]});
        let steps = |vars: Value| json!([{"task": {"name": "t"}, "vars": vars}]);
        let missing = Err(InflateProblem::MissingValue("r".into()));
        assert_eq!(run(steps(json!([])), json!([]), task.clone()), missing);
        assert_eq!(run(steps(json!([{"name": "r"}])), json!([]), task.clone()), missing);
        assert!(run(steps(json!([{"name": "r", "value": "x"}])), json!([]), task.clone()).is_ok());
        assert!(run(steps(json!([])), json!([{"name": "r", "value": "x"}]), task.clone()).is_ok());
        let other = json!([{"task": {"name": "other"}}]);
        let absent = InflateProblem::Missing(Task::Project("other".into()));
        assert_eq!(run(other, json!([]), task.clone()), Err(absent));
        let odd = json!([{"task": {"name": "t", "kind": "Odd"}}]);
        assert_eq!(run(odd, json!([]), task), Err(InflateProblem::UnknownKind("Odd".into())));
    }
}
