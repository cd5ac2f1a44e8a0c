//! The server as its clients see it: HTTP requests to the tower service, on a store in memory and a clock that stands
//! still.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail like the tests themselves"
)]

mod access;
mod admission;
mod apply;
mod audit;
mod built_in;
mod crud;
mod custom;
mod deletion;
mod determinism;
mod discovery;
mod engine;
mod form;
mod garbage;
mod kube_client;
mod limits;
mod list;
mod managed;
mod namespace;
mod patch;
mod restart;
mod validation;
mod watch;
mod webhook;
mod world;
