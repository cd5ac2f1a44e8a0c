//! The management controller on the embedded engine, as its own ServiceAccount with exactly its own
//! permissions.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail like the tests themselves"
)]

mod config;
mod grant;
mod leader;
mod project;
mod replication;
mod world;
