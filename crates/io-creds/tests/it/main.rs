//! Credentials from end to end: Secrets on the embedded engine, clouds as HTTP doubles.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail like the tests themselves"
)]

mod acr;
mod aws_keys;
mod cluster;
mod double;
mod ecr;
mod gar;
mod github;
mod order;
mod redaction;
mod tap;
mod tokens;
mod world;
