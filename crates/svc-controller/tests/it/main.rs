//! The controller on the embedded engine, with repositories that answer as the test says.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail like the tests themselves"
)]

mod spread;
mod warehouse;
mod world;
