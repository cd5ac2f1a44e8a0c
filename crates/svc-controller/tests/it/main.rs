//! The controller on the embedded engine, with repositories that answer as the test says.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail like the tests themselves"
)]

mod argo_cd;
mod budget;
mod losses;
mod pipeline;
mod promotion;
mod repositories;
mod scenario;
mod scene;
mod script;
mod spread;
mod stage;
mod verification;
mod warehouse;
mod world;
