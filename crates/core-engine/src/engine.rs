//! The walk through the steps.

use api_kinds::{
    Time,
    promotion::{PromotionPhase, PromotionStepStatus as Status, StepExecutionMetadata},
};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{
    attempt::{Attempt, Fault},
    phase::{End, final_phase, has_failures},
    progress::Progress,
    step::{Limits, Step},
    wake::Again,
};

/// How many failed looks in a row at objects that expressions ask for are forgiven at least.
const LOOKUP_THRESHOLD: u32 = 5;

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Evaluate the condition of the step at this position.
    Decide(usize),
    /// Render the configuration of the step at this position, and run it.
    Attempt(usize),
    /// Nothing: the Promotion ended.
    Finished(End),
}

/// What came of what was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The step ended; go on.
    Ended,
    /// The step needs another look.
    Again(Again),
}

/// A Promotion under way.
#[derive(Clone, Debug)]
pub struct Engine {
    steps: Vec<Step>,
    /// Where the walk is; beyond the last step at the end.
    position: usize,
    progress: Progress,
    /// Whether the current step was told to run by its condition.
    is_decided: bool,
}

impl Engine {
    /// Goes on where a Promotion was.
    pub fn new(steps: Vec<Step>, progress: Progress) -> Self {
        let mut engine =
            Self { steps, position: progress.current_step, progress, is_decided: false };
        // At the end the progress still names the last step.
        if engine.current().is_some_and(|record| record.finished_at.is_some()) {
            engine.leave();
        }
        engine
    }

    /// Position of the step that runs now or comes next; beyond the last one at the end.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How far the Promotion is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Gives the progress back.
    pub fn into_progress(self) -> Progress {
        self.progress
    }

    /// What is to be done; marks a step as started that is to be attempted.
    pub fn next(&mut self, now: Timestamp) -> Next {
        loop {
            let Some(step) = self.steps.get(self.position) else {
                return Next::Finished(final_phase(&self.progress.step_execution_metadata));
            };
            let (has_condition, is_known) = (step.has_condition, step.limits.is_some());
            self.progress.add_record(&step.alias, step.continue_on_error);
            let is_started = self.current().is_some_and(|record| record.started_at.is_some());
            if !is_started && !self.is_decided {
                if has_condition {
                    return Next::Decide(self.position);
                }
                if has_failures(&self.progress.step_execution_metadata) {
                    self.skip();
                    continue;
                }
            }
            if !is_known {
                self.refuse_kind();
                continue;
            }
            self.start(now);
            return Next::Attempt(self.position);
        }
    }

    /// Reports whether the condition of the current step holds.
    pub fn decided(&mut self, holds: bool) {
        if holds {
            self.is_decided = true;
        } else {
            self.skip();
        }
    }

    /// Reports that the condition of the current step has no answer, and never will.
    pub fn undecided(&mut self, reason: &str) {
        let message =
            format!("error checking if step {:?} should be skipped: {reason}", self.alias());
        self.set_status(Status::Errored, message);
        self.leave();
    }

    /// Reports that the configuration of the current step cannot be rendered, and never will.
    pub fn unready(&mut self, reason: &str, now: Timestamp) {
        let message = format!("failed to build step context: failed to get step config: {reason}");
        self.set_status(Status::Errored, message);
        self.mark_finished(now);
        self.leave();
    }

    /// Reports that something that an expression of the current step asks for could not be looked at.
    pub fn unanswered(&mut self, reason: &str, now: Timestamp) -> Verdict {
        let message = format!("step {:?}: {reason}", self.alias());
        let limits = self.limits();
        let threshold = limits.error_threshold.max(LOOKUP_THRESHOLD);
        let fault = Fault { message, is_final: false };
        self.set_status(Status::Errored, fault.message.clone());
        self.judge(Some(fault), None, Limits { error_threshold: threshold, ..limits }, now)
    }

    /// Reports an attempt of the current step.
    pub fn attempted(&mut self, attempt: Attempt, now: Timestamp) -> Verdict {
        let alias = self.alias();
        let fault = attempt.wrapped_fault(&alias);
        self.keep_output(&alias, &attempt);
        if !is_step_status(&attempt.status) && fault.is_none() {
            let status = attempt.status.as_str();
            self.set_status(
                Status::Errored,
                format!("step {alias:?} returned an invalid status: {status}"),
            );
            return self.end(now);
        }
        let (status, message) = match &fault {
            Some(fault) if attempt.status == Status::Failed => (Status::Failed, &fault.message),
            Some(fault) => (Status::Errored, &fault.message),
            None => (attempt.status.clone(), &attempt.message),
        };
        self.set_status(status, message.clone());
        let fault = fault.or_else(|| attempt.implied_fault(&alias));
        if fault.is_none() && attempt.status == Status::Succeeded {
            self.progress.health_checks.extend(attempt.health_check);
        }
        self.judge(fault, attempt.retry_after, self.limits(), now)
    }

    /// Ends the Promotion on request: a step under way is aborted, those after it are not looked at.
    pub fn abort(&mut self, message: &str, now: Timestamp) -> End {
        let is_under_way = self
            .current()
            .is_some_and(|record| record.started_at.is_some() && record.finished_at.is_none());
        if is_under_way {
            self.set_status(Status::Aborted, message.to_owned());
            self.mark_finished(now);
        }
        End { phase: PromotionPhase::Aborted, message: message.to_owned() }
    }

    fn judge(
        &mut self,
        fault: Option<Fault>,
        asked: Option<std::time::Duration>,
        limits: Limits,
        now: Timestamp,
    ) -> Verdict {
        let alias = self.alias();
        let status = self.current().map(|record| record.status.clone()).unwrap_or_default();
        match &fault {
            None if matches!(status, Status::Succeeded | Status::Skipped) => return self.end(now),
            // Errors count in a row: an attempt without one starts over.
            None => self.set_error_count(0),
            Some(fault) if fault.is_final && status == Status::Failed => return self.end(now),
            Some(fault) if fault.is_final => {
                let message = format!("an unrecoverable error occurred: {}", fault.message);
                self.set_status(Status::Errored, message);
                return self.end(now);
            }
            Some(fault) => {
                let errors = self.error_count().saturating_add(1);
                self.set_error_count(errors);
                if errors >= limits.error_threshold {
                    let threshold = limits.error_threshold;
                    let message = format!(
                        "step {alias:?} met error threshold of {threshold}: {}",
                        fault.message
                    );
                    let kept =
                        if status == Status::Failed { Status::Failed } else { Status::Errored };
                    self.set_status(kept, message);
                    return self.end(now);
                }
            }
        }
        let deadline = self.deadline(limits);
        if let (Some(deadline), Some(timeout)) = (deadline, limits.timeout)
            && now > deadline
        {
            let timeout = api_kinds::Duration::from(timeout);
            self.set_status(Status::Errored, format!("step {alias:?} timed out after {timeout}"));
            return self.end(now);
        }
        if let Some(fault) = &fault {
            let kept = if status == Status::Failed { Status::Failed } else { Status::Errored };
            self.set_status(kept, format!("{}; step will be retried", fault.message));
        }
        Verdict::Again(Again { errors: self.error_count(), asked, deadline })
    }

    fn skip(&mut self) {
        self.set_status(Status::Skipped, String::new());
        self.leave();
    }

    fn refuse_kind(&mut self) {
        let kind = self.step().map(|step| step.kind.clone()).unwrap_or_default();
        let message = format!("step kind {kind:?} is not registered; check its spelling");
        self.set_status(Status::Errored, message);
        self.leave();
    }

    fn start(&mut self, now: Timestamp) {
        if let Some(record) = self.current_mut()
            && record.started_at.is_none()
        {
            record.started_at = Some(wire_time(now));
            record.status = Status::Running;
            record.error_count = 0;
        }
    }

    fn end(&mut self, now: Timestamp) -> Verdict {
        self.mark_finished(now);
        self.leave();
        Verdict::Ended
    }

    fn leave(&mut self) {
        self.is_decided = false;
        self.position += 1;
        self.progress.current_step = self.position.min(self.steps.len().saturating_sub(1));
    }

    fn mark_finished(&mut self, now: Timestamp) {
        if let Some(record) = self.current_mut() {
            record.finished_at = Some(wire_time(now));
        }
    }

    fn set_status(&mut self, status: Status, message: String) {
        if let Some(record) = self.current_mut() {
            record.status = status;
            record.message = message;
        }
    }

    fn set_error_count(&mut self, errors: u32) {
        if let Some(record) = self.current_mut() {
            record.error_count = errors;
        }
    }

    fn error_count(&self) -> u32 {
        self.current().map(|record| record.error_count).unwrap_or_default()
    }

    fn limits(&self) -> Limits {
        let known = self.step().and_then(|step| step.limits);
        known.unwrap_or(Limits { timeout: None, error_threshold: 1 })
    }

    /// When the current step is given up.
    fn deadline(&self, limits: Limits) -> Option<Timestamp> {
        let started_at = self.current()?.started_at.as_ref()?.0;
        started_at.checked_add(limits.timeout?).ok()
    }

    /// An error keeps what the step told before it; anything else replaces it.
    fn keep_output(&mut self, alias: &str, attempt: &Attempt) {
        let state = &mut self.progress.state;
        let feeds_task = self.steps.get(self.position).is_some_and(|it| it.feeds_task);
        match &attempt.output {
            Some(output) => {
                state.insert(alias.to_owned(), Value::Object(output.clone()));
            }
            None if attempt.fault.is_some() => {
                state.entry(alias).or_insert(Value::Null);
            }
            None => {
                state.insert(alias.to_owned(), Value::Null);
            }
        }
        if let (true, Some(task), Some(output)) = (feeds_task, task_of(alias), &attempt.output) {
            let entry = state.entry(task).or_insert(Value::Null);
            if !entry.is_object() {
                *entry = Value::Object(Map::new());
            }
            if let Some(shared) = entry.as_object_mut() {
                shared.extend(output.clone());
            }
        }
    }

    fn step(&self) -> Option<&Step> {
        self.steps.get(self.position)
    }

    fn alias(&self) -> String {
        self.step().map(|step| step.alias.clone()).unwrap_or_default()
    }

    fn current(&self) -> Option<&StepExecutionMetadata> {
        let alias = &self.step()?.alias;
        let records = &self.progress.step_execution_metadata;
        records.iter().rev().find(|record| record.alias == *alias)
    }

    fn current_mut(&mut self) -> Option<&mut StepExecutionMetadata> {
        let alias = &self.steps.get(self.position)?.alias;
        let records = &mut self.progress.step_execution_metadata;
        records.iter_mut().rev().find(|record| record.alias == *alias)
    }
}

fn is_step_status(status: &Status) -> bool {
    !matches!(status, Status::Unset | Status::Other(_))
}

/// The alias of the task that a step belongs to.
fn task_of(alias: &str) -> Option<&str> {
    let (task, step) = alias.split_once("::")?;
    (!step.contains("::")).then_some(task)
}

/// The wire has whole seconds.
fn wire_time(now: Timestamp) -> Time {
    Time(Timestamp::from_second(now.as_second()).unwrap_or_default())
}
