//! ProjectConfig: one per Project, named like it.

use std::collections::BTreeMap;

use api_kinds::{ProjectConfig, labels, project_config::PromotionPolicy};

use super::{
    Operation,
    field::FieldError,
    metadata::{name, namespace},
    namespace::ProjectNamespace,
    outcome::Admitted,
    receiver,
    refusal::Refusal,
    selector::{parse_name, warn_policy},
    window,
};

const POLICIES: &str = "spec.promotionPolicies";

/// What is wrong with a configuration. `home` is its namespace, where that was looked at: on
/// creation, unless it is a dry run.
pub fn validate(
    operation: Operation,
    config: &ProjectConfig,
    home: Option<ProjectNamespace>,
) -> Result<Admitted, Refusal> {
    let (name, namespace) = (name(&config.metadata), namespace(&config.metadata));
    let mut errors = Vec::new();
    if operation == Operation::Create && name != namespace {
        let detail = format!("name {name:?} must match project name {namespace:?}");
        errors.push(FieldError::invalid("metadata.name", name, &detail));
    }
    errors.extend(check_policies(&config.spec.promotion_policies));
    errors.extend(receiver::check(&config.spec.webhook_receivers));
    Refusal::unless_valid::<ProjectConfig>(name, errors)?;
    match home {
        Some(ProjectNamespace::Missing) => {
            let why = format!("failed to get namespace {namespace:?}: it does not exist");
            return Err(Refusal::internal(why));
        }
        Some(ProjectNamespace::Unmarked) => {
            let why = format!(
                "namespace {namespace:?} does not belong to Kargo project (missing {:?} label)",
                labels::PROJECT
            );
            return Err(Refusal::forbidden::<ProjectConfig>(name, &why));
        }
        Some(ProjectNamespace::Marked) | None => {}
    }
    Ok(Admitted::with_warnings(warn(config)))
}

/// Patterns must be readable and exact names unique, in whichever of the two fields they stand.
fn check_policies(policies: &[PromotionPolicy]) -> Vec<FieldError> {
    let mut first_uses = BTreeMap::new();
    let mut errors = Vec::new();
    for (index, policy) in policies.iter().enumerate() {
        let stage = policy.stage_selector.as_ref().map_or(&policy.stage, |s| &s.name).as_str();
        if stage.is_empty() {
            continue;
        }
        if stage.contains(':') {
            if let Err(problem) = parse_name(stage) {
                let field = format!("{POLICIES}[{index}].stageSelector.name");
                errors.push(FieldError::invalid(field, stage, &problem));
            }
        } else if let Some(first) = first_uses.get(stage) {
            let detail = format!("stage name already defined at {POLICIES}[{first}]");
            errors.push(FieldError::invalid(format!("{POLICIES}[{index}]"), stage, &detail));
        } else {
            first_uses.insert(stage, index);
        }
    }
    errors
}

fn warn(config: &ProjectConfig) -> Vec<String> {
    let spec = &config.spec;
    let mut warnings = Vec::new();
    for (index, policy) in spec.promotion_policies.iter().enumerate() {
        if let Some(selector) = &policy.stage_selector {
            warnings.extend(warn_policy(selector, &format!("{POLICIES}[{index}].stageSelector")));
        }
    }
    warnings.extend(receiver::warn(&spec.webhook_receivers));
    warnings.extend(window::warn(&spec.promotion_windows, window::Place::Project));
    warnings
}

#[cfg(test)]
mod tests {
    use api_kinds::ProjectConfig;
    use serde_json::{Value, json};

    use super::{Operation, ProjectNamespace, validate};
    use crate::admission::fixture::{message, object};

    fn config(name: &str, spec: Value) -> ProjectConfig {
        object(name, json!({"spec": spec}))
    }

    fn policies(policies: Value) -> Result<super::Admitted, super::Refusal> {
        validate(Operation::Update, &config("demo", json!({"promotionPolicies": policies})), None)
    }

    #[test]
    fn it_is_named_like_its_project() {
        assert!(validate(Operation::Create, &config("demo", json!({})), None).is_ok());
        assert_eq!(
            message(validate(Operation::Create, &config("other", json!({})), None)),
            r#"metadata.name: Invalid value: "other": name "other" must match project name "demo""#
        );
        assert!(validate(Operation::Update, &config("other", json!({})), None).is_ok());
    }

    #[test]
    fn it_lives_in_the_namespace_of_a_project() {
        let verdict = |home| validate(Operation::Create, &config("demo", json!({})), Some(home));
        assert!(verdict(ProjectNamespace::Marked).is_ok());
        assert_eq!(verdict(ProjectNamespace::Missing).unwrap_err().code(), 500);
        let unmarked = verdict(ProjectNamespace::Unmarked).unwrap_err();
        assert_eq!(unmarked.code(), 403);
        assert!(unmarked.message.ends_with(
            r#"namespace "demo" does not belong to Kargo project (missing "kargo.akuity.io/project" label)"#
        ));
    }

    #[test]
    fn exact_names_are_unique_across_both_fields() {
        let twice = json!([{"stage": "a"}, {"stageSelector": {"name": "b"}}, {"stageSelector": {"name": "a"}}]);
        assert_eq!(
            message(policies(twice)),
            r#"spec.promotionPolicies[2]: Invalid value: "a": stage name already defined at spec.promotionPolicies[0]"#
        );
        let patterns = json!([{"stageSelector": {"name": "glob:a*"}}, {"stageSelector": {"name": "glob:a*"}},
            {"stageSelector": {"matchLabels": {"a": "b"}}}]);
        assert_eq!(policies(patterns).unwrap().warnings, Vec::<String>::new());
    }

    #[test]
    fn patterns_must_be_readable() {
        assert_eq!(
            message(policies(json!([{"stageSelector": {"name": "exact:a"}}]))),
            r#"spec.promotionPolicies[0].stageSelector.name: Invalid value: "exact:a": invalid pattern identifier "exact": must be "regex", "regexp" or "glob""#
        );
        assert!(policies(json!([{"stageSelector": {"name": "regex:("}}])).is_err());
        let labels = json!([{"stageSelector": {"matchLabels": {"a b": "x"}}}]);
        assert_eq!(policies(labels).unwrap().warnings.len(), 1);
    }
}
