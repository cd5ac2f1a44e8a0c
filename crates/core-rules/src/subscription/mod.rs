//! Subscriptions of Warehouses: what they are interested in, as far as names decide it.

mod git_ref;
mod platform;

pub use git_ref::{GitRefSelector, GitRefSelectorError};
pub use platform::{Platform, PlatformError};
