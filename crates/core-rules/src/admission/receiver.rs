//! Webhook receivers, as both configurations hold them.

use std::collections::BTreeMap;

use api_kinds::receiver::{
    GenericWebhookTargetSelectionCriteria, IndexSelectorOperator, WebhookReceiverConfig,
};
use serde_json::Value;

use super::{field::FieldError, selector::warn_labels};

const PATH: &str = "spec.webhookReceivers";

/// What is wrong with a list of receivers.
pub(super) fn check(receivers: &[WebhookReceiverConfig]) -> Vec<FieldError> {
    let mut first_uses = BTreeMap::new();
    let mut errors = Vec::new();
    for (index, receiver) in receivers.iter().enumerate() {
        if let Some(first) = first_uses.get(&receiver.name) {
            let detail = format!("webhook receiver name already defined at {PATH}[{first}]");
            let field = format!("{PATH}[{index}].name");
            errors.push(FieldError::invalid(field, receiver.name.as_str(), &detail));
        } else {
            first_uses.insert(&receiver.name, index);
        }
        errors.extend(check_type(receiver, index));
        errors.extend(
            targets(receiver)
                .filter(|(_, _, target)| selects_nothing(target))
                .map(|(action, at, target)| {
                    FieldError::invalid(
                        target_path(index, action, at),
                        serde_json::to_value(target).unwrap_or(Value::Null),
                        "at least one of name, labelSelector, or indexSelector must be specified for target",
                    )
                }),
        );
    }
    errors
}

/// What upstream accepts and then cannot use.
pub(super) fn warn(receivers: &[WebhookReceiverConfig]) -> Vec<String> {
    receivers.iter().enumerate().flat_map(|(index, receiver)| warn_one(receiver, index)).collect()
}

fn check_type(receiver: &WebhookReceiverConfig, index: usize) -> Option<FieldError> {
    let types = exclusive_types(receiver);
    (types.len() > 1).then(|| {
        let detail = format!(
            "cannot define a receiver that is of more than one type, found {}: [{}]",
            types.len(),
            types.join(" ")
        );
        FieldError::forbidden(format!("{PATH}[{index}]"), &detail)
    })
}

/// The types set on a receiver among those that upstream counts, in its order; Harbor is not.
fn exclusive_types(receiver: &WebhookReceiverConfig) -> Vec<&'static str> {
    [
        (receiver.bitbucket.is_some(), "Bitbucket"),
        (receiver.dockerhub.is_some(), "DockerHub"),
        (receiver.github.is_some(), "GitHub"),
        (receiver.gitlab.is_some(), "GitLab"),
        (receiver.quay.is_some(), "Quay"),
        (receiver.artifactory.is_some(), "Artifactory"),
        (receiver.azure.is_some(), "Azure"),
        (receiver.gitea.is_some(), "Gitea"),
        (receiver.generic.is_some(), "Generic"),
    ]
    .into_iter()
    .filter_map(|(is_set, name)| is_set.then_some(name))
    .collect()
}

fn targets(
    receiver: &WebhookReceiverConfig,
) -> impl Iterator<Item = (usize, usize, &GenericWebhookTargetSelectionCriteria)> {
    let actions = receiver.generic.iter().flat_map(|generic| generic.actions.iter().enumerate());
    actions.flat_map(|(action, settings)| {
        let targets = settings.target_selection_criteria.iter().enumerate();
        targets.map(move |(at, target)| (action, at, target))
    })
}

fn target_path(receiver: usize, action: usize, target: usize) -> String {
    format!("{PATH}[{receiver}].generic.actions[{action}].targetSelectionCriteria[{target}]")
}

fn selects_nothing(target: &GenericWebhookTargetSelectionCriteria) -> bool {
    let has_labels = target.label_selector.as_ref().is_some_and(|selector| {
        !selector.match_labels.is_empty() || !selector.match_expressions.is_empty()
    });
    let has_indices =
        target.index_selector.as_ref().is_some_and(|selector| !selector.match_indices.is_empty());
    target.name.is_empty() && !has_labels && !has_indices
}

fn warn_one(receiver: &WebhookReceiverConfig, index: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let types = exclusive_types(receiver).len();
    match (types, receiver.harbor.is_some()) {
        (0, false) => warnings.push(format!("{PATH}[{index}]: no type is set; it will not work")),
        (1.., true) => warnings.push(format!("{PATH}[{index}]: Harbor and another type are set")),
        _ => {}
    }
    for (action, at, target) in targets(receiver) {
        let path = target_path(index, action, at);
        if let Some(selector) = &target.label_selector {
            warnings.extend(warn_labels(selector, &format!("{path}.labelSelector")));
        }
        let requirements = target.index_selector.iter().flat_map(|s| &s.match_indices).enumerate();
        warnings.extend(requirements.filter_map(|(position, requirement)| {
            let operator = &requirement.operator;
            let is_known = matches!(
                operator,
                IndexSelectorOperator::Equals | IndexSelectorOperator::NotEquals
            );
            (!is_known).then(|| {
                format!(
                    "{path}.indexSelector.matchIndices[{position}].operator: {:?} is not an \
                     operator; use Equals or NotEquals",
                    operator.as_str()
                )
            })
        }));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{check, warn};

    fn errors(receivers: Value) -> Vec<String> {
        let receivers: Vec<_> = serde_json::from_value(receivers).unwrap();
        check(&receivers).iter().map(ToString::to_string).collect()
    }

    fn warnings(receivers: Value) -> usize {
        warn(&serde_json::from_value::<Vec<_>>(receivers).unwrap()).len()
    }

    #[test]
    fn names_are_unique_and_types_exclude_each_other() {
        let secret = json!({"secretRef": {"name": "s"}});
        assert_eq!(
            errors(
                json!([{"name": "a", "github": secret}, {"name": "b", "gitlab": secret}, {"name": "a", "azure": secret}])
            ),
            [
                r#"spec.webhookReceivers[2].name: Invalid value: "a": webhook receiver name already defined at spec.webhookReceivers[0]"#
            ]
        );
        assert_eq!(
            errors(json!([{"name": "a", "gitlab": secret, "github": secret, "quay": secret}])),
            [
                "spec.webhookReceivers[0]: Forbidden: cannot define a receiver that is of more than one type, found 3: [GitHub GitLab Quay]"
            ]
        );
    }

    #[test]
    fn a_target_must_select_something() {
        let receiver = |target: Value| {
            json!([{"name": "a", "generic": {"secretRef": {"name": "s"},
                "actions": [{"action": "Refresh", "targetSelectionCriteria": [target]}]}}])
        };
        let nothing = errors(receiver(json!({"kind": "Warehouse", "labelSelector": {}})));
        assert!(nothing[0].starts_with("spec.webhookReceivers[0].generic.actions[0].targetSelectionCriteria[0]: Invalid value: "));
        assert!(nothing[0].ends_with(
            "at least one of name, labelSelector, or indexSelector must be specified for target"
        ));
        assert!(errors(receiver(json!({"kind": "Warehouse", "name": "w"}))).is_empty());
        let index = json!({"kind": "Warehouse", "indexSelector": {"matchIndices": [{"key": "subscribedURLs", "operator": "Is", "value": "u"}]}});
        assert!(errors(receiver(index.clone())).is_empty());
        assert_eq!(warnings(receiver(index)), 1);
    }

    #[test]
    fn what_upstream_forgot_to_check_is_a_warning() {
        let secret = json!({"secretRef": {"name": "s"}});
        assert!(
            errors(json!([{"name": "a"}, {"name": "b", "harbor": secret, "github": secret}]))
                .is_empty()
        );
        assert_eq!(warnings(json!([{"name": "a"}])), 1);
        assert_eq!(warnings(json!([{"name": "b", "harbor": secret, "github": secret}])), 1);
        assert_eq!(warnings(json!([{"name": "c", "harbor": secret}])), 0);
    }
}
