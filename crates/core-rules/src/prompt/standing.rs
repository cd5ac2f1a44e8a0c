//! What the answers to a step come to.

use api_rest::body::{ResponderRule, StepResponse};

use super::{
    ask::{Ask, Prompt},
    response::{APPROVE, REJECT, Response, SUBMIT},
    rule::words,
    schema::InputSchema,
};

/// What the answers come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Answers are waited for; these words say whose.
    Awaited(String),
    /// Enough people approved.
    Approved,
    /// Somebody is against it.
    Rejected(StepResponse),
    /// Somebody gave the values.
    Submitted(Response),
}

/// What the answers come to.
pub fn standing(prompt: &Prompt, responses: &[Response]) -> Standing {
    let counted = counted(prompt, responses);
    match &prompt.ask {
        Ask::Approval { min_approvals } => approvals(&prompt.rules, *min_approvals, &counted),
        Ask::Input { .. } => match counted.first() {
            Some(response) => Standing::Submitted((*response).clone()),
            None => Standing::Awaited("waiting for input".to_owned()),
        },
    }
}

/// The answers that count, one for each person: those that fit what is asked, by those whom the rules let answer. What
/// was answered under other rules or another schema does not count if it would not be taken now.
pub fn counted<'a>(prompt: &Prompt, responses: &'a [Response]) -> Vec<&'a Response> {
    let rules = &prompt.rules;
    let schema = match &prompt.ask {
        Ask::Approval { .. } => None,
        Ask::Input { schema, .. } => InputSchema::compile(schema).ok(),
    };
    let fits = |response: &Response| match (&prompt.ask, response.shown.action.as_str()) {
        (Ask::Approval { .. }, APPROVE | REJECT) => true,
        (Ask::Input { .. }, SUBMIT) => {
            schema.as_ref().is_some_and(|schema| schema.check(&response.values).is_empty())
        }
        _ => false,
    };
    let mut counted: Vec<&Response> = Vec::new();
    for response in responses {
        let is_allowed = rules.is_empty() || rules.iter().any(|rule| response.meets(rule));
        let is_known = counted.iter().any(|other| other.shown.user == response.shown.user);
        if is_allowed && !is_known && fits(response) {
            counted.push(response);
        }
    }
    counted
}

fn approvals(rules: &[ResponderRule], min_approvals: u32, counted: &[&Response]) -> Standing {
    if let Some(refusal) = counted.iter().find(|response| response.shown.action == REJECT) {
        return Standing::Rejected(refusal.shown.clone());
    }
    let required = rules.iter().filter(|rule| rule.required);
    let unmet: Vec<String> = required
        .filter(|rule| !counted.iter().any(|response| response.meets(rule)))
        .map(words)
        .collect();
    let count = counted.len();
    if u32::try_from(count).unwrap_or(u32::MAX) >= min_approvals && unmet.is_empty() {
        return Standing::Approved;
    }
    let unmet = match unmet.as_slice() {
        [] => String::new(),
        unmet => format!("; still needed: {}", unmet.join(", ")),
    };
    Standing::Awaited(format!("waiting for approval: {count} of {min_approvals} given{unmet}"))
}
