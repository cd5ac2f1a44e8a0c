//! Every verb against a scripted server: what is asked, what is shown, and how it ends.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]

mod batch;
mod complete;
mod config;
mod diff;
mod get;
mod harness;
mod login;
mod mistakes;
mod promote;
mod refresh;
mod respond;
mod write;
