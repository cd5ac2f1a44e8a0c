//! Asking one webhook, and what becomes of a call that fails.

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
use crate::admission::Request;

/// As much of an unexpected reply as an error shows.
const SHOWN: usize = 2048;

/// Asks a webhook. The error says why there is no answer that counts; the failure policy decides what follows.
pub(super) async fn ask(
    hooks: &Hooks,
    stage: Stage,
    invocation: &Invocation,
    request: &Request,
    object: Option<&Value>,
) -> Result<Answer, String> {
    let (hook, origin) = (&invocation.hook, &request.origin);
    let endpoint = hook.endpoint.as_ref().map_err(Clone::clone)?;
    let client = hooks.access.client.as_ref().ok_or("this server calls no webhooks")?;
    origin.remarks.note_asked();
    let uid = origin.state.entropy.uuid();
    let review = review::review(invocation, request, object, &uid);
    let url = format!("{}?timeout={}s", endpoint.url, hook.timeout.as_secs());
    let failed = |problem: &str| format!("failed to call webhook: Post {url:?}: {problem}");
    let endpoint = WebhookEndpoint { url: url.clone(), ..endpoint.clone() };
    let posted = client.post(endpoint, review.into(), hook.timeout);
    let reply = match future::select(posted, origin.state.clock.sleep(hook.timeout)).await {
        Either::Left((reply, _)) => reply.map_err(|problem| failed(&problem))?,
        Either::Right(_) => return Err(failed("context deadline exceeded")),
    };
    if !(200..=206).contains(&reply.status) {
        return Err(format!("failed to call webhook: {}", unexpected(&reply)));
    }
    let answer = Answer::read(&reply.body, &Expected { uid: &uid, version: hook.version, stage })?;
    for warning in &answer.warnings {
        origin.remarks.warn(warning);
    }
    for (key, value) in &answer.annotations {
        origin.remarks.annotate(format!("{}/{key}", hook.name), value);
    }
    Ok(answer)
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
    problem: &str,
    key: String,
) -> Result<(), Status> {
    if hook.ignores_failures {
        tracing::warn!(webhook = hook.name, problem, "webhook failed and is ignored");
        request.origin.remarks.annotate(key, &hook.name);
        return Ok(());
    }
    tracing::warn!(webhook = hook.name, problem, "webhook failed");
    Err(Status::internal(format!("failed calling webhook {:?}: {problem}", hook.name)))
}
