//! `yaml-parse`: reads values from a YAML file into the output.

use std::sync::Arc;

use core_clock::Clock;
use core_expr::Value;

use super::parse::{self, Config};
use crate::{Step, StepCx, StepResult};

/// The step.
pub(crate) struct YamlParse;

impl Step for YamlParse {
    const KIND: &'static str = "yaml-parse";
    type Config = Config;
    type Needs = Arc<dyn Clock>;

    async fn run(&self, config: Config, clock: Arc<dyn Clock>, cx: &StepCx<'_>) -> StepResult {
        let read = |text: &str| Ok(Value::from_json(&core_edit::yaml::parse(text)?));
        parse::run(config, &*clock, cx, read).await
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn expressions_see_the_document() {
        let testbed = Testbed::new().await;
        testbed.write("f.yaml", "image: {tag: v1}\nlist: [1, 2]\n---\nlist: [");
        let outputs = [
            ("tag", "image.tag", json!("v1")),
            ("sum", "sum(list)", json!(3)),
            ("root", "$env.image", json!({"tag": "v1"})),
            ("missing", "nothing", json!(null)),
            ("length", "len(list)", json!(2)),
        ];
        let extracts: Vec<_> = outputs
            .iter()
            .map(|(name, expression, _)| json!({"name": name, "fromExpression": expression}))
            .collect();
        let attempt =
            testbed.run("yaml-parse", json!({"path": "f.yaml", "outputs": extracts})).await;
        assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
        for (name, _, expected) in outputs {
            assert_eq!(attempt.output()[name], expected, "{name}");
        }
    }

    #[tokio::test]
    async fn files_and_expressions_that_fail_may_be_tried_again() {
        let testbed = Testbed::new().await;
        testbed.write("f.yaml", "a: 1\n");
        testbed.write("bad.yaml", "a: [\n");
        for (path, expression) in [
            ("no.yaml", "a"),
            ("bad.yaml", "a"),
            ("f.yaml", "1 +"),
            ("f.yaml", "b.c"),
            ("f.yaml", "warehouse('x')"),
        ] {
            let outputs = json!([{"name": "x", "fromExpression": expression}]);
            let attempt =
                testbed.run("yaml-parse", json!({"path": path, "outputs": outputs})).await;
            assert_eq!(attempt.class, Some(Class::Retryable), "{path} {expression}");
        }
        let attempt = testbed.run("yaml-parse", json!({"path": "f.yaml", "outputs": []})).await;
        assert_eq!(attempt.class, Some(Class::Failed));
    }
}
