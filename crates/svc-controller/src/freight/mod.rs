//! The status of Freight, which many Stages write to: each only under its own name.

mod combiner;
mod patch;
mod slot;

pub(crate) use combiner::Combiner;
pub(crate) use patch::patch;
