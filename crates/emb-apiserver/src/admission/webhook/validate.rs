//! Validating webhooks: all that match are asked side by side, and the first refusal in their order counts.

use emb_meta::Status;
use futures::future::{BoxFuture, FutureExt, join_all};
use serde_json::Value;

use super::{
    Hooks, Stage, call, denial, is_exempt,
    matching::{Invocation, invocation},
};
use crate::{admission::Request, metrics::Ended};

/// Asks whether the object may be stored; without one, whether the old object may go.
///
/// Boxed, so that writes without webhooks do not carry the room for them.
pub(crate) fn validate<'a>(
    hooks: &'a Hooks,
    request: &'a Request,
    object: Option<&'a Value>,
) -> BoxFuture<'a, Result<(), Status>> {
    async move {
        let list = hooks.list(Stage::Validating);
        if list.is_empty() || is_exempt(request) {
            return Ok(());
        }
        let matched = list.iter().map(|hook| invocation(hook, request, object));
        let invocations: Vec<Invocation> =
            matched.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        let asked = invocations
            .iter()
            .enumerate()
            .map(|(index, invocation)| consult(hooks, invocation, request, object, index));
        join_all(asked).await.into_iter().collect()
    }
    .boxed()
}

async fn consult(
    hooks: &Hooks,
    invocation: &Invocation,
    request: &Request,
    object: Option<&Value>,
    index: usize,
) -> Result<(), Status> {
    let (hook, stage) = (&invocation.hook, Stage::Validating);
    let started = request.origin.state.clock.monotonic();
    let (ended, verdict) = match call::ask(hooks, stage, invocation, request, object).await {
        Ok(answer) if answer.allowed => (Ended::Allowed, Ok(())),
        Ok(answer) => {
            let denied = denial::denied(&hook.name, answer.status.as_ref());
            (Ended::Denied(denied.code), Err(denied))
        }
        Err(unanswered) => {
            let key =
                format!("failed-open.validating.webhook.admission.k8s.io/round_0_index_{index}");
            let settled = call::settle_failure(hook, request, &unanswered, key);
            (unanswered.end(hook), settled)
        }
    };
    call::count(hook, stage, request, ended, started);
    verdict
}
