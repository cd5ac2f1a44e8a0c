//! `json-parse`: reads values from a JSON file into the output.

use std::sync::Arc;

use core_clock::Clock;
use core_expr::Value;

use super::parse::{self, Config};
use crate::{Step, StepCx, StepResult};

/// The step.
pub(crate) struct JsonParse;

impl Step for JsonParse {
    const KIND: &'static str = "json-parse";
    type Config = Config;
    type Needs = Arc<dyn Clock>;

    async fn run(&self, config: Config, clock: Arc<dyn Clock>, cx: &StepCx<'_>) -> StepResult {
        let read = |text: &str| Ok(Value::from_json(&core_edit::json::parse(text)?));
        parse::run(config, &*clock, cx, read).await
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn roots_that_are_lists_are_reached_by_env() {
        let testbed = Testbed::new().await;
        testbed.write("f.json", r#"[{"n": 1}, {"n": 42}]"#);
        let outputs = json!([{"name": "n", "fromExpression": "$env[1].n"}]);
        let attempt =
            testbed.run("json-parse", json!({"path": "f.json", "outputs": outputs})).await;
        assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
        assert_eq!(attempt.output()["n"], 42);
    }

    #[tokio::test]
    async fn what_is_no_json_may_be_tried_again() {
        let testbed = Testbed::new().await;
        testbed.write("f.json", "{\"a\":1}{}");
        let outputs = json!([{"name": "n", "fromExpression": "1"}]);
        let attempt =
            testbed.run("json-parse", json!({"path": "f.json", "outputs": outputs})).await;
        assert_eq!(attempt.class, Some(Class::Retryable), "{}", attempt.message);
        let attempt = testbed.run("json-parse", json!({"outputs": []})).await;
        assert_eq!(attempt.class, Some(Class::Failed));
    }
}
