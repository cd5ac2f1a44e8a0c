//! Taking an answer.

use api_kinds::{Promotion, annotations};
use api_rest::body::StepResponse;
use core_clock::Time;
use serde_json::{Map, Value, json};

use super::{
    ask::{Ask, Prompt, prompt_of},
    error::ResponseError,
    response::{APPROVE, REJECT, Response, SUBMIT, responses_of},
    rule::{Responder, words},
    schema::InputSchema,
    standing::{Standing, counted, standing},
};
use crate::{
    action::COMPONENT,
    event::{self, Event, Teller},
};

/// The longest word to those who read it later.
const MAX_MESSAGE: usize = 1_024;
/// The most that values may take.
const MAX_VALUES: usize = 32 << 10;
/// Annotations of an object share 256 KiB.
const MAX_RESPONSES: usize = 128 << 10;

/// What somebody answers.
#[derive(Clone, Debug, Default)]
pub struct Answer<'a> {
    /// `approve`, `reject` or `submit`.
    pub action: &'a str,
    /// A word to those who read it later.
    pub message: &'a str,
    /// The values that were asked for.
    pub values: Map<String, Value>,
}

/// An answer to write and to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The merge patch of the Promotion. It names the version it is for: of two who answer at once, the second
    /// reads what the first one wrote.
    pub patch: Value,
    /// The answer as others see it.
    pub response: StepResponse,
    /// What is told.
    pub event: Event,
}

/// Takes an answer to a step of a Promotion. Applications without a namespace are in that of Argo CD.
pub fn respond(
    promotion: &Promotion,
    step: &str,
    responder: &Responder<'_>,
    answer: &Answer<'_>,
    argocd_namespace: &str,
    now: Time,
) -> Result<Recorded, ResponseError> {
    let prompt = prompt_of(promotion, step)?;
    check_responder(promotion, step, &prompt, responder)?;
    check_answer(step, &prompt.ask, answer)?;
    let response = Response {
        shown: StepResponse {
            user: responder.user.to_owned(),
            action: answer.action.to_owned(),
            time: now.to_rfc3339_seconds(),
            message: answer.message.to_owned(),
        },
        rules: responder.met(&prompt.rules),
        values: answer.values.clone(),
    };
    let shown = response.shown.clone();
    let mut responses = responses_of(&promotion.metadata)?;
    responses.entry(step.to_owned()).or_default().push(response);
    let text = serde_json::to_string(&responses).unwrap_or_default();
    if text.len() > MAX_RESPONSES {
        return Err(ResponseError::Full);
    }
    let patch = json!({"metadata": {
        "resourceVersion": promotion.metadata.resource_version,
        "annotations": {annotations::RESPONSES: text},
    }});
    let teller = Teller { component: COMPONENT, argocd_namespace, now };
    let event = event::promotion_answered(promotion, step, &shown, &teller);
    Ok(Recorded { patch, response: shown, event })
}

/// Why somebody may not answer a step; nothing when they may.
pub fn refusal(
    promotion: &Promotion,
    step: &str,
    responder: &Responder<'_>,
) -> Result<(), ResponseError> {
    check_responder(promotion, step, &prompt_of(promotion, step)?, responder)
}

fn check_responder(
    promotion: &Promotion,
    step: &str,
    prompt: &Prompt,
    responder: &Responder<'_>,
) -> Result<(), ResponseError> {
    let rules = &prompt.rules;
    let step = step.to_owned();
    if !rules.is_empty() && !responder.is_administrator && responder.met(rules).is_empty() {
        let rules: Vec<String> = rules.iter().map(words).collect();
        return Err(ResponseError::NotAllowed { step, rules: rules.join(" or ") });
    }
    let responses = responses_of(&promotion.metadata)?.remove(&step).unwrap_or_default();
    let counted = counted(prompt, &responses);
    if counted.iter().any(|response| response.shown.user == responder.user) {
        return Err(ResponseError::Answered { step, user: responder.user.to_owned() });
    }
    let is_open = matches!(standing(prompt, &responses), Standing::Awaited(_));
    match counted.last() {
        Some(last) if !is_open => {
            Err(ResponseError::Decided { step, user: last.shown.user.clone() })
        }
        _ => Ok(()),
    }
}

fn check_answer(step: &str, ask: &Ask, answer: &Answer<'_>) -> Result<(), ResponseError> {
    let wrong = |allowed| ResponseError::Action {
        step: step.to_owned(),
        allowed,
        action: answer.action.to_owned(),
    };
    if answer.message.chars().count() > MAX_MESSAGE {
        return Err(ResponseError::LongMessage { limit: MAX_MESSAGE });
    }
    match ask {
        Ask::Approval { .. } => {
            let is_known = [APPROVE, REJECT].contains(&answer.action);
            let is_plain = answer.values.is_empty();
            (is_known && is_plain).then_some(()).ok_or_else(|| wrong("approve or reject"))
        }
        Ask::Input { schema, .. } => {
            if answer.action != SUBMIT {
                return Err(wrong("submit"));
            }
            let size = serde_json::to_vec(&answer.values).map_or(usize::MAX, |text| text.len());
            if size > MAX_VALUES {
                return Err(ResponseError::LargeValues { limit: MAX_VALUES });
            }
            let schema = InputSchema::compile(schema)
                .map_err(|problem| ResponseError::Schema(problem.to_string()))?;
            let violations = schema.check(&answer.values);
            if violations.is_empty() { Ok(()) } else { Err(ResponseError::Values(violations)) }
        }
    }
}
