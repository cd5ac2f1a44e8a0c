//! Rows of many cases: all of them run, and all that failed are shown.

use std::fmt::Display;

use anyhow::{Result, bail};

/// What failed so far.
#[derive(Default)]
pub(crate) struct Cases {
    failures: Vec<String>,
    count: usize,
}

impl Cases {
    /// Takes down how a case ended.
    pub(crate) fn note<T>(&mut self, case: impl Display, result: Result<T>) {
        self.count += 1;
        if let Err(error) = result {
            self.failures.push(format!("{case}: {error:#}"));
        }
    }

    /// Fails with everything that failed.
    pub(crate) fn finish(self) -> Result<()> {
        if self.failures.is_empty() {
            return Ok(());
        }
        let shown = self.failures.join("\n    ");
        bail!("{} of {} cases failed:\n    {shown}", self.failures.len(), self.count)
    }
}
