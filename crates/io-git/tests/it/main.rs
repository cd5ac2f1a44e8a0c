//! Real `git` over HTTP and SSH, real mirrors, real faults.

#![allow(clippy::disallowed_methods, reason = "the tests watch real servers and processes")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

mod changes;
mod clones;
mod crash;
mod faults;
mod history;
mod kills;
mod listing;
mod memory;
mod mirrors;
mod promotion;
mod pushes;
mod signatures;
mod ssh;
mod world;
