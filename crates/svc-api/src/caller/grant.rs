//! Proof that somebody asked.

use super::{Target, Verb};

/// The right to do one thing to one target. It is used up by the write that it is for.
#[derive(Debug)]
#[must_use = "a grant is for a write"]
pub(crate) struct Grant {
    pub(super) target: Target,
}

impl Grant {
    pub(super) fn of_the_caller(target: Target) -> Self {
        Self { target }
    }

    /// A right of the server itself, which it uses for any caller whom `reason` covers.
    pub(crate) fn of_the_server(reason: &'static str, verb: Verb, target: Target) -> Self {
        let verb = verb.as_str();
        tracing::debug!(
            verb,
            resource = &*target.resource,
            reason,
            "the server uses its own rights"
        );
        Self { target }
    }

    /// The name of what it is for.
    pub(crate) fn name(&self) -> &str {
        &self.target.name
    }
}
