//! Steps with the real programs and servers they work with.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests say what is wrong by failing"
)]

mod argocd;
mod cluster;
mod git;
mod git_merge_pr;
mod git_open_pr;
mod git_wait_for_pr;
mod github_push;
mod helm_template;
mod helm_update_chart;
mod hosting;
mod kustomize_build;
mod oci;
mod tools;
