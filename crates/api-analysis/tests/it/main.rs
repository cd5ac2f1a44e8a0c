//! What the kinds promise to those who read and write them.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests fail as tests do"
)]

mod conformance;
mod round_trip;
