//! What comes with a write that is let through.

use crate::event::Event;

/// A write that is let through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Admitted {
    /// What the client should be told although nothing is refused.
    pub warnings: Vec<String>,
    /// What happened, to be told once the write is real.
    pub events: Vec<Event>,
}

impl Admitted {
    /// Nothing to tell but these warnings.
    pub fn with_warnings(warnings: Vec<String>) -> Self {
        Self { warnings, events: Vec::new() }
    }
}
