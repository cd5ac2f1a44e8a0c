//! Every verb against a scripted server: what is asked, what is shown, and how it ends.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]

mod batch;
mod config;
mod get;
mod harness;
mod login;
mod mistakes;
mod promote;
mod refresh;
mod write;
