//! Steps of a promotion process: how they are addressed and how bad their status is.

use api_kinds::promotion::PromotionStepStatus;
use api_kinds::step::PromotionStep;

/// Between the alias of a task and that of a step within it.
const TASK_SEPARATOR: &str = "::";

/// The alias of the step at `index` (from 0): its own, or one made from kind and position.
pub fn step_alias(step: &PromotionStep, index: usize) -> String {
    if !step.r#as.is_empty() {
        return step.r#as.clone();
    }
    let kind = if step.task.is_some() { "task" } else { "step" };
    format!("{kind}-{}", index + 1)
}

/// The alias of a step that came from a task: both aliases, the step's by its place in the task.
pub fn task_step_alias(task_alias: &str, step_alias: &str) -> String {
    format!("{task_alias}{TASK_SEPARATOR}{step_alias}")
}

/// Whether users may not choose this alias because it could be made from a position.
pub fn is_reserved_alias(alias: &str) -> bool {
    let number = alias.strip_prefix("step-").or_else(|| alias.strip_prefix("task-"));
    number.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// How bad a status is; of several the worst decides. An unknown status is the least.
pub fn status_severity(status: &PromotionStepStatus) -> u8 {
    match status {
        PromotionStepStatus::Errored => 5,
        PromotionStepStatus::Failed => 4,
        PromotionStepStatus::Aborted => 3,
        PromotionStepStatus::Running => 2,
        PromotionStepStatus::Skipped => 1,
        PromotionStepStatus::Succeeded
        | PromotionStepStatus::Unset
        | PromotionStepStatus::Other(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::step::{PromotionStep, PromotionTaskReference};

    use super::{is_reserved_alias, step_alias, task_step_alias};

    #[test]
    fn aliases_count_from_one_and_name_the_kind() {
        let step = PromotionStep { uses: "copy".into(), ..PromotionStep::default() };
        let task = PromotionStep {
            task: Some(PromotionTaskReference::default()),
            ..PromotionStep::default()
        };
        assert_eq!(step_alias(&step, 0), "step-1");
        assert_eq!(step_alias(&task, 1), "task-2");
        assert_eq!(step_alias(&PromotionStep { r#as: "x".into(), ..task }, 1), "x");
        assert_eq!(task_step_alias("task-2", "step-1"), "task-2::step-1");
    }

    #[test]
    fn aliases_made_from_positions_are_reserved() {
        for alias in ["step-1", "task-042"] {
            assert!(is_reserved_alias(alias), "{alias}");
        }
        for alias in ["step-", "step-1a", "Step-1", "my-step-1", "step-١"] {
            assert!(!is_reserved_alias(alias), "{alias}");
        }
    }
}
