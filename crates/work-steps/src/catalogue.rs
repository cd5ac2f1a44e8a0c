//! Every kind of step, in one array.

use crate::{step::AnyStep, steps};

/// The built-in steps, by name.
pub const STEPS: &[&dyn AnyStep] = &[&steps::compose_output::ComposeOutput, &steps::fail::Fail];

/// The step of this kind.
pub fn step(kind: &str) -> Option<&'static dyn AnyStep> {
    STEPS.iter().copied().find(|step| step.kind() == kind)
}
