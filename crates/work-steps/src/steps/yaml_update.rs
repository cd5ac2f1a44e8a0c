//! `yaml-update`: sets scalars in a YAML file. Comments, quotes, anchors and layout stay.

use core_edit::{EditError, KeyPath, Scalar, yaml};

use super::update::{self, Config, Format};
use crate::{Step, StepCx, StepResult};

/// The step.
pub(crate) struct YamlUpdate;

impl Step for YamlUpdate {
    const KIND: &'static str = "yaml-update";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        update::run::<Yaml>(config, cx).await
    }
}

struct Yaml;

impl Format for Yaml {
    const ALLOWS_NULL: bool = true;

    fn message_text(scalar: &Scalar) -> String {
        yaml::message_text(scalar)
    }

    fn update(text: &str, updates: &[(String, Scalar)]) -> Result<String, EditError> {
        let update = |(key, scalar): &(String, Scalar)| Ok((KeyPath::parse(key)?, scalar.clone()));
        yaml::update(text, &updates.iter().map(update).collect::<Result<Vec<_>, EditError>>()?)
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn values_are_set_and_told_also_when_the_step_runs_again() {
        let testbed = Testbed::new().await;
        testbed.write("d/f.yaml", "image: {tag: v1} # the tag\nreplicas: 3\n");
        let config = json!({"path": "../d/f.yaml", "updates": [
            {"key": "image.tag", "value": "v2"}, {"key": "replicas", "value": 1_000_000}]});
        for _ in 0..2 {
            let attempt = testbed.run("yaml-update", config.clone()).await;
            assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
            assert_eq!(
                attempt.output()["commitMessage"],
                "Updated ../d/f.yaml\n\n- image.tag: v2\n- replicas: 1000000"
            );
            let text = testbed.read("d/f.yaml");
            assert_eq!(text.as_deref(), Some("image: {tag: v2} # the tag\nreplicas: 1000000\n"));
        }
    }

    #[tokio::test]
    async fn one_bad_update_leaves_the_file_as_it_is() {
        let testbed = Testbed::new().await;
        testbed.write("f.yaml", "a: 1\n");
        for (key, value, cause) in [
            ("b", json!(1), "there is no \"b\""),
            ("a", json!([1]), "is a list"),
            ("a..b", json!(1), "not well formed"),
        ] {
            let updates = json!([{"key": "a", "value": 2}, {"key": key, "value": value}]);
            let attempt =
                testbed.run("yaml-update", json!({"path": "f.yaml", "updates": updates})).await;
            assert_eq!(attempt.class, Some(Class::Retryable));
            assert!(attempt.message.contains(cause), "{}", attempt.message);
            assert_eq!(testbed.read("f.yaml").as_deref(), Some("a: 1\n"));
        }
        let missing = json!({"path": "no.yaml", "updates": [{"key": "a", "value": 1}]});
        assert_eq!(testbed.run("yaml-update", missing).await.class, Some(Class::Retryable));
    }

    #[tokio::test]
    async fn large_files_are_refused_and_bad_configurations_fail_for_good() {
        let testbed = Testbed::new().await;
        testbed.write("big.yaml", " ".repeat(core_edit::MAX_BYTES + 1));
        let config = json!({"path": "big.yaml", "updates": [{"key": "a", "value": 1}]});
        assert_eq!(testbed.run("yaml-update", config).await.class, Some(Class::Retryable));
        for config in [json!({}), json!({"path": "f", "updates": []})] {
            let attempt = testbed.run("yaml-update", config).await;
            assert_eq!(attempt.class, Some(Class::Failed), "{}", attempt.message);
        }
    }
}
