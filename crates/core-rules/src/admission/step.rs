//! Aliases of steps must be unique, and must not look like those made from positions.

use std::collections::BTreeMap;

use api_kinds::step::PromotionStep;

use super::field::FieldError;
use crate::step::is_reserved_alias;

/// What is wrong with the aliases of the steps at `path`.
pub(super) fn check_aliases(steps: &[PromotionStep], path: &str) -> Vec<FieldError> {
    let mut first_uses = BTreeMap::new();
    let mut errors = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let alias = step.r#as.trim();
        if alias.is_empty() {
            continue;
        }
        let field = format!("{path}[{index}].as");
        if let Some(first) = first_uses.get(alias) {
            let detail = format!("step alias duplicates that of {path}[{first}]");
            errors.push(FieldError::invalid(&field, alias, &detail));
        } else {
            first_uses.insert(alias, index);
        }
        if is_reserved_alias(alias) {
            errors.push(FieldError::invalid(field, alias, "step alias is reserved"));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use api_kinds::step::PromotionStep;

    use super::check_aliases;

    fn errors(aliases: &[&str]) -> Vec<String> {
        let step =
            |alias: &&str| PromotionStep { r#as: (*alias).into(), ..PromotionStep::default() };
        let steps: Vec<_> = aliases.iter().map(step).collect();
        check_aliases(&steps, "spec.steps").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_alias_is_used_once() {
        assert!(errors(&["a", "", " ", "b", ""]).is_empty());
        assert_eq!(
            errors(&["a", "b", " a", "a"]),
            [
                r#"spec.steps[2].as: Invalid value: "a": step alias duplicates that of spec.steps[0]"#,
                r#"spec.steps[3].as: Invalid value: "a": step alias duplicates that of spec.steps[0]"#,
            ]
        );
    }

    #[test]
    fn a_reserved_alias_may_be_a_duplicate_as_well() {
        assert_eq!(errors(&["step-1", "task-2"]).len(), 2);
        assert_eq!(errors(&["step-1", "step-1"]).len(), 3);
    }
}
