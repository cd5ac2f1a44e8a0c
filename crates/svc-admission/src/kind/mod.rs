//! For each kind: what the rules must know, and asking them.

pub(crate) mod config;
pub(crate) mod freight;
pub(crate) mod process;
pub(crate) mod project;
pub(crate) mod promotion;
pub(crate) mod promotion_request;
pub(crate) mod stage;
pub(crate) mod warehouse;

/// In an access review, no name means all.
const EVERY_STAGE: &str = "";
