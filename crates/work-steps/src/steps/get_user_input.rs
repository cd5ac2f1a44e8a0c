//! `get-user-input`: waits until somebody gives the values that a JSON Schema describes.
//!
//! Answers come through the API server, from people whom one of the rules lets answer; without rules that is everybody
//! who may see the Promotion. The first answer that fits the schema is taken.

use std::sync::Arc;

use core_rules::prompt::{Ask, InputSchema, Prompt, ResponderRule, Standing, standing};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{people, pull_request::poll_interval::PollInterval};
use crate::{ControlPlane, Defaults, Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct GetUserInput;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The JSON Schema of the values, draft 4, 6 or 7; its type is object.
    schema: Map<String, Value>,
    /// What people are told who are asked.
    #[serde(default)]
    display: String,
    /// Who may answer; one rule is enough. Without rules, everybody who may see the Promotion.
    #[serde(default)]
    responders: Vec<Responder>,
    /// How long to wait between two looks, where nobody wakes the step; 30s unless said otherwise.
    #[serde(default)]
    #[schemars(with = "PollInterval")]
    poll_interval: Option<PollInterval>,
}

/// Who may answer: those with a value of a claim, or those with a role.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = people::claim_or_role)]
struct Responder {
    /// A claim of their login, for example `email` or `groups`.
    #[serde(default)]
    claim: String,
    /// The value of the claim; where the claim is a list, one of its values.
    #[serde(default)]
    value: String,
    /// A role of the Project.
    #[serde(default)]
    role: String,
}

impl From<Responder> for ResponderRule {
    fn from(Responder { claim, value, role }: Responder) -> Self {
        Self { claim, value, role, required: false }
    }
}

impl Step for GetUserInput {
    const KIND: &'static str = "get-user-input";
    const DEFAULTS: Defaults = people::DEFAULTS;
    /// It only reads.
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = Arc<dyn ControlPlane>;

    async fn run(&self, config: Config, control_plane: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        let schema = Value::Object(config.schema);
        InputSchema::compile(&schema).map_err(|problem| {
            StepError::failed(format!("invalid get-user-input config: schema: {problem}"))
        })?;
        let prompt = Prompt {
            rules: config.responders.into_iter().map(ResponderRule::from).collect(),
            ask: Ask::Input { display: config.display, schema },
        };
        if cx.effects.intercepts(|| people::effect("ask for input", &prompt, cx)) {
            return Ok(Outcome::done().with("values", Map::new()));
        }
        let responses = people::responses(control_plane.as_ref(), cx).await?;
        match standing(&prompt, &responses) {
            Standing::Submitted(given) => Ok(Outcome::done()
                .with("values", given.values)
                .with("respondedBy", given.shown.user)
                .with("respondedAt", given.shown.time)),
            Standing::Awaited(words) => {
                Ok(people::waiting(&prompt, &responses, config.poll_interval, words))
            }
            Standing::Approved | Standing::Rejected(_) => {
                Err(StepError::fatal("values were asked for, not an approval"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus as Status;
    use serde_json::json;

    use super::*;
    use crate::{Class, Effects, steps::people::tests::answer, testbed::Testbed};

    fn config() -> Value {
        json!({"display": "Which window?", "responders": [{"role": "ops"}],
            "schema": {"type": "object", "required": ["window"], "properties": {"window": {"enum": ["day", "night"]}}}})
    }

    fn by(user: &str, role: &str, window: &str) -> Value {
        json!({"user": user, "action": "submit", "time": "2026-01-02T03:04:05Z", "rules": [{"role": role}],
            "values": {"window": window}})
    }

    #[tokio::test]
    async fn the_first_answer_that_fits_is_taken() {
        let testbed = Testbed::new().await;
        answer(&testbed, &json!([by("a", "dev", "day"), by("b", "ops", "noon")]));
        let waiting = testbed.run("get-user-input", config()).await;
        assert_eq!(
            (waiting.status, waiting.message.as_str()),
            (Status::Running, "waiting for input")
        );
        assert_eq!(waiting.output.unwrap()["prompt"]["display"], "Which window?");
        answer(
            &testbed,
            &json!([by("b", "ops", "noon"), by("c", "ops", "night"), by("d", "ops", "day")]),
        );
        let done = testbed.run("get-user-input", config()).await;
        assert_eq!(done.status, Status::Succeeded, "{}", done.message);
        assert_eq!(
            Value::Object(done.output()),
            json!({"values": {"window": "night"}, "respondedBy": "c", "respondedAt": "2026-01-02T03:04:05Z"})
        );
    }

    #[tokio::test]
    async fn a_schema_that_cannot_be_used_is_told_at_once() {
        let testbed = Testbed::new().await;
        let mut list = config();
        list["schema"] = json!({"type": "array"});
        let refused = testbed.run("get-user-input", list).await;
        assert_eq!(refused.class, Some(Class::Failed));
        assert_eq!(
            refused.message,
            "invalid get-user-input config: schema: its type must be object"
        );
        let missing = testbed.run("get-user-input", json!({})).await;
        assert_eq!(missing.message, "invalid get-user-input config: schema: is required");
    }

    #[tokio::test]
    async fn a_preview_asks_nobody() {
        let mut testbed = Testbed::new().await;
        testbed.effects = Effects::recorded();
        let done = testbed.run("get-user-input", config()).await;
        assert_eq!(done.status, Status::Succeeded);
        assert_eq!(testbed.effects.list()[0].detail["display"], "Which window?");
    }
}
