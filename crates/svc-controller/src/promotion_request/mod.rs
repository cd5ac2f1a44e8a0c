//! PromotionRequests: how they stand.
//!
//! | what changes | what happens |
//! |---|---|
//! | a PromotionRequest comes or its spec changes | a pass |
//! | its Stage takes it up, or lets go of it | a pass |
//!
//! The Stage decides whose turn it is; a pass writes what follows from that.

use std::sync::Arc;

use api_kinds::{PromotionRequest, Stage};
use core_rules::stage::request_status;
use io_kube::{
    Controller, Failure, Next, ObjectKey, Pass, Precondition, Queue, Workers, patch_status,
};

use crate::{caches::beside, shared::Cx};

/// Starts the workers, after all there is is known.
pub(crate) fn start(cx: &Cx) -> Workers {
    let queue = Queue::fair("promotion-request-controller", &cx.ports, |key: &ObjectKey| {
        key.namespace.clone()
    });
    let woken = queue.clone();
    cx.caches.promotion_requests.on_change(move |old, new| {
        let state = |request: &PromotionRequest| {
            (request.metadata.uid.clone(), request.metadata.generation)
        };
        if let Some(new) = new.filter(|new| old.map(state) != Some(state(new))) {
            woken.add(ObjectKey::of(new));
        }
    });
    let woken = queue.clone();
    cx.caches.stages.on_change(move |old, new| {
        let (before, after) = (old.and_then(current), new.and_then(current));
        if before != after {
            before.into_iter().chain(after).for_each(|key| woken.add(key));
        }
    });
    let shared = cx.clone();
    Controller::new(queue, cx.settings.workers.promotion_requests)
        .start(&cx.ports, move |key, pass| reconcile(shared.clone(), key, pass))
}

/// The PromotionRequest that a Stage has taken up.
fn current(stage: &Stage) -> Option<ObjectKey> {
    let current = stage.status.current_promotion_request.as_ref()?;
    Some(beside(stage, &current.name))
}

async fn reconcile(cx: Cx, key: ObjectKey, pass: Pass) -> Result<Next, Failure> {
    let Some(request) = cx.caches.promotion_requests.get(&key) else { return Ok(Next::Done) };
    let stage: Option<Arc<Stage>> = cx.caches.stages.get(&beside(&*request, &request.spec.stage));
    let Some(status) = request_status(&request, stage.as_deref(), cx.now()) else {
        return Ok(Next::Done);
    };
    let new = PromotionRequest { status, ..(*request).clone() };
    if let Some(written) = patch_status(&cx.client, &*request, &new, Precondition::Version).await? {
        pass.wrote(&cx.caches.promotion_requests, &written);
    }
    Ok(Next::Done)
}
