//! AnalysisRuns that verify what a Stage holds: how they are made, and what they say.
//!
//! Making one takes two looks outside, so it has steps. [`Gathering`] says which templates it wants
//! and combines them; the arguments of the Stage are evaluated by whoever can; [`analysis_run`]
//! puts everything together. [`run_view`] is the way back: what a run says about the verification.

mod combine;
mod error;
mod gather;
mod run;
mod view;
mod warning;

#[cfg(test)]
mod tests;

pub use combine::Combined;
pub use error::{BuildError, impossible_message};
pub use gather::Gathering;
pub use run::{EvaluatedArgument, RunOrder, analysis_run};
pub use view::run_view;
pub use warning::WARNING_ANNOTATION;
