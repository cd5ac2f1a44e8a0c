//! What may be deleted because nobody needs it any more.
//!
//! An [`Inventory`] takes in the objects of one Project, page by page, keeping only what decides;
//! then it says what goes. What is in use stays, whatever its age. Of the rest the newest stay, a
//! number per Stage or Warehouse, and so does everything younger than a minimum age.
//!
//! Upstream counts from the oldest object in use ([`Reckoning::ByPosition`]): one Stage that keeps
//! old Freight keeps all newer Freight too. Ours counts unused objects only.

mod freight;
mod inventory;
mod policy;
mod promotion;
mod selection;
mod stage;
#[cfg(test)]
mod tests;

pub use inventory::{AnalysisRun, Collected, Deletion, Inventory};
pub use policy::{Limit, OverrideError, Policy, Reckoning};
pub use selection::Identity;
