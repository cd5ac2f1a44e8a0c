//! Runs the steps of a Promotion.
//!
//! [`Session::pass`] walks as far as it can go: until the Promotion ended, a step waits for something, or
//! somebody stops it. `core-engine` decides; here conditions and configurations are rendered, steps are run
//! and can be cut off, secrets are blanked, and everything that a restart needs is written down before the
//! next thing happens:
//!
//! ```text
//! Order ─▶ Session ─▶ Renderer    vars, `if`, `config`; objects that expressions ask for
//!                  ─▶ Runner      one attempt of a step (`attempt`)
//!                  ─▶ Directory   files of the Promotion, logs, what must not be told (`vault`)
//!                  ─▶ Journal     progress: a file, or the status of the Promotion
//!                  ─▶ Observer    what happens, for whoever watches
//! ```

pub(crate) mod attempt;
mod directory;
mod error;
mod journal;
mod observer;
mod order;
mod outfit;
mod quota;
mod render;
mod report;
mod runner;
mod session;
mod step_log;
mod stop;
mod vault;

pub use self::{
    attempt::panic_text,
    directory::{Directory, Opened},
    error::Error,
    journal::{Entry, FileJournal, Journal, JournalError, Moment, Saved},
    observer::{Event, Observer, Silent},
    order::{Order, Target},
    outfit::Driver,
    runner::{BuiltIn, Runner, Traits},
    session::{Passed, Session},
    stop::{Stop, StopHandle, StopSignal, stopping},
};

#[cfg(test)]
mod tests;
