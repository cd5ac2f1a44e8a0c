//! Runs the steps of a Promotion.

pub(crate) mod attempt;
