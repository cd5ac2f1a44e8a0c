//! The status of Freight, which many Stages write to: each only under its own name.

mod combiner;
mod slot;

pub(crate) use combiner::Combiner;
