//! Control planes that are saved and restored, on the embedded engine in process.

#![allow(clippy::disallowed_methods, reason = "tests run on the real clock and runtime")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail like the tests themselves"
)]

mod interruption;
mod refusal;
mod round_trip;
mod world;
