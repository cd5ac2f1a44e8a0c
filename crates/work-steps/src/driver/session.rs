//! A Promotion under way in this process.

use std::time::Duration;

use api_kinds::promotion::{PromotionPhase, PromotionStepStatus, StepExecutionMetadata};
use core_engine::{Again, Attempt, End, Engine, Next, Progress, Verdict, wake_after};
use io_exec::Jail;
use serde_json::{Map, Value};

use super::{
    directory::Directory,
    error::Error,
    journal::{Entry, Moment},
    observer::Event,
    outfit::Driver,
    quota::Quota,
    render::{RenderError, Rendered, Renderer},
    report,
    step_log::StepLog,
    stop::{Stop, StopSignal},
    vault::Vault,
};
use crate::context::StepCx;

/// How a pass ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The Promotion ended.
    Ended(End),
    /// The current step needs another look after this time, or when something wakes it.
    Waiting(Duration),
    /// Somebody else goes on.
    Suspended,
}

/// A Promotion under way in this process.
pub struct Session {
    pub(super) driver: Driver,
    pub(super) engine: Engine,
    pub(super) directory: Directory,
    pub(super) files: Jail,
    pub(super) vault: Vault,
    /// How many steps the observer has been told of.
    pub(super) told: usize,
    /// The step whose start is in the journal.
    pub(super) written: Option<usize>,
    /// Time of steps after which nobody looked at the size of the directory.
    pub(super) unseen: Duration,
}

impl Session {
    /// How far the Promotion is; without secrets.
    pub fn progress(&self) -> &Progress {
        self.engine.progress()
    }

    /// Its work directory.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Removes the work directory.
    pub fn close(self) -> Result<(), Error> {
        Directory::remove(&self.driver.root, &self.driver.order.uid)
    }

    /// Walks as far as it can go. Cancel safety: a dropped pass is like a killed process; go on with what the
    /// journal says.
    pub async fn pass(&mut self, stop: &mut StopSignal) -> Result<Passed, Error> {
        loop {
            if let Some(stop) = stop.asked() {
                return self.stopped(stop).await;
            }
            let verdict = match self.engine.next(self.driver.now()) {
                Next::Finished(end) => return self.ended(end).await,
                Next::Decide(position) => self.decide(position).await,
                Next::Attempt(position) => {
                    self.write_start(position).await?;
                    match self.advance(position, stop).await {
                        Ok(verdict) => verdict?,
                        Err(stop) => return self.stopped(stop).await,
                    }
                }
            };
            self.tell();
            if let Verdict::Again(again) = verdict {
                return self.waiting(again).await;
            }
        }
    }

    async fn decide(&mut self, position: usize) -> Verdict {
        let rendered = {
            let state = self.vault.reveal(&self.engine.progress().state);
            match self.renderer(position, &state) {
                Some(renderer) => renderer.condition().await,
                None => Err(RenderError::missing(position)),
            }
        };
        match rendered {
            Ok(rendered) => {
                let holds = self.hide(rendered);
                self.engine.decided(holds);
            }
            Err(RenderError::Invalid(reason)) => {
                let reason = self.vault.clean(&reason).into_owned();
                self.engine.undecided(&reason);
            }
            Err(RenderError::Unanswered(reason)) => {
                return self.engine.unanswered(&reason, self.driver.now());
            }
        }
        Verdict::Ended
    }

    /// Renders the configuration of a step and makes one attempt; the error is a stop that came meanwhile.
    async fn advance(
        &mut self,
        position: usize,
        stop: &mut StopSignal,
    ) -> Result<Result<Verdict, Error>, Stop> {
        let rendered = {
            let state = self.vault.reveal(&self.engine.progress().state);
            match self.renderer(position, &state) {
                Some(renderer) => renderer.config().await,
                None => Err(RenderError::missing(position)),
            }
        };
        let config = match rendered {
            Ok(rendered) => self.hide(rendered),
            Err(RenderError::Invalid(reason)) => {
                let reason = self.vault.clean(&reason).into_owned();
                self.engine.unready(&reason, self.driver.now());
                return Ok(Ok(Verdict::Ended));
            }
            Err(RenderError::Unanswered(reason)) => {
                return Ok(Ok(self.engine.unanswered(&reason, self.driver.now())));
            }
        };
        let started = self.driver.clock.monotonic();
        let attempt = self.attempt(position, config, stop).await?;
        let elapsed = self.driver.clock.monotonic().saturating_sub(started);
        let attempt = self.within_quota(attempt, elapsed).await;
        Ok(self.take(attempt))
    }

    async fn attempt(
        &self,
        position: usize,
        config: Value,
        stop: &mut StopSignal,
    ) -> Result<Attempt, Stop> {
        let (alias, kind) = self.names(position);
        let Driver { order, runner, observer, effects, clock, quota_bytes, .. } = &self.driver;
        let log = StepLog::new(self.directory.log_path(position, alias));
        let say = |line: &str| {
            let line = self.vault.clean(line);
            log.add(&line);
            observer.notice(Event::Said { alias, line: &line });
        };
        let cx = StepCx {
            subject: &order.subject,
            alias,
            state: &self.vault.reveal(&self.engine.progress().state),
            files: &self.files,
            private: &self.directory.private(),
            effects,
            log: &say,
            secrets: self.vault.secrets(),
        };
        let quota = Quota::new(self.directory.path(), *quota_bytes, &**clock);
        observer.notice(Event::Started { position, alias, kind });
        tokio::select! {
            biased;
            attempt = runner.attempt(kind, config, &cx) => Ok(attempt),
            stop = stop.wait() => Err(stop),
            exceeded = quota.watch() => {
                Ok(Attempt::fault(PromotionStepStatus::Failed, exceeded.message(), true))
            }
        }
    }

    async fn within_quota(&mut self, attempt: Attempt, elapsed: Duration) -> Attempt {
        let Driver { clock, quota_bytes, .. } = &self.driver;
        let quota = Quota::new(self.directory.path(), *quota_bytes, &**clock);
        match quota.check_after(elapsed, &mut self.unseen).await {
            Some(exceeded) if attempt.fault.is_none() => {
                Attempt::fault(PromotionStepStatus::Failed, exceeded.message(), true)
            }
            _ => attempt,
        }
    }

    /// Hands an attempt to the engine, with secrets kept back.
    fn take(&mut self, attempt: Attempt) -> Result<Verdict, Error> {
        let attempt = report::bounded(attempt);
        let (alias, _) = self.names(self.engine.position());
        let alias = alias.to_owned();
        if attempt.output.is_some() || attempt.fault.is_none() {
            self.vault.forget(&alias);
        }
        let told = match self.vault.redactor() {
            Some(redactor) => report::masked(&attempt, &redactor),
            None => attempt.clone(),
        };
        if let Some(real) = attempt.output.filter(|real| told.output.as_ref() != Some(real)) {
            let feeds_task = self.engine.steps().get(self.engine.position());
            let task = alias.split_once("::").map(|(task, _)| task);
            match task.filter(|_| feeds_task.is_some_and(|step| step.feeds_task)) {
                Some(task) => self.vault.keep(&[&alias, task], &real),
                None => self.vault.keep(&[&alias], &real),
            }
        }
        self.vault.save().map_err(|source| self.directory.trouble(source))?;
        Ok(self.engine.attempted(told, self.driver.now()))
    }

    fn hide<T>(&mut self, rendered: Rendered<T>) -> T {
        rendered.secrets.iter().for_each(|secret| self.vault.hide(secret));
        rendered.value
    }

    fn renderer<'a>(
        &'a self,
        position: usize,
        state: &'a Map<String, Value>,
    ) -> Option<Renderer<'a>> {
        let Driver { order, runner, control_plane, .. } = &self.driver;
        Some(Renderer {
            order,
            runner: &**runner,
            control_plane: &**control_plane,
            now: self.driver.now(),
            step: order.steps.get(position)?,
            alias: self.names(position).0,
            state,
            progress: self.engine.progress(),
        })
    }

    /// Alias and kind of a step.
    fn names(&self, position: usize) -> (&str, &str) {
        let step = self.engine.steps().get(position);
        step.map(|step| (step.alias.as_str(), step.kind.as_str())).unwrap_or_default()
    }

    async fn stopped(&mut self, stop: Stop) -> Result<Passed, Error> {
        match stop {
            Stop::Suspend => Ok(Passed::Suspended),
            Stop::Abort(message) => {
                let end = self.engine.abort(&message, self.driver.now());
                self.tell();
                self.ended(end).await
            }
        }
    }

    async fn ended(&mut self, end: End) -> Result<Passed, Error> {
        self.tell();
        self.write(&end.phase, &end.message, Moment::Ended).await?;
        Ok(Passed::Ended(end))
    }

    async fn waiting(&mut self, again: Again) -> Result<Passed, Error> {
        let after = wake_after(&again, self.driver.now());
        let position = self.engine.position();
        // What it met is told while it is retried, not only when it gave up.
        let record = self.record(position).filter(|record| record.error_count > 0);
        let message = record.map(|record| record.message.clone()).unwrap_or_default();
        self.write(&PromotionPhase::Running, &message, Moment::Waiting).await?;
        if let Some(record) = self.record(position) {
            self.driver.observer.notice(Event::Waiting { position, record, after });
        }
        Ok(Passed::Waiting(after))
    }

    /// The start of a step is on record before the step does anything; that of a repetition is already.
    async fn write_start(&mut self, position: usize) -> Result<(), Error> {
        if self.written == Some(position) {
            return Ok(());
        }
        let phase = &PromotionPhase::Running;
        let entry = Entry { phase, message: "", progress: self.engine.progress() };
        if self.is_quiet(position) && self.driver.journal.leaves_out(entry) {
            self.keep(position)?;
        } else {
            self.write(phase, "", Moment::Started).await?;
        }
        self.written = Some(position);
        Ok(())
    }

    fn is_quiet(&self, position: usize) -> bool {
        let (_, kind) = self.names(position);
        self.driver.runner.traits(kind).is_some_and(|traits| traits.is_quiet)
    }

    /// Keeps the progress beside the files that it tells of. Before the first step there is none.
    fn keep(&mut self, position: usize) -> Result<(), Error> {
        self.directory.mark_reached(position)?;
        if position > 0 {
            self.directory.keep_progress(self.engine.progress())?;
        }
        Ok(())
    }

    async fn write(
        &mut self,
        phase: &PromotionPhase,
        message: &str,
        moment: Moment,
    ) -> Result<(), Error> {
        let progress = self.engine.progress();
        // The marker goes first: a directory is never behind the journal.
        self.directory.mark_reached(progress.current_step)?;
        let entry = Entry { phase, message, progress };
        self.driver.journal.write(entry, moment).await.map_err(Error::Journal)
    }

    /// Tells the observer of the steps that ended since it was told last.
    fn tell(&mut self) {
        for position in self.told..self.engine.position() {
            if let Some(record) = self.record(position) {
                self.driver.observer.notice(Event::Ended { position, record });
            }
        }
        self.told = self.engine.position();
    }

    fn record(&self, position: usize) -> Option<&StepExecutionMetadata> {
        let (alias, _) = self.names(position);
        let records = &self.engine.progress().step_execution_metadata;
        records.iter().rev().find(|record| record.alias == alias)
    }
}
