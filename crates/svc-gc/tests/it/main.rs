//! The collector on the embedded engine, under its own identity and permissions.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set its scene fails right there"
)]

mod collection;
mod schedule;
mod trouble;
mod world;
