//! Who watches a Promotion run.

use std::time::Duration;

use api_kinds::promotion::StepExecutionMetadata;

/// Something that happened. Texts are blanked.
#[derive(Debug)]
pub enum Event<'a> {
    /// An attempt of a step begins.
    Started {
        /// Position of the step.
        position: usize,
        /// Its alias.
        alias: &'a str,
        /// Its kind.
        kind: &'a str,
    },
    /// The step tells what it does.
    Said {
        /// Alias of the step.
        alias: &'a str,
        /// One line.
        line: &'a str,
    },
    /// A step ended, or was passed over.
    Ended {
        /// Position of the step.
        position: usize,
        /// How it went.
        record: &'a StepExecutionMetadata,
    },
    /// The current step needs another look after this time.
    Waiting {
        /// Position of the step.
        position: usize,
        /// How it goes.
        record: &'a StepExecutionMetadata,
        /// When it is looked at again unless something wakes it.
        after: Duration,
    },
    /// The work directory was gone, so that everything starts over.
    Restarted,
}

/// Who watches. Called while the Promotion runs, so it must not wait.
pub trait Observer: Send + Sync {
    /// Takes notice.
    fn notice(&self, event: Event<'_>);
}

/// Nobody.
pub struct Silent;

impl Observer for Silent {
    fn notice(&self, _: Event<'_>) {}
}
