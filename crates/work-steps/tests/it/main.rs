//! Steps with the real programs and servers they work with.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests say what is wrong by failing"
)]

mod git;
mod helm_template;
mod helm_update_chart;
mod kustomize_build;
mod oci;
mod tools;
