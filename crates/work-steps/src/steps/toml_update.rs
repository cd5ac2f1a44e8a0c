//! `toml-update`: sets scalars in a TOML file. Comments, quotes and layout stay, integers stay integers.

use core_edit::{EditError, KeyPath, Scalar, toml};

use super::update::{self, Config, Format};
use crate::{Step, StepCx, StepResult};

/// The step.
pub(crate) struct TomlUpdate;

impl Step for TomlUpdate {
    const KIND: &'static str = "toml-update";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        update::run::<Toml>(config, cx).await
    }
}

struct Toml;

impl Format for Toml {
    const ALLOWS_NULL: bool = false;

    fn message_text(scalar: &Scalar) -> String {
        toml::message_text(scalar)
    }

    fn update(text: &str, updates: &[(String, Scalar)]) -> Result<String, EditError> {
        let update = |(key, scalar): &(String, Scalar)| Ok((KeyPath::parse(key)?, scalar.clone()));
        toml::update(text, &updates.iter().map(update).collect::<Result<Vec<_>, EditError>>()?)
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn values_are_set_also_when_the_step_runs_again() {
        let testbed = Testbed::new().await;
        testbed.write("f.toml", "[a]\nport = 80 # http\nname = \"x\"\n");
        let config = json!({"path": "f.toml", "updates": [
            {"key": "a.port", "value": 9090}, {"key": "a.name", "value": "y"}]});
        for _ in 0..2 {
            let attempt = testbed.run("toml-update", config.clone()).await;
            assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
            assert_eq!(
                attempt.output()["commitMessage"],
                "Updated f.toml\n\n- a.port: 9090\n- a.name: 'y'"
            );
            let text = testbed.read("f.toml");
            assert_eq!(text.as_deref(), Some("[a]\nport = 9090 # http\nname = \"y\"\n"));
        }
    }

    #[tokio::test]
    async fn what_cannot_be_set_leaves_the_file_as_it_is() {
        let testbed = Testbed::new().await;
        testbed.write("f.toml", "a = 1\n");
        for (key, value) in [("b", json!(1)), ("a", json!(null)), ("a.b", json!(1))] {
            let updates = json!([{"key": "a", "value": 2}, {"key": key, "value": value}]);
            let attempt =
                testbed.run("toml-update", json!({"path": "f.toml", "updates": updates})).await;
            assert_eq!(attempt.class, Some(Class::Retryable), "{}", attempt.message);
            assert_eq!(testbed.read("f.toml").as_deref(), Some("a = 1\n"));
        }
        let attempt = testbed.run("toml-update", json!({"path": "f.toml"})).await;
        assert_eq!(attempt.class, Some(Class::Failed));
    }
}
