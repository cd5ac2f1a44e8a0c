//! `wait-for-approval`: waits until enough people approved, and fails as soon as one of them is against it.
//!
//! Answers come through the API server, from people whom one of the rules lets answer; without rules that is everybody
//! who may see the Promotion.

use std::sync::Arc;

use core_rules::prompt::{Ask, Prompt, ResponderRule, Standing, standing};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{people, pull_request::poll_interval::PollInterval};
use crate::{ControlPlane, Defaults, Outcome, Output, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct WaitForApproval;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// Who may approve or reject; one rule is enough. Without rules, everybody who may see the Promotion.
    #[serde(default)]
    approvers: Vec<Approver>,
    /// How many people must approve.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    min_approvals: u32,
    /// How long to wait between two looks, where nobody wakes the step; 30s unless said otherwise.
    #[serde(default)]
    #[schemars(with = "PollInterval")]
    poll_interval: Option<PollInterval>,
}

/// Who may approve: those with a value of a claim, or those with a role.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = people::claim_or_role)]
struct Approver {
    /// A claim of their login, for example `email` or `groups`.
    #[serde(default)]
    claim: String,
    /// The value of the claim; where the claim is a list, one of its values.
    #[serde(default)]
    value: String,
    /// A role of the Project.
    #[serde(default)]
    role: String,
    /// Whether one of those must have approved, however many others did.
    #[serde(default)]
    required: bool,
}

impl From<Approver> for ResponderRule {
    fn from(Approver { claim, value, role, required }: Approver) -> Self {
        Self { claim, value, role, required }
    }
}

fn one() -> u32 {
    1
}

impl Step for WaitForApproval {
    const KIND: &'static str = "wait-for-approval";
    const DEFAULTS: Defaults = people::DEFAULTS;
    /// It only reads.
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = Arc<dyn ControlPlane>;

    async fn run(&self, config: Config, control_plane: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        let prompt = Prompt {
            rules: config.approvers.into_iter().map(ResponderRule::from).collect(),
            ask: Ask::Approval { min_approvals: config.min_approvals },
        };
        if cx.effects.intercepts(|| people::effect("wait for approval", &prompt, cx)) {
            return Ok(Outcome::done().with("responses", people::shown(&prompt, &[])));
        }
        let responses = people::responses(control_plane.as_ref(), cx).await?;
        match standing(&prompt, &responses) {
            Standing::Rejected(refusal) => {
                let said = match refusal.message.as_str() {
                    "" => String::new(),
                    message => format!(": {message}"),
                };
                let shown = ("responses".to_owned(), people::shown(&prompt, &responses));
                Err(StepError::failed(format!("rejected by {}{said}", refusal.user))
                    .with_output(Output::from_iter([shown])))
            }
            Standing::Awaited(words) => {
                Ok(people::waiting(&prompt, &responses, config.poll_interval, words))
            }
            Standing::Approved | Standing::Submitted(_) => {
                Ok(Outcome::done().with("responses", people::shown(&prompt, &responses)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use api_kinds::promotion::PromotionStepStatus as Status;
    use serde_json::{Value, json};

    use crate::{Class, Effects, steps::people::tests::answer, testbed::Testbed};

    fn by(user: &str, action: &str, role: &str) -> Value {
        json!({"user": user, "action": action, "time": "2026-01-02T03:04:05Z", "rules": [{"role": role}]})
    }

    fn shown(user: &str, action: &str) -> Value {
        json!({"user": user, "action": action, "time": "2026-01-02T03:04:05Z"})
    }

    #[tokio::test]
    async fn it_waits_and_tells_for_what_until_enough_people_approved() {
        let testbed = Testbed::new().await;
        let config = json!({"minApprovals": 2,
            "approvers": [{"role": "dev"}, {"claim": "groups", "value": "ops", "required": true}]});
        let ops = json!({"user": "c", "action": "approve", "time": "2026-01-02T03:04:05Z",
            "rules": [{"claim": "groups", "value": "ops"}]});
        answer(&testbed, &json!([]));
        let waiting = testbed.run("wait-for-approval", config.clone()).await;
        assert_eq!(waiting.status, Status::Running);
        assert_eq!(waiting.poll_after, Some(Duration::from_secs(30)));
        assert_eq!(
            Value::Object(waiting.output()),
            json!({"responses": [], "prompt": {"kind": "approval", "minApprovals": 2, "rules": [
                {"role": "dev"}, {"claim": "groups", "value": "ops", "required": true}]}})
        );
        answer(&testbed, &json!([by("a", "approve", "dev"), by("b", "approve", "dev")]));
        let waiting = testbed.run("wait-for-approval", config.clone()).await;
        assert_eq!(
            waiting.message,
            "waiting for approval: 2 of 2 given; still needed: claim \"groups\" with value \"ops\""
        );
        answer(&testbed, &json!([by("a", "approve", "dev"), ops]));
        let done = testbed.run("wait-for-approval", config).await;
        assert_eq!(done.status, Status::Succeeded, "{}", done.message);
        assert_eq!(
            Value::Object(done.output()),
            json!({"responses": [shown("a", "approve"), shown("c", "approve")]})
        );
    }

    #[tokio::test]
    async fn one_who_is_against_it_ends_it_for_good() {
        let testbed = Testbed::new().await;
        let mut no = by("b", "reject", "x");
        no["message"] = json!("not today");
        answer(&testbed, &json!([by("a", "approve", "x"), no]));
        let failed = testbed.run("wait-for-approval", json!({"minApprovals": 3})).await;
        assert_eq!(failed.class, Some(Class::Failed));
        assert_eq!(failed.message, "rejected by b: not today");
        assert_eq!(failed.output()["responses"][1]["action"], "reject");
    }

    #[tokio::test]
    async fn who_met_none_of_the_rules_has_no_say() {
        let testbed = Testbed::new().await;
        answer(&testbed, &json!([by("a", "reject", "dev"), by("b", "approve", "dev")]));
        let config = json!({"approvers": [{"role": "ops"}], "pollInterval": "1m"});
        let waiting = testbed.run("wait-for-approval", config).await;
        assert_eq!(waiting.message, "waiting for approval: 0 of 1 given");
        assert_eq!(waiting.poll_after, Some(Duration::from_mins(1)));
        assert_eq!(waiting.output()["responses"], json!([]));
    }

    #[tokio::test]
    async fn a_preview_asks_nobody() {
        let mut testbed = Testbed::new().await;
        testbed.effects = Effects::recorded();
        let done = testbed.run("wait-for-approval", json!({})).await;
        assert_eq!(done.status, Status::Succeeded);
        assert_eq!(testbed.effects.list()[0].action, "wait for approval");
    }
}
