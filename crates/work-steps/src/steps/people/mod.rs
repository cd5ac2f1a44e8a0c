//! What steps that ask people have in common.
//!
//! While such a step waits, its output tells what it asks; the API server takes answers to that and writes them down
//! on the Promotion, which wakes the step. Answers count by what the step asks as it is rendered here, so that
//! a status that somebody changed lets nobody in.

use std::time::Duration;

use core_rules::prompt::{PROMPT, Prompt, Response, counted, responses_of};
use schemars::Schema;
use serde_json::{Value, json};

use super::pull_request::poll_interval::PollInterval;
use crate::{ControlPlane, Defaults, Effect, Outcome, StepCx, StepError};

const POLL_INTERVAL: Duration = Duration::from_secs(30);

/// One look of many that went wrong does not end the wait.
pub(super) const DEFAULTS: Defaults = Defaults { timeout: None, error_threshold: 5 };

/// Exactly one of a claim with its value, and a role.
pub(super) fn claim_or_role(schema: &mut Schema) {
    schema.insert(
        "oneOf".to_owned(),
        json!([
            {"required": ["claim", "value"], "properties":
                {"claim": {"minLength": 1}, "value": {"minLength": 1}, "role": {"enum": ["", null]}}},
            {"required": ["role"], "properties":
                {"role": {"minLength": 1}, "claim": {"enum": ["", null]}, "value": {"enum": ["", null]}}},
        ]),
    );
}

/// What was answered to this step so far.
pub(super) async fn responses(
    control_plane: &dyn ControlPlane,
    cx: &StepCx<'_>,
) -> Result<Vec<Response>, StepError> {
    let (project, name) = (&cx.subject.project, &cx.subject.promotion);
    let found = control_plane.promotion(project, name).await.map_err(|cause| {
        StepError::retryable("the answers could not be looked at").because(cause)
    })?;
    let promotion = found.ok_or_else(|| {
        StepError::failed("there is no server that people could answer: run it in a control plane")
    })?;
    let all = responses_of(&promotion.metadata)
        .map_err(|cause| StepError::retryable("the answers could not be read").because(cause))?;
    Ok(all.get(cx.alias).cloned().unwrap_or_default())
}

/// The answers that count, as later steps see them.
pub(super) fn shown(prompt: &Prompt, responses: &[Response]) -> Value {
    let shown = counted(prompt, responses).into_iter();
    shown.map(|response| serde_json::to_value(&response.shown).unwrap_or_default()).collect()
}

/// The step waits, and tells for what.
pub(super) fn waiting(
    prompt: &Prompt,
    responses: &[Response],
    poll_interval: Option<PollInterval>,
    words: String,
) -> Outcome {
    let interval = poll_interval.map_or(POLL_INTERVAL, |given| given.0);
    Outcome::running(Some(interval))
        .with(PROMPT, serde_json::to_value(prompt).unwrap_or_default())
        .with("responses", shown(prompt, responses))
        .saying(words)
}

/// What a preview tells of a question.
pub(super) fn effect(action: &'static str, prompt: &Prompt, cx: &StepCx<'_>) -> Effect {
    Effect {
        step: cx.alias.to_owned(),
        action,
        target: format!("Promotion {}/{}", cx.subject.project, cx.subject.promotion),
        detail: serde_json::to_value(prompt).unwrap_or_default(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use api_kinds::{Promotion, annotations};

    use super::*;
    use crate::{Class, testbed::Testbed};

    /// Lets the step of the testbed have these answers.
    pub(in crate::steps) fn answer(testbed: &Testbed, responses: &Value) {
        let mut promotion = Promotion::default();
        let text = json!({ testbed.alias.as_str(): responses }).to_string();
        promotion.metadata.annotations = Some([(annotations::RESPONSES.to_owned(), text)].into());
        let name = testbed.subject.promotion.clone();
        testbed.control_plane.promotions.lock().insert(name, promotion);
    }

    #[tokio::test]
    async fn without_a_control_plane_there_is_nobody_to_ask() {
        let testbed = Testbed::new().await;
        let asked = testbed.run("wait-for-approval", json!({})).await;
        assert_eq!(asked.class, Some(Class::Failed));
        assert!(asked.message.starts_with("there is no server"), "{}", asked.message);
    }

    #[tokio::test]
    async fn a_control_plane_that_does_not_answer_is_asked_again() {
        let testbed = Testbed::new().await;
        let failure = crate::LookupError { message: "no answer".to_owned(), is_temporary: true };
        *testbed.control_plane.failure.lock() = Some(failure);
        let asked = testbed.run("wait-for-approval", json!({})).await;
        assert_eq!(asked.class, Some(Class::Retryable));
        assert_eq!(asked.message, "the answers could not be looked at: no answer");
    }

    #[tokio::test]
    async fn a_rule_names_a_claim_with_its_value_or_a_role() {
        let testbed = Testbed::new().await;
        for wrong in [
            json!({}),
            json!({"claim": "groups"}),
            json!({"role": ""}),
            json!({"claim": "groups", "value": "ops", "role": "dev"}),
            json!({"claim": "groups", "role": "dev"}),
            json!({"role": "dev", "name": "x"}),
        ] {
            let asked = testbed.run("wait-for-approval", json!({"approvers": [wrong]})).await;
            assert!(
                asked.message.starts_with("invalid wait-for-approval config: approvers[0]"),
                "{wrong}: {}",
                asked.message
            );
        }
    }
}
