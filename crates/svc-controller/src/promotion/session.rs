//! One Promotion, from its first step to its end, as a task beside the passes.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use api_kinds::promotion::PromotionPhase;
use core_rules::fault;
use futures::FutureExt;
use work_steps::{
    Effects,
    driver::{Driver, Error, Passed, Session, Silent, Stop, StopSignal, panic_text},
};

use super::{
    Context, ending,
    journal::{Fate, StatusJournal},
    order::{Begin, NotingRunner},
    permits::Permit,
    ticket::Ticket,
};

/// Who waits longer for a permit is told to wait.
const LONG_WAIT: Duration = Duration::from_secs(3);

/// Runs a Promotion until it ended, is gone, or the process stops.
pub(super) async fn run(cx: Arc<Context>, ticket: Arc<Ticket>, begin: Begin, signal: StopSignal) {
    let journal = Arc::new(StatusJournal::new(cx.shared.clone(), ticket.clone(), &begin));
    let freight = begin.freight.clone();
    let run = Run { cx: &cx, ticket: &ticket, journal: &journal, signal };
    let stopping = async {
        cx.shared.ports.tasks.stopping().await;
        ticket.suspend();
        std::future::pending::<()>().await;
    };
    // Nothing of the run is used after a panic but what the journal wrote.
    let work = AssertUnwindSafe(run.work(begin)).catch_unwind();
    let worked = tokio::select! {
        biased;
        worked = work => worked,
        () = stopping => return,
    };
    if let Err(panic) = worked {
        let text = panic_text(&*panic);
        tracing::error!(promotion = %ticket.key, panic = text, "promotion panicked");
        note(&ticket, journal.end(PromotionPhase::Errored, text.to_owned()).await);
    }
    ticket.end();
    cx.wake_current(&ticket.stage);
    match journal.fate().await {
        Fate::Ended(promotion) => ending::conclude(&cx, &ticket, &promotion, &freight).await,
        Fate::Lost(version) => {
            ending::remove_directory(&cx, &ticket.uid);
            ending::seen(&cx, &version).await;
        }
        Fate::Open | Fate::Unwritten if ticket.is_forgotten() => {
            ending::remove_directory(&cx, &ticket.uid);
        }
        Fate::Open | Fate::Unwritten => {}
    }
    cx.sessions.remove(&ticket);
    // Somebody else may have begun what is under way now; it goes on from there.
    cx.wake_current(&ticket.stage);
}

struct Run<'a> {
    cx: &'a Arc<Context>,
    ticket: &'a Arc<Ticket>,
    journal: &'a Arc<StatusJournal>,
    signal: StopSignal,
}

impl Run<'_> {
    async fn work(mut self, begin: Begin) {
        let Some(permit) = self.first_permit().await else { return };
        self.journal.begin().await;
        match self.open(begin) {
            Ok(session) => self.walk(session, permit).await,
            Err(error) => self.fail(&error).await,
        }
    }

    /// Waits for its turn among all that run; `None` when it was stopped meanwhile.
    async fn first_permit(&mut self) -> Option<Permit> {
        let project = &self.ticket.key.namespace;
        let clock = &self.cx.shared.ports.clock;
        let mut permit = std::pin::pin!(self.cx.permits.acquire(project));
        let stop = tokio::select! {
            biased;
            stop = self.signal.wait() => stop,
            permit = &mut permit => return Some(permit),
            () = clock.sleep(LONG_WAIT) => {
                note(self.ticket, self.journal.queue().await);
                tokio::select! {
                    biased;
                    stop = self.signal.wait() => stop,
                    permit = permit => return Some(permit),
                }
            }
        };
        if let Stop::Abort(message) = stop {
            note(self.ticket, self.journal.end(PromotionPhase::Aborted, message).await);
        }
        None
    }

    fn open(&self, begin: Begin) -> Result<Session, Error> {
        let shared = &self.cx.shared;
        let progress = begin.progress();
        let runner = NotingRunner {
            inner: shared.steps.runner.clone(),
            ticket: self.ticket.clone(),
            argocd_namespace: shared.settings.argocd_namespace.clone(),
        };
        let driver = Driver {
            order: Arc::new(begin.order),
            runner: Arc::new(runner),
            control_plane: shared.steps.control_plane.clone(),
            clock: shared.ports.clock.clone(),
            journal: self.journal.clone(),
            observer: Arc::new(Silent),
            effects: Effects::Real,
            root: shared.steps.directory.clone(),
            quota_bytes: shared.steps.quota_bytes,
        };
        driver.open(progress)
    }

    async fn walk(&mut self, mut session: Session, permit: Permit) {
        let mut permit = Some(permit);
        loop {
            let passed = tokio::select! {
                biased;
                passed = session.pass(&mut self.signal) => passed,
                error = self.journal.keep_told() => Err(Error::Journal(error)),
            };
            match passed {
                Ok(Passed::Waiting(after)) => {
                    permit = None;
                    permit = self.wait(after).await.or(permit);
                }
                Ok(Passed::Ended(_) | Passed::Suspended) => break,
                Err(error) => {
                    self.fail(&error).await;
                    break;
                }
            }
        }
        drop(permit);
    }

    /// Waits until the step is to be looked at again, and for a permit to do so. What is to be stopped needs none.
    async fn wait(&mut self, after: Duration) -> Option<Permit> {
        let clock = &self.cx.shared.ports.clock;
        tokio::select! {
            biased;
            _ = self.signal.wait() => return None,
            () = self.ticket.woken() => {}
            () = clock.sleep(after) => {}
        }
        tokio::select! {
            biased;
            _ = self.signal.wait() => None,
            permit = self.cx.permits.acquire(&self.ticket.key.namespace) => Some(permit),
        }
    }

    /// Something other than a step went wrong. Where the journal says why already, there is nothing to add.
    async fn fail(&self, error: &Error) {
        if matches!(error, Error::Journal(_)) {
            let error = fault::message(error);
            tracing::info!(promotion = %self.ticket.key, error, "promotion left");
            return;
        }
        note(self.ticket, self.journal.end(PromotionPhase::Errored, fault::message(error)).await);
    }
}

/// What could not be written is told, and known to the journal.
fn note(ticket: &Ticket, written: Result<(), impl std::fmt::Display>) {
    if let Err(error) = written {
        tracing::info!(promotion = %ticket.key, %error, "promotion left");
    }
}
