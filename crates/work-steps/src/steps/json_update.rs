//! `json-update`: sets values in a JSON file, and makes what is missing on the way. All other formatting stays.

use core_edit::{EditError, Scalar, json};

use super::update::{self, Config, Format};
use crate::{Step, StepCx, StepResult};

/// The step.
pub(crate) struct JsonUpdate;

impl Step for JsonUpdate {
    const KIND: &'static str = "json-update";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        update::run::<Json>(config, cx).await
    }
}

struct Json;

impl Format for Json {
    const ALLOWS_NULL: bool = false;

    fn message_text(scalar: &Scalar) -> String {
        json::message_text(scalar)
    }

    fn update(text: &str, updates: &[(String, Scalar)]) -> Result<String, EditError> {
        json::update(text, updates)
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn values_are_set_or_made_also_when_the_step_runs_again() {
        let testbed = Testbed::new().await;
        testbed.write("f.json", "{\n  \"a\": 1\n}\n");
        let config = json!({"path": "f.json", "updates": [
            {"key": "a", "value": "x"}, {"key": "b.c", "value": true}]});
        for _ in 0..2 {
            let attempt = testbed.run("json-update", config.clone()).await;
            assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
            assert_eq!(
                attempt.output()["commitMessage"],
                "Updated f.json\n\n- a: \"x\"\n- b.c: true"
            );
            let text = testbed.read("f.json");
            assert_eq!(text.as_deref(), Some("{\n  \"a\": \"x\"\n,\"b\":{\"c\":true}}\n"));
        }
    }

    #[tokio::test]
    async fn what_cannot_be_set_leaves_the_file_as_it_is() {
        let testbed = Testbed::new().await;
        testbed.write("f.json", "[1]");
        for (key, value) in [("x", json!(1)), ("0", json!(null)), ("0", json!({"a": 1}))] {
            let updates = json!([{"key": "0", "value": 2}, {"key": key, "value": value}]);
            let attempt =
                testbed.run("json-update", json!({"path": "f.json", "updates": updates})).await;
            assert_eq!(attempt.class, Some(Class::Retryable), "{}", attempt.message);
            assert_eq!(testbed.read("f.json").as_deref(), Some("[1]"));
        }
        let attempt = testbed.run("json-update", json!({"path": "", "updates": []})).await;
        assert_eq!(attempt.class, Some(Class::Failed));
    }
}
