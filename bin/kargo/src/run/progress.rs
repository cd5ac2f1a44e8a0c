//! Live progress of a Promotion, one line for everything that happens, on standard error.

use std::{io::Write, sync::Arc, time::Duration};

use api_kinds::promotion::StepExecutionMetadata;
use core_clock::Clock;
use parking_lot::Mutex;
use work_steps::driver::{Event, Observer};

/// Prints what happens.
pub(super) struct Progress {
    steps: usize,
    clock: Arc<dyn Clock>,
    /// When the current step began.
    began: Mutex<Option<(usize, Duration)>>,
}

impl Progress {
    pub(super) fn new(steps: usize, clock: Arc<dyn Clock>) -> Self {
        Self { steps, clock, began: Mutex::new(None) }
    }

    fn line(&self, position: usize, text: &str) {
        let count = format!("[{}/{}]", position + 1, self.steps);
        drop(writeln!(std::io::stderr().lock(), "{count} {text}"));
    }

    /// How long the step took, if it was run at all.
    fn took(&self, position: usize) -> String {
        let began = self.began.lock().filter(|(at, _)| *at == position);
        let Some((_, began)) = began else { return String::new() };
        let seconds = self.clock.monotonic().saturating_sub(began).as_secs_f64();
        format!(" in {seconds:.1} s")
    }

    fn ended(&self, position: usize, record: &StepExecutionMetadata) {
        let StepExecutionMetadata { alias, status, message, .. } = record;
        let message = if message.is_empty() { String::new() } else { format!(": {message}") };
        let took = self.took(position);
        self.line(position, &format!("{alias} {}{took}{message}", status.as_str()));
    }
}

impl Observer for Progress {
    fn notice(&self, event: Event<'_>) {
        match event {
            Event::Started { position, alias, kind } => {
                let mut began = self.began.lock();
                // Another attempt of the same step is told by its outcome alone.
                if began.is_none_or(|(at, _)| at != position) {
                    *began = Some((position, self.clock.monotonic()));
                    drop(began);
                    self.line(position, &format!("{alias} ({kind})"));
                }
            }
            Event::Said { line, .. } => drop(writeln!(std::io::stderr().lock(), "      {line}")),
            Event::Ended { position, record } => self.ended(position, record),
            Event::Waiting { position, record, after } => {
                let StepExecutionMetadata { alias, message, .. } = record;
                let message =
                    if message.is_empty() { String::new() } else { format!(": {message}") };
                let seconds = after.as_secs_f64();
                self.line(
                    position,
                    &format!("{alias} waits, next look in {seconds:.0} s{message}"),
                );
            }
            Event::Restarted => {
                let text = "the work directory is gone: starting over";
                drop(writeln!(std::io::stderr().lock(), "{text}"));
            }
        }
    }
}
