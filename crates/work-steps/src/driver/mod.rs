//! Runs the steps of a Promotion.
