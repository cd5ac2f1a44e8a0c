//! The generated CustomResourceDefinitions against those of the reference.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests fail as tests do"
)]

mod conformance;
mod descriptions;
mod round_trip;
#[cfg(feature = "yaml")]
mod yaml;
