//! The state machine of a promotion: what runs next, retries, timeouts, and the final phase.
//!
//! An [`Engine`] walks through the [`Step`]s of a Promotion. [`Engine::next`] says what is to be done,
//! the caller does it and reports back, and [`Engine::progress`] is at every moment what has to be written
//! down to go on after a restart:
//!
//! ```text
//! next ─┬─▶ Decide   evaluate `if`           ──▶ decided, or undecided
//!       ├─▶ Attempt  render the configuration ──▶ unready
//!       │            run the step             ──▶ attempted ─┬─▶ Ended
//!       │                                                    └─▶ Again(when)
//!       └─▶ Finished phase and message
//! ```
//!
//! A failed step does not end the walk: the steps after it are skipped unless their condition says otherwise,
//! and the worst status decides the phase. Nothing here waits, reads a clock or runs anything.

#![warn(missing_docs)]

mod attempt;
mod engine;
mod phase;
mod progress;
mod step;
mod wake;

pub use self::{
    attempt::{Attempt, Fault},
    engine::{Engine, Next, Verdict},
    phase::{End, final_phase, has_failures},
    progress::Progress,
    step::{Limits, Step},
    wake::{Again, wake_after},
};

#[cfg(test)]
mod tests;
