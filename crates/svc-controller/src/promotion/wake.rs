//! Which changes wake a Promotion.

use std::sync::Arc;

use api_kinds::{Promotion, Stage, annotations};
use io_kube::ObjectKey;
use kube::ResourceExt;

use super::Context;

/// Looks at every change from now on, and at what is there already.
pub(super) fn listen(cx: &Arc<Context>) {
    let caches = &cx.shared.caches;
    let waker = cx.clone();
    caches.promotions.on_change(move |old, new| notice(&waker, old, new));
    let waker = cx.clone();
    caches.stages.on_change(move |old, new| wake_next(&waker, old, new));
    if let Some(applications) = &cx.shared.applications {
        let waker = cx.clone();
        applications.on_change(move |old, new| waker.sessions.notice(old, new));
    }
}

impl Context {
    /// Wakes the current Promotion of a Stage.
    pub(super) fn wake_current(&self, stage: &ObjectKey) {
        let stage = self.shared.caches.stages.get(stage);
        if let Some(current) = stage.and_then(|stage| current_promotion(&stage)) {
            self.queue.add(current);
        }
    }
}

fn notice(cx: &Context, old: Option<&Promotion>, new: Option<&Promotion>) {
    if let (Some(old), Some(new)) = (old, new)
        && responses(old) != responses(new)
    {
        cx.sessions.wake(&ObjectKey::of(new));
    }
    match (old, new) {
        (None, Some(new)) if !new.status.phase.is_terminal() => cx.queue.add(ObjectKey::of(new)),
        (Some(old), Some(new)) if what_counts(old) != what_counts(new) => {
            cx.queue.add(ObjectKey::of(new));
        }
        (Some(old), None) if !old.status.phase.is_terminal() => {
            let key = ObjectKey::of(old);
            cx.abandoned.lock().insert(key.clone(), old.uid().unwrap_or_default());
            cx.queue.add(key);
        }
        _ => {}
    }
}

/// What people answered to its steps.
fn responses(promotion: &Promotion) -> Option<&String> {
    promotion.annotations().get(annotations::RESPONSES)
}

/// What a pass depends on, besides its own status.
fn what_counts(promotion: &Promotion) -> impl PartialEq + '_ {
    let (metadata, notes) = (&promotion.metadata, promotion.annotations());
    (
        metadata.uid.as_ref(),
        metadata.generation,
        metadata.deletion_timestamp.is_some(),
        notes.get(annotations::REFRESH),
        notes.get(annotations::ABORT),
        // Others may end it too.
        promotion.status.phase.is_terminal(),
    )
}

/// Wakes the Promotion whose turn it is now.
fn wake_next(cx: &Context, old: Option<&Stage>, new: Option<&Stage>) {
    let current = new.and_then(current_promotion);
    if let Some(current) =
        current.filter(|key| old.and_then(current_promotion).as_ref() != Some(key))
    {
        cx.queue.add(current);
    }
}

/// The Promotion that the Stage names as its current one.
fn current_promotion(stage: &Stage) -> Option<ObjectKey> {
    let current = stage.status.current_promotion.as_ref()?;
    Some(ObjectKey::new(stage.namespace().unwrap_or_default(), &current.name))
}
