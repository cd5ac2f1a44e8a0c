//! Caches, controllers, writes and Leases against the embedded engine, through a client that fails on demand.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::float_cmp,
    clippy::indexing_slicing,
    reason = "tests fail loudly, spawn on their own runtime and compare whole numbers"
)]

mod access;
mod cache;
mod controller;
mod event;
mod faults;
mod lease;
mod requests;
mod user_agent;
mod world;
mod write;
