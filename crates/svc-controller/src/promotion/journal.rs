//! The status of a Promotion as the journal of its steps.
//!
//! Few writes: the start of a step that changes nothing outside is not written by itself, and a Promotion of such
//! steps alone is written once, when it ended. What takes longer than a moment is told anyway ([`StatusJournal::keep_told`]).
//! Each write names the version it changes, so that nothing is written over what another process wrote.

use std::{sync::Arc, time::Duration};

use api_kinds::{
    Promotion, Stage, annotations,
    promotion::{PromotionPhase, PromotionStatus},
};
use core_engine::Progress;
use core_rules::{promotion as rules, wire_time::to_wire};
use futures::{FutureExt, future::BoxFuture};
use io_kube::{Backoff, Precondition, is_conflict, is_not_found, patch_status, status_code};
use kube::{
    Api, ResourceExt,
    api::{Patch, PatchParams},
};
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::{Mutex as AsyncMutex, Notify};
use work_steps::driver::{Entry, Journal, JournalError, Moment};

use super::{order::Begin, ticket::Ticket};
use crate::shared::Cx;

/// What is under way for longer is told.
const SLOW: Duration = Duration::from_millis(200);
/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(30);
/// Waits between tries while the API server does not answer.
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(200), max: Duration::from_secs(30) };

/// The journal of one Promotion.
pub(super) struct StatusJournal {
    cx: Cx,
    ticket: Arc<Ticket>,
    /// The status once the first step runs, without progress.
    outset: PromotionStatus,
    state: AsyncMutex<State>,
    /// The start of a step that is not written.
    untold: Mutex<Option<Progress>>,
    told_less: Notify,
}

struct State {
    /// As it was read or written last.
    known: Promotion,
    has_begun: bool,
    fate: Fate,
}

impl State {
    /// This is what the API server has.
    fn take(&mut self, promotion: Promotion) {
        if promotion.status.phase.is_terminal() {
            self.fate = Fate::Ended(Box::new(promotion.clone()));
        }
        self.known = promotion;
    }
}

/// What became of the Promotion, as far as the API server is concerned.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// It is under way.
    Open,
    /// Its end is written.
    Ended(Box<Promotion>),
    /// It is gone, or somebody else began or ended it, which is known from this version on: nothing of what we did is part
    /// of it.
    Lost(String),
    /// The process stops before something could be written.
    Unwritten,
}

impl StatusJournal {
    pub(super) fn new(cx: Cx, ticket: Arc<Ticket>, begin: &Begin) -> Self {
        let known = Promotion::clone(&begin.promotion);
        Self {
            cx,
            ticket,
            outset: begin.outset.clone(),
            state: AsyncMutex::new(State { known, has_begun: false, fate: Fate::Open }),
            untold: Mutex::default(),
            told_less: Notify::new(),
        }
    }

    /// From now on the Promotion counts as started.
    pub(super) async fn begin(&self) {
        self.state.lock().await.has_begun = true;
    }

    pub(super) async fn fate(&self) -> Fate {
        self.state.lock().await.fate.clone()
    }

    /// Writes that the Promotion waits, although it is its turn.
    pub(super) async fn queue(&self) -> Result<(), JournalError> {
        let mut state = self.state.lock().await;
        if state.known.status.phase != PromotionPhase::default() {
            return Ok(());
        }
        let status =
            PromotionStatus { phase: PromotionPhase::Pending, ..state.known.status.clone() };
        self.put(&mut state, status).await
    }

    /// Ends the Promotion other than by its steps.
    pub(super) async fn end(
        &self,
        phase: PromotionPhase,
        message: String,
    ) -> Result<(), JournalError> {
        let mut state = self.state.lock().await;
        let is_written = state.known.status.started_at.is_some();
        let base = if state.has_begun && !is_written { &self.outset } else { &state.known.status };
        let status = rules::ended(base, phase, message, self.cx.now());
        self.put(&mut state, status).await
    }

    /// Tells what is under way for longer than a moment; ends when that is impossible.
    pub(super) async fn keep_told(&self) -> JournalError {
        loop {
            self.told_less.notified().await;
            self.cx.ports.clock.sleep(SLOW).await;
            let mut state = self.state.lock().await;
            let Some(progress) = self.untold.lock().take() else { continue };
            let status = self.status(&PromotionPhase::Running, "", &progress);
            if let Err(error) = self.put(&mut state, status).await {
                return error;
            }
        }
    }

    fn status(
        &self,
        phase: &PromotionPhase,
        message: &str,
        progress: &Progress,
    ) -> PromotionStatus {
        let mut status = self.outset.clone();
        progress.write_into(&mut status);
        status.phase = phase.clone();
        message.clone_into(&mut status.message);
        status.last_handled_refresh = self.ticket.handled_refresh();
        status.finished_at = phase.is_terminal().then(|| to_wire(self.cx.now()));
        status
    }

    /// Writes a status over the known one, as often as it takes.
    async fn put(&self, state: &mut State, status: PromotionStatus) -> Result<(), JournalError> {
        if !matches!(state.fate, Fate::Open) {
            return Err(trouble("the promotion is not under way any more"));
        }
        let (mut status, mut attempt, mut is_reduced) = (status, 0, false);
        loop {
            let refusal = match self.patch(&state.known, &status).await {
                Ok(written) => {
                    state.take(written);
                    return Ok(());
                }
                Err(refusal) => refusal,
            };
            match refusal {
                Refusal::Conflict => {
                    self.reread(state, &status).await?;
                    if !matches!(state.fate, Fate::Open) {
                        return Ok(());
                    }
                }
                Refusal::Gone => return Err(lose(state, None)),
                Refusal::Invalid(reason) if !is_reduced => {
                    // What cannot be written is left out, so that the end can.
                    let message = format!("error updating status: {reason}");
                    let known = &state.known.status;
                    status = rules::ended(known, PromotionPhase::Errored, message, self.cx.now());
                    status.started_at.clone_from(&self.outset.started_at);
                    is_reduced = true;
                }
                Refusal::Invalid(reason) | Refusal::Unanswered(reason) => {
                    attempt += 1;
                    self.rest(state, attempt, &reason).await?;
                }
            }
        }
    }

    async fn patch(
        &self,
        known: &Promotion,
        status: &PromotionStatus,
    ) -> Result<Promotion, Refusal> {
        let new = Promotion { status: status.clone(), ..known.clone() };
        let write = patch_status(&self.cx.client, known, &new, Precondition::Version);
        match self.cx.ports.within(REQUEST, write).await {
            Some(Ok(written)) => Ok(written.unwrap_or(new)),
            Some(Err(error)) => Err(Refusal::of(&error)),
            None => Err(Refusal::Unanswered("no answer".to_owned())),
        }
    }

    /// Looks at what the API server has, because it is not what we know. It may have what we wrote: answers get
    /// lost.
    async fn reread(
        &self,
        state: &mut State,
        written: &PromotionStatus,
    ) -> Result<(), JournalError> {
        let (project, name) = (&self.ticket.key.namespace, &self.ticket.key.name);
        let promotions: Api<Promotion> = Api::namespaced(self.cx.client.clone(), project);
        let mut attempt = 0;
        loop {
            let reason = match self.cx.ports.within(REQUEST, promotions.get(name)).await {
                Some(Ok(found)) if self.is_ours(&found, written) => {
                    state.take(found);
                    return Ok(());
                }
                Some(Ok(found)) => return Err(lose(state, Some(&found))),
                Some(Err(error)) if is_not_found(&error) => return Err(lose(state, None)),
                Some(Err(error)) => error.to_string(),
                None => "no answer".to_owned(),
            };
            attempt += 1;
            self.rest(state, attempt, &reason).await?;
        }
    }

    /// Whether it is the same Promotion, and nobody else began or ended it: a process that led before can have done so
    /// with a request that was late. What it began is gone on with from where it is.
    fn is_ours(&self, found: &Promotion, written: &PromotionStatus) -> bool {
        let end = |status: &PromotionStatus| {
            (status.phase.clone(), status.message.clone(), status.finished_at.clone())
        };
        let begun = &found.status.started_at;
        let is_same = found.uid().as_deref() == Some(&self.ticket.uid)
            && (begun.is_none() || *begun == self.outset.started_at);
        is_same && (!found.status.phase.is_terminal() || end(&found.status) == end(written))
    }

    /// Waits before the next try, unless the process stops.
    async fn rest(
        &self,
        state: &mut State,
        attempt: u32,
        reason: &str,
    ) -> Result<(), JournalError> {
        let ports = &self.cx.ports;
        tracing::warn!(promotion = %self.ticket.key, reason, "status not written; trying again");
        tokio::select! {
            biased;
            () = ports.tasks.stopping() => {
                state.fate = Fate::Unwritten;
                Err(trouble("the process stops"))
            }
            () = ports.clock.sleep(BACKOFF.delay(attempt, &*ports.entropy)) => Ok(()),
        }
    }

    /// Asks the Stage to verify again what it holds already. Best effort: the Promotion succeeded all the same.
    async fn request_verification(&self, status: &PromotionStatus) {
        let key = &self.ticket.stage;
        let Some(stage) = self.cx.caches.stages.get(key) else { return };
        let Some(request) = rules::reverification(status, &stage) else { return };
        let stages: Api<Stage> = Api::namespaced(self.cx.client.clone(), &key.namespace);
        let patch =
            json!({"metadata": {"annotations": {annotations::REVERIFY: request.to_annotation()}}});
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        let asked = stages.patch(&key.name, &params, &patch);
        if let Some(Err(error)) = self.cx.ports.within(REQUEST, asked).await {
            tracing::warn!(stage = %key, %error, "verification not asked for");
        }
    }
}

impl Journal for StatusJournal {
    fn write<'a>(&'a self, entry: Entry<'a>, _: Moment) -> BoxFuture<'a, Result<(), JournalError>> {
        async move {
            let status = self.status(entry.phase, entry.message, entry.progress);
            if status.phase == PromotionPhase::Succeeded {
                self.request_verification(&status).await;
            }
            let mut state = self.state.lock().await;
            *self.untold.lock() = None;
            self.put(&mut state, status).await?;
            match &state.fate {
                Fate::Ended(ended) if !entry.phase.is_terminal() => {
                    Err(trouble(&ended.status.message))
                }
                _ => Ok(()),
            }
        }
        .boxed()
    }

    fn leaves_out(&self, start: Entry<'_>) -> bool {
        let was_told = self.untold.lock().replace(start.progress.clone()).is_none();
        if was_told {
            self.told_less.notify_one();
        }
        true
    }
}

/// Why a write was not made.
enum Refusal {
    /// The object changed meanwhile.
    Conflict,
    Gone,
    /// The API server will never take it.
    Invalid(String),
    /// It may later.
    Unanswered(String),
}

impl Refusal {
    fn of(error: &kube::Error) -> Self {
        match status_code(error) {
            _ if is_conflict(error) => Self::Conflict,
            _ if is_not_found(error) => Self::Gone,
            Some(413 | 422) => Self::Invalid(error.to_string()),
            // What etcd says passes through kube-apiserver as an error of its own.
            Some(500) if error.to_string().contains("request is too large") => {
                Self::Invalid(error.to_string())
            }
            _ => Self::Unanswered(error.to_string()),
        }
    }
}

fn trouble(message: &str) -> JournalError {
    JournalError { message: message.to_owned(), source: None }
}

/// The Promotion is not ours any more; `found` is what is in its place.
fn lose(state: &mut State, found: Option<&Promotion>) -> JournalError {
    let seen = found.unwrap_or(&state.known).metadata.resource_version.clone();
    state.fate = Fate::Lost(seen.unwrap_or_default());
    trouble("the promotion is gone, or somebody else began or ended it")
}
