//! What tests share: a raw HTTPS client that shows every header and byte, and control planes to point it at.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests run on the real clock, environment and runtime, and report to a person"
)]

mod client;
mod cluster;
#[cfg(feature = "engine")]
pub mod engine;
pub mod fixture;
#[cfg(feature = "grpc")]
pub mod grpc;
mod kargo;
mod kubeconfig;
mod patience;
mod scenario;
#[cfg(feature = "server")]
pub mod server;
mod signing;
#[cfg(feature = "warehouse")]
pub mod warehouse;

pub use client::{Client, Lines, Reply};
pub use cluster::Cluster;
pub use kargo::{Kargo, UpOptions, binary};
pub use kubeconfig::Kubeconfig;
pub use patience::{Patience, eventually, found, passed};
pub use scenario::{AfterFailure, Scenario, conclude, play};
pub use signing::signing_key;

use std::path::PathBuf;

/// The root of the repository.
pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap_or_default()
}
