//! Pull requests at doubles of the five services, which also misbehave.

#![allow(clippy::disallowed_methods, reason = "tests run on the real clock and runtime")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod adoption;
mod faults;
mod github_commits;
mod labels;
mod life;
mod world;
