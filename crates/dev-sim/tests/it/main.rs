//! The scenarios, and the proof that the frame finds what it is there to find.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail like the tests themselves, and say how much they ran"
)]

mod api;
mod leader;
mod mirror;
mod pipeline;
mod project;
mod support;
