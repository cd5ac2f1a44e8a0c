//! PromotionTasks and ClusterPromotionTasks: steps to share.

use api_kinds::{ClusterPromotionTask, PromotionTask};

use super::{
    metadata::{name, namespace},
    namespace::ProjectNamespace,
    refusal::Refusal,
    step::check_aliases,
};

const STEPS: &str = "spec.steps";

/// Aliases, and on creation the namespace.
pub fn validate(task: &PromotionTask, home: Option<ProjectNamespace>) -> Result<(), Refusal> {
    let checked = home.map(|home| home.check(namespace(&task.metadata))).transpose()?;
    let mut errors: Vec<_> = checked.flatten().into_iter().collect();
    errors.extend(check_aliases(&task.spec.steps, STEPS));
    Refusal::unless_valid::<PromotionTask>(name(&task.metadata), errors)
}

/// Aliases.
pub fn validate_cluster(task: &ClusterPromotionTask) -> Result<(), Refusal> {
    let errors = check_aliases(&task.spec.steps, STEPS);
    Refusal::unless_valid::<ClusterPromotionTask>(name(&task.metadata), errors)
}

#[cfg(test)]
mod tests {
    use api_kinds::{ClusterPromotionTask, PromotionTask};
    use serde_json::json;

    use super::{ProjectNamespace, validate, validate_cluster};
    use crate::admission::fixture::{message, object};

    #[test]
    fn aliases_are_checked_in_both_kinds() {
        let body = json!({"spec": {"steps": [{"uses": "copy", "as": "step-1"}]}});
        let refused = r#"spec.steps[0].as: Invalid value: "step-1": step alias is reserved"#;
        let task: PromotionTask = object("t", body.clone());
        assert_eq!(message(validate(&task, None)), refused);
        let task: ClusterPromotionTask = object("t", body);
        assert_eq!(message(validate_cluster(&task)), refused);
    }

    #[test]
    fn a_task_is_created_in_a_project() {
        let task: PromotionTask = object("t", json!({"spec": {"steps": [{"uses": "copy"}]}}));
        assert!(validate(&task, Some(ProjectNamespace::Marked)).is_ok());
        assert_eq!(
            message(validate(&task, Some(ProjectNamespace::Unmarked))),
            r#"metadata.namespace: Invalid value: "demo": namespace "demo" is not a project"#
        );
        let missing = validate(&task, Some(ProjectNamespace::Missing)).unwrap_err();
        assert_eq!(
            (missing.code(), missing.message.as_str()),
            (404, r#"Namespace "demo" not found"#)
        );
    }
}
