//! Asking one webhook, and what becomes of a call that fails.

use std::time::Duration;

use emb_meta::Status;
use futures::future::{self, Either};
use serde_json::Value;

use super::{
    Hooks, Stage, WebhookEndpoint, WebhookReply,
    answer::{Answer, Expected},
    hook::Hook,
    matching::Invocation,
    review,
};
use crate::{
    admission::Request,
    metrics::{Asked, Ended},
};

/// As much of an unexpected reply as an error shows.
const SHOWN: usize = 2048;

/// Why there is no answer that counts.
pub(super) struct Unanswered {
    problem: String,
    /// What figures count it under.
    code: u16,
}

impl Unanswered {
    /// The call itself cannot be made.
    fn uncallable(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), code: 500 }
    }

    /// What came back is no answer.
    pub(super) fn unusable(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), code: 503 }
    }

    /// How that ends, with the failure policy of the webhook.
    pub(super) fn end(&self, hook: &Hook) -> Ended {
        if hook.ignores_failures { Ended::FailedOpen(self.code) } else { Ended::Failed(self.code) }
    }
}

/// Asks a webhook. The error says why there is no answer that counts; the failure policy decides what follows.
pub(super) async fn ask(
    hooks: &Hooks,
    stage: Stage,
    invocation: &Invocation,
    request: &Request,
    object: Option<&Value>,
) -> Result<Answer, Unanswered> {
    let (hook, origin) = (&invocation.hook, &request.origin);
    let endpoint = hook.endpoint.as_ref().map_err(Unanswered::uncallable)?;
    let client = hooks.access.client.as_ref();
    let client = client.ok_or_else(|| Unanswered::uncallable("this server calls no webhooks"))?;
    origin.remarks.note_asked();
    let uid = origin.state.entropy.uuid();
    let review = review::review(invocation, request, object, &uid);
    let url = format!("{}?timeout={}s", endpoint.url, hook.timeout.as_secs());
    let failed = |problem: &str| {
        Unanswered::unusable(format!("failed to call webhook: Post {url:?}: {problem}"))
    };
    let endpoint = WebhookEndpoint { url: url.clone(), ..endpoint.clone() };
    let posted = client.post(endpoint, review.into(), hook.timeout);
    let reply = match future::select(posted, origin.state.clock.sleep(hook.timeout)).await {
        Either::Left((reply, _)) => reply.map_err(|problem| failed(&problem))?,
        Either::Right(_) => return Err(failed("context deadline exceeded")),
    };
    if !(200..=206).contains(&reply.status) {
        let problem = format!("failed to call webhook: {}", unexpected(&reply));
        return Err(Unanswered { problem, code: reply.status });
    }
    let expected = Expected { uid: &uid, version: hook.version, stage };
    let answer = Answer::read(&reply.body, &expected).map_err(Unanswered::unusable)?;
    for warning in &answer.warnings {
        origin.remarks.warn(warning);
    }
    for (key, value) in &answer.annotations {
        origin.remarks.annotate(format!("{}/{key}", hook.name), value);
    }
    Ok(answer)
}

/// Tells the figures how it ended; `started` is when the webhook was asked.
pub(super) fn count(hook: &Hook, stage: Stage, request: &Request, ended: Ended, started: Duration) {
    let (state, operation) = (&request.origin.state, request.operation.name());
    let asked = Asked { name: &hook.name, stage: stage.figure(), operation };
    let took = state.clock.monotonic().saturating_sub(started);
    state.metrics.webhooks.observe(asked, ended, took);
}

/// What a reply says that is no answer.
fn unexpected(reply: &WebhookReply) -> String {
    let body = String::from_utf8_lossy(reply.body.get(..SHOWN).unwrap_or(&reply.body));
    let text = if reply.content_type.starts_with("text/") { body.trim() } else { "unknown" };
    match reply.status {
        400 => "the server rejected our request for an unknown reason".to_owned(),
        401 => "the server has asked for the client to provide credentials".to_owned(),
        403 => text.to_owned(),
        404 => "the server could not find the requested resource".to_owned(),
        409 => "the server reported a conflict".to_owned(),
        429 => "the server has received too many requests and has asked us to try again later"
            .to_owned(),
        503 => "the server is currently unable to handle the request".to_owned(),
        504 => "the server was unable to return a response in the time allotted, but may still be processing the request".to_owned(),
        500.. => {
            format!("an error on the server ({text:?}) has prevented the request from succeeding")
        }
        code => format!(
            "the server responded with the status code {code} but did not return more information"
        ),
    }
}

/// A call failed: the request goes on without the webhook, or ends with 500. `key` is for the audit log.
pub(super) fn settle_failure(
    hook: &Hook,
    request: &Request,
    unanswered: &Unanswered,
    key: String,
) -> Result<(), Status> {
    let problem = unanswered.problem.as_str();
    if hook.ignores_failures {
        tracing::warn!(webhook = hook.name, problem, "webhook failed and is ignored");
        request.origin.remarks.annotate(key, &hook.name);
        return Ok(());
    }
    tracing::warn!(webhook = hook.name, problem, "webhook failed");
    Err(Status::internal(format!("failed calling webhook {:?}: {problem}", hook.name)))
}
