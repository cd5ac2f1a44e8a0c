//! Steps that ask people: what they ask, and the answers.

use std::sync::Arc;

use api_kinds::Promotion;
use api_rest::body::{RespondRequest, StepPrompt};
use axum::extract::Path;
use core_rules::{
    access::user_name,
    prompt::{
        Answer, Ask, Recorded, Responder, ResponseError, Violation, counted, prompt_of, refusal,
        respond, responses_of,
    },
};
use http::StatusCode;
use serde_json::{Map, Value};

use crate::{
    api_error::{ApiError, ApiResult},
    authentication::Identity,
    caller::{Caller, Grant, Target, Verb},
    document::Document,
    json::Json,
    mirror::kinds,
};

const REASON: &str = "the rules of the step say who may answer, and the server writes it down";
/// How often an answer is tried again while others write the Promotion.
const MAX_TRIES: usize = 8;

/// Returns what a step asks, and whether the caller may answer.
pub(super) async fn prompt_get(
    caller: Caller,
    Path((project, name, step)): Path<(String, String, String)>,
) -> ApiResult<Document> {
    let object = caller.get(&caller.mirrors().promotions, &project, &name).await?;
    let unreadable = || ApiError::internal("the Promotion cannot be read");
    let promotion: Arc<Promotion> = object.typed().ok_or_else(unreadable)?;
    let prompt = prompt_of(&promotion, &step).map_err(|error| match error {
        ResponseError::NotWaiting { .. } => ApiError::not_found(error.to_string()),
        error => refused(error),
    })?;
    let user = caller.actor();
    let obstacle = refusal(&promotion, &step, &responder(&caller, &user, &project)).err();
    let responses = responses_of(&promotion.metadata)
        .map_err(|error| refused(error.into()))?
        .remove(&step)
        .unwrap_or_default();
    let shown = counted(&prompt, &responses).into_iter().map(|one| one.shown.clone()).collect();
    let body = StepPrompt {
        rules: prompt.rules,
        responses: shown,
        can_respond: obstacle.is_none(),
        reason: obstacle.map(|error| error.to_string()).unwrap_or_default(),
        ..asked(prompt.ask)
    };
    Document::of(&body)
}

/// Takes the caller's answer to a step.
pub(super) async fn response_create(
    caller: Caller,
    Path((project, name, step)): Path<(String, String, String)>,
    Json(given): Json<RespondRequest>,
) -> ApiResult<Document> {
    caller.get(&caller.mirrors().promotions, &project, &name).await.map(drop)?;
    let user = caller.actor();
    let responder = responder(&caller, &user, &project);
    let answer = Answer { action: &given.action, message: &given.message, values: given.values };
    let target = Target::one(&kinds::PROMOTION, &project, &name);
    let mut tries = 0;
    loop {
        tries += 1;
        let grant = Grant::of_the_server(REASON, Verb::Get, target.clone());
        // What is kept in memory may be older than the last answer.
        let promotion: Promotion = caller.fetch(grant, &kinds::PROMOTION).await?;
        let recorded = take(&caller, &promotion, &step, &responder, &answer)?;
        let grant = Grant::of_the_server(REASON, Verb::Patch, target.clone());
        let written = caller.merge_patch(grant, &caller.mirrors().promotions, &recorded.patch);
        match written.await {
            Ok(()) => {
                caller.api().tell(recorded.event);
                return Document::of(&recorded.response);
            }
            Err(error) if error.status() == StatusCode::CONFLICT && tries < MAX_TRIES => {}
            Err(error) => return Err(error),
        }
    }
}

fn take(
    caller: &Caller,
    promotion: &Promotion,
    step: &str,
    responder: &Responder<'_>,
    answer: &Answer<'_>,
) -> ApiResult<Recorded> {
    let api = caller.api();
    let (argocd, now) = (&api.settings().argocd_namespace, api.ports().clock.now());
    respond(promotion, step, responder, answer, argocd, now).map_err(refused)
}

/// The caller, as rules look at them.
fn responder<'a>(caller: &'a Caller, user: &'a str, project: &str) -> Responder<'a> {
    let identity = caller.identity();
    let roles = match identity {
        Identity::Admin | Identity::Local => Vec::new(),
        Identity::Oidc(person) => {
            person.accounts.get(project).into_iter().flatten().map(String::as_str).collect()
        }
        // Whoever has the token of a role has the role.
        Identity::Kubernetes(subject) => {
            subject.user.strip_prefix(&user_name(project, "")).into_iter().collect()
        }
    };
    Responder {
        user,
        is_administrator: matches!(identity, Identity::Admin | Identity::Local),
        claims: match identity {
            Identity::Oidc(person) => Some(&person.claims),
            Identity::Admin | Identity::Local | Identity::Kubernetes(_) => None,
        },
        roles,
    }
}

fn asked(ask: Ask) -> StepPrompt {
    match ask {
        Ask::Approval { min_approvals } => StepPrompt {
            kind: "approval".to_owned(),
            min_approvals: Some(min_approvals),
            ..StepPrompt::default()
        },
        Ask::Input { display, schema } => StepPrompt {
            kind: "input".to_owned(),
            display,
            schema: Some(schema),
            ..StepPrompt::default()
        },
    }
}

/// A refusal; where values do not fit, a form finds the places in the details.
fn refused(error: ResponseError) -> ApiError {
    let violations: Vec<Value> = error.violations().iter().map(Violation::to_json).collect();
    let details = match violations.as_slice() {
        [] => Map::new(),
        _ => Map::from_iter([("violations".to_owned(), Value::Array(violations))]),
    };
    ApiError::refused(error).with_details(details)
}
