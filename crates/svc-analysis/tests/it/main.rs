//! The executor on the embedded engine, with its own permissions and real servers.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests may fail like the tests themselves, and real servers take real time"
)]

mod arguments;
mod batch;
mod command;
mod instance;
mod job;
mod life;
mod prometheus;
mod replicas;
mod server;
mod web;
mod world;
