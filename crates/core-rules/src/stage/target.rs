//! The Targets a Stage promotes to.

use api_kinds::{Stage, Target};

use crate::selector::{SelectorError, check_labels, matches_labels};

/// A selector of the Stage cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("spec.targets.selectors[{index}] of Stage {stage:?}: {source}")]
pub struct GovernedTargetsError {
    /// Name of the Stage.
    pub stage: String,
    /// Which selector.
    pub index: usize,
    /// What is wrong with it.
    pub source: SelectorError,
}

/// The Targets of the Stage's namespace that any of its selectors matches, by name.
pub fn governed_targets<'a>(
    stage: &Stage,
    targets: impl IntoIterator<Item = &'a Target, IntoIter: Clone>,
) -> Result<Vec<&'a Target>, GovernedTargetsError> {
    let selectors = stage.spec.targets.iter().flat_map(|targets| &targets.selectors);
    let targets = targets.into_iter();
    let mut governed: Vec<&Target> = Vec::new();
    for (index, selector) in selectors.enumerate() {
        let at_index = |source| GovernedTargetsError {
            stage: stage.metadata.name.clone().unwrap_or_default(),
            index,
            source,
        };
        check_labels(selector).map_err(at_index)?;
        for target in targets.clone() {
            let is_selected =
                matches_labels(selector, target.metadata.labels.as_ref()).map_err(at_index)?;
            if is_selected && target.metadata.namespace == stage.metadata.namespace {
                governed.push(target);
            }
        }
    }
    governed.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    governed.dedup_by(|a, b| a.metadata.name == b.metadata.name);
    Ok(governed)
}

#[cfg(test)]
mod tests {
    use api_kinds::{Stage, Target};
    use serde_json::json;

    use super::governed_targets;

    fn stage(selectors: serde_json::Value) -> Stage {
        let spec = json!({"targets": {"selectors": selectors}});
        let metadata = json!({"name": "prod", "namespace": "demo"});
        serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
    }

    fn names(selectors: serde_json::Value) -> Vec<String> {
        let target = |namespace: &str, name: &str, region: &str| -> Target {
            let labels = json!({"region": region});
            let metadata = json!({"namespace": namespace, "name": name, "labels": labels});
            serde_json::from_value(json!({"metadata": metadata})).unwrap()
        };
        let targets =
            [target("demo", "b", "eu"), target("demo", "a", "us"), target("other", "c", "eu")];
        let governed = governed_targets(&stage(selectors), &targets).unwrap();
        governed.iter().filter_map(|target| target.metadata.name.clone()).collect()
    }

    #[test]
    fn selectors_add_up_within_the_project() {
        assert_eq!(names(json!([{}])), ["a", "b"]);
        assert_eq!(names(json!([])), [""; 0]);
        assert_eq!(names(json!([{"matchLabels": {"region": "eu"}}, {}])), ["a", "b"]);
        assert_eq!(names(json!([{"matchLabels": {"region": "eu"}}])), ["b"]);
    }

    #[test]
    fn a_bad_selector_is_named_by_its_position() {
        let bad = json!([{}, {"matchExpressions": [{"key": "region", "operator": "Like"}]}]);
        let error = governed_targets(&stage(bad), &[]).unwrap_err();
        assert!(error.to_string().starts_with("spec.targets.selectors[1] of Stage \"prod\""));
    }
}
