//! Warehouses: when they look for artifacts, what becomes of what they find, and what they say of it.
//!
//! One pass has the same steps everywhere: [`plan`] says whether to look at all, [`Pass`] takes in what
//! each subscription found and decides what Freight to make, and an [`End`] holds the status to
//! write. Nothing here talks to anybody; the [`Schedule`] says when to come back.

mod assembly;
mod ending;
mod event;
mod failure;
mod finding;
mod pass;
mod plan;
mod rows;
mod schedule;
#[cfg(test)]
mod tests;

pub use assembly::{Missing, assemble};
pub use ending::{Creation, End};
pub use event::{component, freight_created};
pub use failure::{FailedStep, Failure, shown};
pub use finding::Finding;
pub use pass::{Assessment, Pass};
pub use plan::{Plan, Reason, plan};
pub use schedule::Schedule;
