//! Automatic promotion: for which Stages, which Freight, and what stops it.
//!
//! The Project's first policy that selects a Stage says whether the Stage promotes by itself
//! ([`policy_for`]); of each origin one piece is the [`candidates`]' pick; a person who promotes
//! something else puts a [hold](effective_holds) on the origin; [`plan`] brings it all before the
//! gate.

mod candidate;
mod hold;
mod intent;
mod plan;
mod policy;
#[cfg(test)]
mod tests;

pub use candidate::{candidate_of, candidates};
pub use hold::{effective_holds, prune_holds, settle_holds};
pub use intent::{HoldIntent, intent_of};
pub use plan::{Decision, Pass, plan};
pub use policy::{is_enabled, policy_for};
