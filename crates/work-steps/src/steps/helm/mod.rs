//! What the Helm steps share: what a chart says about its dependencies, and how these are fetched.

mod chart;
mod dependencies;
mod local;
mod sources;

pub(super) use self::{
    chart::{Chart, Dependency, Lock},
    dependencies::{Access, Fetch, fetch},
    local::check_links,
};
