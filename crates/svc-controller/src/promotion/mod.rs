//! Promotions: run their steps, one Promotion of a Stage at a time.
//!
//! | what changes | what happens |
//! |---|---|
//! | a Promotion comes, or somebody asks to refresh or abort it | a pass |
//! | its Stage names it as the current one | a pass |
//! | it is deleted | a pass, which drops what it left here |
//! | an Application that its step looks at changes | the step is looked at |
//! | somebody answers a step that asks people | the step is looked at |
//!
//! A pass decides (`core_rules::promotion::decide`) and writes little. Steps run beside the passes, each Promotion
//! in a task of its own (`session`), as many at once as there are `permits`; others reach it through its `ticket`.
//! Progress goes through the `journal` into the status.

mod ending;
mod journal;
mod metrics;
mod order;
mod permits;
mod session;
mod sessions;
mod sweep;
mod ticket;
mod view;
mod wake;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use api_kinds::{Freight, Promotion, annotations, promotion::PromotionPhase};
use core_rules::promotion::{self as rules, Abort, Decision};
use io_kube::{
    Controller, EventRecorder, Failure, Family, Next, ObjectKey, Pass, Precondition, Queue,
    Workers, patch_status,
};
use kube::{Api, ResourceExt};
use parking_lot::Mutex;

use self::{
    metrics::Metrics,
    order::{Begin, order},
    permits::Permits,
    sessions::Sessions,
    ticket::Ticket,
    view::View,
};
use crate::shared::Cx;

/// How long an object waits whose name another still has.
const TAKEN: Duration = Duration::from_millis(100);

/// What passes and the tasks of Promotions work with.
pub(crate) struct Context {
    shared: Cx,
    queue: Queue<ObjectKey>,
    sessions: Sessions,
    permits: Permits,
    events: EventRecorder,
    metrics: Metrics,
    /// What we are called in events and as an actor.
    component: String,
    /// Promotions that went away before they ended, by their uid.
    abandoned: Mutex<BTreeMap<ObjectKey, String>>,
}

/// A running controller of Promotions.
pub(crate) struct Promotions {
    cx: Arc<Context>,
    pub(crate) workers: Workers,
}

impl Promotions {
    /// What is counted.
    pub(crate) fn figures(&self) -> impl Fn() -> Vec<Family> + Send + Sync + use<> {
        let cx = self.cx.clone();
        move || cx.metrics.families(cx.sessions.len())
    }
}

/// Starts the workers, after all there is is known.
pub(crate) fn start(shared: &Cx) -> Promotions {
    let component = shared.component("promotion-controller");
    let ports = &shared.ports;
    let queue = Queue::fair("promotion-controller", ports, |key: &ObjectKey| key.namespace.clone());
    let cx = Arc::new(Context {
        shared: shared.clone(),
        queue,
        sessions: Sessions::default(),
        permits: Permits::new(shared.settings.max_running_promotions),
        events: EventRecorder::start(shared.client.clone(), &component, ports),
        metrics: Metrics::default(),
        component,
        abandoned: Mutex::default(),
    });
    sweep::sweep(&cx);
    wake::listen(&cx);
    let passing = cx.clone();
    let workers = Controller::new(cx.queue.clone(), shared.settings.workers.promotions)
        .start(ports, move |key, pass| reconcile(passing.clone(), key, pass));
    Promotions { cx, workers }
}

async fn reconcile(cx: Arc<Context>, key: ObjectKey, pass: Pass) -> Result<Next, Failure> {
    if let Some(uid) = cx.abandoned.lock().remove(&key)
        && !cx.sessions.forget(&key)
    {
        ending::remove_directory(&cx, &uid);
    }
    let Some(promotion) = cx.shared.caches.promotions.get(&key) else { return Ok(Next::Done) };
    let ticket = cx.sessions.get(&key);
    if let Some(ticket) = ticket.filter(|ticket| promotion.uid().as_deref() != Some(&ticket.uid)) {
        ticket.forget();
        return Ok(Next::After(TAKEN));
    }
    let view = View::of(&cx, &key, promotion);
    let decision = view.decide(&cx);
    act(&cx, &pass, view, decision).await
}

async fn act(
    cx: &Arc<Context>,
    pass: &Pass,
    view: View,
    decision: Decision,
) -> Result<Next, Failure> {
    let (key, promotion) = (&view.key, &view.promotion);
    match decision {
        Decision::Leave => {}
        Decision::LookAgain(after) => return Ok(Next::After(after)),
        Decision::Queue => {
            let mut new = Promotion::clone(promotion);
            new.status.phase = PromotionPhase::Pending;
            write(cx, pass, promotion, &new).await?;
        }
        Decision::Start | Decision::Resume => begin(cx, view),
        Decision::Wake(token) => cx.sessions.refresh(key, token),
        Decision::Abort(abort) => {
            if !cx.sessions.abort(key, abort.clone()) {
                end(cx, pass, &view, PromotionPhase::Aborted, Some(abort), "").await?;
            }
        }
        Decision::Refuse(_) => return refuse(cx, pass, view).await,
        Decision::Forget => {
            // Also when it ended by a write of ours whose reply got lost.
            if !cx.sessions.forget(key) {
                ending::remove_directory(cx, &promotion.uid().unwrap_or_default());
            }
        }
    }
    Ok(Next::Done)
}

/// Ends a Promotion that cannot be done, unless only the cache says so: Freight that came or was verified a moment
/// ago may not be in it.
async fn refuse(cx: &Arc<Context>, pass: &Pass, mut view: View) -> Result<Next, Failure> {
    let pieces: Api<Freight> = Api::namespaced(cx.shared.client.clone(), &view.key.namespace);
    view.freight = pieces.get_opt(&view.promotion.spec.freight).await?.map(Arc::new);
    match view.decide(cx) {
        Decision::Refuse(reason) => {
            end(cx, pass, &view, PromotionPhase::Errored, None, &reason).await?;
        }
        Decision::Start | Decision::Resume => begin(cx, view),
        _ => {}
    }
    Ok(Next::Done)
}

/// Runs the steps in a task of their own. Where those of another Promotion of the Stage still end, it is woken then.
fn begin(cx: &Arc<Context>, view: View) {
    let View { key, promotion, stage: Some(stage), freight: Some(freight), target, .. } = view
    else {
        return;
    };
    if cx.sessions.is_busy(&ObjectKey::of(&*stage)) {
        return;
    }
    let outset = rules::outset(&promotion, &stage, &freight, cx.shared.now());
    let base_url = &cx.shared.settings.ui_base_url;
    let order = order(&promotion, &outset, &stage, &freight, target.as_deref(), base_url);
    // A refresh that was asked for before it began is handled by that.
    let refresh = promotion.annotations().get(annotations::REFRESH).cloned().unwrap_or_default();
    let (ticket, signal) = Ticket::new(key, order.uid.clone(), &promotion.spec.stage, refresh);
    let ticket = Arc::new(ticket);
    cx.sessions.add(&ticket);
    let begin = Begin { promotion, freight, outset, order };
    let run = session::run(cx.clone(), ticket, begin, signal);
    cx.shared.ports.tasks.spawn("promotion", Box::pin(run));
}

/// Ends a Promotion that does not run here.
async fn end(
    cx: &Context,
    pass: &Pass,
    view: &View,
    phase: PromotionPhase,
    abort: Option<Abort>,
    reason: &str,
) -> Result<(), Failure> {
    let message = abort.as_ref().map_or(reason, |abort| &abort.message).to_owned();
    let mut new = Promotion::clone(&view.promotion);
    new.status = rules::ended(&new.status, phase, message, cx.shared.now());
    if let Some(token) = rules::unhandled_refresh(&view.promotion) {
        token.clone_into(&mut new.status.last_handled_refresh);
    }
    let ended = write(cx, pass, &view.promotion, &new).await?;
    ending::remove_directory(cx, &view.promotion.uid().unwrap_or_default());
    ending::tell(cx, &ended, view.freight.as_deref(), abort.as_ref());
    Ok(())
}

async fn write(
    cx: &Context,
    pass: &Pass,
    old: &Promotion,
    new: &Promotion,
) -> Result<Promotion, Failure> {
    let written = patch_status(&cx.shared.client, old, new, Precondition::Version).await?;
    let Some(written) = written else { return Ok(new.clone()) };
    pass.wrote(&cx.shared.caches.promotions, &written);
    Ok(written)
}
